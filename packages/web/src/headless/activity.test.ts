import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { after, before, describe, it } from "node:test";
import type { Browser } from "playwright-core";
import { seriousViolations } from "./axe.ts";
import { openChromium } from "./chromium.ts";
import { OwnServer } from "./server.ts";
import { WatchedPage } from "./watched-page.ts";

const built = existsSync(new URL("../../bundle/index.html", import.meta.url));
const chromium = built ? await openChromium() : { missing: "the console is not built; npm test builds it" };
const missing = "missing" in chromium ? chromium.missing : undefined;
const browser = chromium as Browser;

describe("what GPUs do, in the console", { skip: missing }, () => {
  const server = new OwnServer("--simulated", "2x8:H100", "--telemetry-every", "1");

  before(async () => {
    await server.start();
    for (const path of ["lab", "rivals"]) await server.call("createAccount", { body: { path } });
    for (const [project, gpus] of [
      ["lab", 3],
      ["rivals", 8],
    ] as const)
      await server.call("submitJob", { body: { name: `${project}-train`, run: "sleep 3600", project, gpus } });
  });
  after(async () => {
    await browser.close();
    await server.end();
  });

  it("colours the map by what was measured, keeps it in the address, and says what was not measured", async () => {
    const watched = await WatchedPage.open(browser, server.url);
    const { page } = watched;
    await watched.signInWithToken(server.ownerToken);
    await watched.go("/fleet");
    await page.getByRole("button", { name: "by power" }).click();
    await page.getByText("they are simulated").waitFor();
    const legend = page.getByRole("list", { name: /^Legend/ });
    await legend.getByRole("button", { name: / W/ }).first().waitFor();
    assert.equal(new URL(page.url()).searchParams.get("colour"), "power");
    await page.reload();
    await page.getByRole("button", { name: "by power", pressed: true }).waitFor();
    await page.getByRole("button", { name: "by temperature" }).click();
    await legend.getByRole("button", { name: /°C/ }).first().waitFor();
    await page.getByLabel("Find a node or rack").pressSequentially("h100-1");
    await page
      .getByRole("complementary", { name: "Node h100-1" })
      .getByText(/^\d+ °C$/)
      .first()
      .waitFor();
    await page.keyboard.press("Control+A");
    await page.keyboard.type("h100");
    await page.getByText(/^1 of \d$/).waitFor();
    await page.keyboard.press("Enter");
    await page.getByText(/^2 of \d$/).waitFor();
    await page.getByRole("complementary", { name: "Node h100-2" }).waitFor();
    await page.keyboard.type("-none");
    await page.getByText("no node or rack has this name").waitFor();
    assert.deepEqual(await seriousViolations(page), []);
    assert.deepEqual(watched.complaints, []);
    await watched.close();
  });

  it("says beside the pointer, and beside the keys, which job and account hold a GPU", async () => {
    const watched = await WatchedPage.open(browser, server.url);
    const { page } = watched;
    await watched.signInWithToken(server.ownerToken);
    await watched.go("/fleet");
    await page.locator(".legend").waitFor();
    const map = page.locator(".fleet-map");
    const card = page.locator(".map-card");
    await map.focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Shift+ArrowRight");
    await card.getByText(/^h100-\d, GPU 0$/).waitFor();
    await card.getByText(/^(lab|rivals)-train$/).waitFor();
    await card.getByText(/^(lab|rivals)$/).waitFor();
    // The card lies beside what it tells of.
    const at = await card.evaluate((each) => {
      const { width, height } = each.ownerDocument.querySelector(".fleet-map")!.getBoundingClientRect();
      const { left, right, top, bottom } = (each as HTMLElement).style;
      const place = (from: string, to: string, size: number) =>
        from === "" ? size - Number.parseFloat(to) + 14 : Number.parseFloat(from) - 14;
      return { x: place(left, right, width), y: place(top, bottom, height) };
    });
    const told = await card.textContent();
    await page.keyboard.press("Escape");
    await card.waitFor({ state: "detached" });
    const { x, y } = (await map.boundingBox())!;
    await page.mouse.move(x + at.x - 1, y + at.y);
    await page.mouse.move(x + at.x, y + at.y);
    await card.getByText(/-train$/).waitFor();
    assert.equal(await card.textContent(), told);
    await page.mouse.move(x - 40, y);
    await card.waitFor({ state: "detached" });
    assert.deepEqual(watched.complaints, []);
    await watched.close();
  });

  it("shows the waste of the fleet as parts that add up, by account and by job", async () => {
    const watched = await WatchedPage.open(browser, server.url);
    const { page } = watched;
    await watched.signInWithToken(server.ownerToken);
    await watched.go("/cost");
    await page.getByRole("link", { name: "Waste" }).click();
    await page.getByText("The parts add up exactly to the capacity").waitFor();
    const parts = page.getByRole("region", { name: "Where the capacity went" });
    await parts.getByRole("row", { name: /^not allocated/ }).waitFor();
    await parts.getByRole("row", { name: /^All .* 100 % / }).waitFor();
    await page
      .getByRole("region", { name: "Waste by account" })
      .getByRole("row", { name: /^rivals / })
      .waitFor();
    const inRow = page.getByRole("region", { name: "Waste by account" }).locator("td .waste-bar .part");
    assert.ok(((await inRow.first().boundingBox())?.height ?? 0) > 8, "the bar of a row is as high as it should be");
    await page.getByRole("button", { name: "1d" }).click();
    await page.getByRole("button", { name: "by job" }).click();
    await page.getByRole("region", { name: "Waste by job" }).getByRole("link", { name: "rivals-train" }).waitFor();
    assert.equal(new URL(page.url()).search, "?range=1d&by=job");
    assert.deepEqual(await seriousViolations(page), []);
    assert.deepEqual(watched.complaints, []);
    await watched.close();
  });

  it("shows a team its own part, and nothing of others", async () => {
    const { id } = await server.call("createUser", { body: { name: "ana", role: "member", account: "lab" } });
    await server.call("setPassword", { at: { user: id }, body: { password: "a long enough phrase" } });
    const watched = await WatchedPage.open(browser, server.url);
    const { page } = watched;
    await watched.signIn("ana", "a long enough phrase");
    await watched.go("/cost/waste");
    await page.getByText("Where your GPU time went").waitFor();
    await page.getByRole("region", { name: "Waste by account" }).getByRole("row", { name: /^lab / }).waitFor();
    await watched.go("/fleet?colour=activity");
    const legend = page.getByRole("list", { name: /^Legend/ });
    await legend.getByRole("button", { name: "other tenants 8" }).waitFor();
    await legend.getByRole("button", { name: "not leased 5" }).waitFor();
    assert.equal((await watched.everything()).includes("rivals"), false);
    assert.deepEqual(watched.complaints, []);
    await watched.close();
  });
});
