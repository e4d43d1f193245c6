import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { after, before, describe, it } from "node:test";
import type { Browser } from "playwright-core";
import { seriousViolations } from "./axe.ts";
import { openChromium } from "./chromium.ts";
import { cutInTables } from "./cut-cells.ts";
import { OwnServer } from "./server.ts";
import { tooWide } from "./too-wide.ts";
import { WatchedPage } from "./watched-page.ts";

const built = existsSync(new URL("../../bundle/index.html", import.meta.url));
const chromium = built ? await openChromium() : { missing: "the console is not built; npm test builds it" };
const missing = "missing" in chromium ? chromium.missing : undefined;
const browser = chromium as Browser;
const longName = "a-job-with-a-name-that-is-as-long-as-names-of-jobs-may-well-be-in-practice";

describe("a small screen, the wheel, paper and the clipboard", { skip: missing }, () => {
  const server = new OwnServer("--simulated", "4x8:H100");
  const ids: Record<string, string> = {};
  before(async () => {
    await server.start();
    await server.call("createAccount", { body: { path: "acme", guarantee: 6 } });
    const any = { model: "*", reservedMicros: 2_000_000, burstMicros: 1_000_000 };
    await server.call("addPrices", {
      body: { id: "l1", currency: "EUR", from: new Date().toISOString(), gpus: [any] },
    });
    await server.call("setBudget", { at: { account: "acme" }, body: { limitMicros: "41472220000", every: "month" } });
    const contract = { from: new Date().toISOString(), to: "2100-01-01T00:00:00Z", perMille: 900, gpus: [any] };
    await server.call("setContract", { at: { account: "acme" }, body: contract });
    ids.ana = (await server.call("createUser", { body: { name: "ana", role: "member", account: "acme" } })).id;
    for (const [name, body] of [
      [longName, { gpus: 1, run: "sleep 3600" }],
      ["waits", { gpus: 8, run: "true", not_before: "2100-01-01T00:00:00Z" }],
    ] as const)
      ids[name] = (await server.call("submitJob", { body: { name, project: "acme", ...body } })).id;
  });
  after(async () => {
    await browser.close();
    await server.end();
  });

  const open = async (look = {}) => {
    const watched = await WatchedPage.open(browser, server.url, look);
    await watched.signInWithToken(server.ownerToken);
    return watched;
  };
  it("shows what was chosen without scrolling, and nothing wider than a phone", async () => {
    const watched = await open({ width: 390, height: 844 });
    const { page } = watched;
    for (const [path, heading] of [
      [`/people/${ids.ana}`, "ana"],
      ["/quota/acme", "acme"],
      [`/queue?job=${ids.waits}`, "waits"],
    ] as const) {
      await watched.go(path);
      const chosen = page.locator(".chosen h2", { hasText: heading }).first();
      await chosen.waitFor();
      const { y } = (await chosen.boundingBox())!;
      assert.ok(y > 0 && y < 300, `${path}: ${y}`);
      assert.deepEqual(await tooWide(page), [], path);
    }
    assert.deepEqual(await seriousViolations(page), []);
    await page.getByRole("link", { name: "Close" }).click();
    await page.locator(".chosen").waitFor({ state: "detached" });
    for (const path of [
      ...["/", "/jobs", "/audit", "/cost?by=job", "/cost/waste", "/quota", "/nodes", "/fleet"],
      ...["/cost/budgets", "/cost/invoices", "/cost/ledger", "/cost/contracts", "/cost/close", "/invoices/acme/open"],
      ...["/settings/outlets", "/settings/api", "/people/me"],
    ]) {
      await watched.go(path);
      await page.locator(".page h1").first().waitFor();
      await page.waitForFunction(() => document.querySelector(".skeleton") === null);
      assert.deepEqual(await tooWide(page), [], path);
      assert.deepEqual(await cutInTables(page), [], path);
      const subjects = page.locator(".events a.cut");
      if (path === "/") await subjects.first().waitFor();
      const cut = await subjects.evaluateAll((all) => all.filter((each) => each.scrollWidth > each.clientWidth).length);
      assert.equal(cut, 0, `${path}: what an event is about can be read`);
    }
    await watched.go("/cost?by=job");
    await page.getByRole("cell", { name: longName }).waitFor();
    const box = page.locator(".table-box").last();
    assert.ok(await box.evaluate((each) => each.scrollWidth <= each.clientWidth), "the table fits");
    await watched.close();
  });

  it("lets the wheel scroll the page over the map, and zooms with Ctrl and with buttons", async () => {
    const watched = await open({ width: 1280, height: 500 });
    const { page } = watched;
    await watched.go("/fleet");
    await page.locator(".legend").waitFor();
    const map = page.locator(".fleet-map");
    const look = async () => (await map.screenshot()).toString("base64");
    /** Once it is drawn, and drawn no more. */
    const picture = async () => {
      for (let [last, now, same] = ["", "", 0]; ; [last, now] = [now, await look()]) {
        same = now === last && now !== "" ? same + 1 : 0;
        if (same === 3) return now;
        await page.waitForTimeout(100);
      }
    };
    const top = () => page.locator("#main").evaluate((main) => main.scrollTop);
    /** What is pointed at is told by a card, which is no part of the picture. */
    const pointAway = () => page.mouse.move(0, 0);
    await pointAway();
    const before = await picture();
    await map.hover();
    await page.mouse.wheel(0, 60);
    await page.waitForFunction(() => document.getElementById("main")!.scrollTop > 0);
    await page.locator("#main").evaluate((main) => main.scrollTo(0, 0));
    await pointAway();
    assert.ok((await picture()) === before, "and the map stays as it is");
    const at = await top();
    await map.hover();
    await page.keyboard.down("Control");
    await page.mouse.wheel(0, -300);
    await page.keyboard.up("Control");
    assert.equal(await top(), at);
    await page.getByRole("button", { name: "Show the whole fleet" }).click();
    await page.getByRole("button", { name: "Zoom in" }).click();
    await pointAway();
    assert.ok((await picture()) !== before, "and the map is larger");
    assert.deepEqual(watched.complaints, []);
    await watched.close();
  });

  it("prints an invoice without the rail, with who issued it and when", async () => {
    const watched = await open();
    const { page } = watched;
    await watched.go("/invoices/acme/open");
    await page.getByText(/From Tessera at .* to acme\. Not issued/).waitFor();
    // The tests before have signed the same person in elsewhere.
    const banner = page.getByText("You signed in on a new device").first();
    await banner.waitFor();
    await page.emulateMedia({ media: "print" });
    for (const each of [page.locator(".rail"), banner, page.getByRole("button", { name: "It was me" }).first()])
      assert.equal(await each.isVisible(), false);
    const { x } = (await page.locator(".page h1").boundingBox())!;
    assert.ok(x < 20, `begins at ${x}`);
    await watched.close();
  });

  it("understands several jobs pasted as one file, and forgets what was wrong before", async () => {
    const watched = await open();
    const { page } = watched;
    await watched.go("/new");
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    const editor = page.locator(".editor .cm-content");
    const paste = async (text: string) => {
      await editor.click();
      await page.keyboard.press("ControlOrMeta+a");
      await page.evaluate((words) => navigator.clipboard.writeText(words), text);
      await page.keyboard.press("ControlOrMeta+v");
    };
    await paste("name: one\nproject: acme\ngpuz: 1\nrun: sleep 1\n");
    await page
      .getByText(/gpuz/)
      .filter({ hasText: /mean|known/ })
      .first()
      .waitFor();
    await paste(
      "name: one\nproject: acme\nrun: sleep 1\ngpus: 1\n---\nname: two\nproject: acme\nrun: sleep 1\ngpus: 1\n",
    );
    await page.getByText("2 jobs in this file").waitFor();
    await page
      .getByText(/would start now/)
      .nth(1)
      .waitFor();
    assert.equal(await page.getByRole("alert").count(), 0);
    await page.getByRole("button", { name: "Submit 2 jobs" }).click();
    await page.waitForURL("**/jobs?mine=yes");
    await page.getByText("two", { exact: true }).first().waitFor();
    const names = (await server.call("listJobs", { query: { state: "all" } })).items.map(({ name }) => name);
    assert.ok(names.includes("one") && names.includes("two"));
    assert.deepEqual(
      watched.complaints.filter((text) => !text.includes("400")),
      [],
    );
    await watched.close();
  });
});
