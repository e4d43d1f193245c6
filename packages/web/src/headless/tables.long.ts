import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { after, before, describe, it } from "node:test";
import type { Browser, Page } from "playwright-core";
import { seriousViolations } from "./axe.ts";
import { openChromium } from "./chromium.ts";
import { OwnServer } from "./server.ts";
import { type Look, WatchedPage } from "./watched-page.ts";

const built = existsSync(new URL("../../bundle/index.html", import.meta.url));
const chromium = built ? await openChromium() : { missing: "the console is not built; npm test builds it" };
const missing = "missing" in chromium ? chromium.missing : undefined;
const browser = chromium as Browser;

/** More than a page of the list holds. */
const waiting = 130;

describe("tables that are read, left and come back to", { skip: missing }, () => {
  const server = new OwnServer("--simulated", "1x4:H100");
  let array = "";
  before(async () => {
    await server.start();
    await server.call("createAccount", { body: { path: "lab", guarantee: 4 } });
    for (let i = 0; i < waiting; i++) await submit(`wait-${String(i).padStart(3, "0")}`, later);
    array = (await submit("grid", { array: "1-60", run: "sleep 3600" })).id;
    for (let i = 0; i < 40; i++)
      await server.call("createUser", { body: { name: `user-${i}`, role: "member", account: "lab" } });
  });
  after(async () => {
    await browser.close();
    await server.end();
  });
  const later = { not_before: "2100-01-01T00:00Z" };
  const submit = (name: string, more: object = {}) =>
    server.call("submitJob", { body: { name, project: "lab", gpus: 1, run: "sleep 600", ...more } });
  const open = async (path: string, look: Look = {}) => {
    const watched = await WatchedPage.open(browser, server.url, look);
    await watched.signInWithToken(server.ownerToken);
    await watched.go(path);
    return watched;
  };
  const list = (page: Page, name: string) => page.getByRole("region", { name, exact: true });
  const topOf = (page: Page, name: string) => list(page, name).evaluate((box) => Math.round(box.scrollTop));
  const mainTop = (page: Page) => page.locator("#main").evaluate((main) => Math.round(main.scrollTop));
  const scroll = (page: Page, name: string, top: number) =>
    list(page, name).evaluate((box, to) => box.scrollTo(0, to), top);

  it("comes back to the place where the reader was, in a list and in the page", async () => {
    const watched = await open("/queue");
    const { page } = watched;
    await list(page, "Waiting jobs").getByText("wait-000").waitFor();
    await list(page, "Waiting jobs").scrollIntoViewIfNeeded();
    await scroll(page, "Waiting jobs", 1_200);
    const left = await mainTop(page);
    assert.ok(left > 0, "the list lies below the charts");
    await list(page, "Waiting jobs").getByRole("link", { name: "wait-035" }).click();
    await page.waitForURL(/job=/);
    await page.getByRole("link", { name: "Open the job" }).click();
    await page.getByRole("heading", { name: "wait-035" }).waitFor();
    assert.equal(await mainTop(page), 0, "another page begins at its top");
    await page.goBack();
    await page.waitForURL(/queue.*job=/);
    await page.waitForFunction(() => document.querySelector('[aria-label="Waiting jobs"]')!.scrollTop > 1_000);
    assert.equal(await topOf(page, "Waiting jobs"), 1_200);
    await page.goBack();
    await page.waitForURL((url) => url.pathname === "/queue" && url.search === "");
    assert.equal(await topOf(page, "Waiting jobs"), 1_200, "and when the choice is taken back");
    assert.equal(await mainTop(page), left);
    await page.getByRole("button", { name: "columns" }).click();
    await page.getByLabel("Show the column Priority").click();
    await page.waitForURL(/columns=/);
    await page.keyboard.press("Escape");
    assert.equal(await topOf(page, "Waiting jobs"), 1_200, "and with other columns");
    assert.deepEqual(watched.complaints, []);
    await watched.close();
  });

  it("begins at the top where something else is shown, and goes back to the place before", async () => {
    const watched = await open("/jobs");
    const { page } = watched;
    await page.getByText("131 jobs").waitFor();
    await scroll(page, "Jobs", 2_000);
    await page.getByRole("button", { name: "waiting", exact: true }).click();
    await page.getByText("130 jobs").waitFor();
    await page.waitForFunction(() => document.querySelector('.long [aria-label="Jobs"]')!.scrollTop === 0);
    await page.goBack();
    await page.waitForFunction(() => document.querySelector('.long [aria-label="Jobs"]')!.scrollTop === 2_000);
    await page.keyboard.type("gp");
    await list(page, "People").getByText("user-1", { exact: true }).waitFor();
    await scroll(page, "People", 700);
    await list(page, "People").getByRole("link", { name: "user-30" }).click();
    await page.waitForURL(/people\/usr_/);
    await page.getByText("Tokens and sessions").waitFor();
    assert.equal(await topOf(page, "People"), 700);
    await page.keyboard.type("gj");
    await page.getByText("131 jobs").waitFor();
    assert.equal(await topOf(page, "Jobs"), 0, "a page that was not gone back to");
    await page.goBack();
    await page.waitForFunction(() => document.querySelector('.long [aria-label="People"]')?.scrollTop === 700);
    assert.deepEqual(watched.complaints, []);
    await watched.close();
  });

  it("counts on while one looks, tells its keys, and moves on where a row has left", async () => {
    const watched = await open("/jobs?text=wait-00&columns=Job~Waited&sort=name&state=waiting");
    const { page } = watched;
    const cell = page
      .getByRole("row", { name: /wait-000/ })
      .getByRole("cell")
      .last();
    const before = await cell.innerText();
    await page.waitForFunction(
      ([text]) =>
        [...document.querySelectorAll("td.number")].some(
          (td) => td.textContent !== text && td.closest("tr")!.textContent!.includes("wait-000"),
        ),
      [before],
    );
    await page.keyboard.type("jjj");
    assert.equal(await page.evaluate(() => document.activeElement?.textContent), "wait-002");
    await page.keyboard.press("x");
    await page.getByText("1 job chosen").waitFor();
    await page.keyboard.type("?");
    await page.getByText("the next row of a list, the row before").waitFor();
    await page.keyboard.press("Escape");
    await page.getByText("the next row of a list, the row before").waitFor({ state: "detached" });
    assert.equal(await page.getByText("1 job chosen").count(), 1, "what is open closes first");
    await page.keyboard.press("Escape");
    await page.getByText("1 job chosen").waitFor({ state: "detached" });
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "wait-002" }).waitFor();
    assert.deepEqual(watched.complaints, []);
    await watched.close();
  });

  it("chooses all that match, beyond the rows that were read", async () => {
    const watched = await open("/jobs?state=waiting&sort=name");
    const { page } = watched;
    await page.getByText("130 jobs").waitFor();
    await page.getByRole("checkbox", { name: "Choose wait-000" }).click();
    await page.getByRole("button", { name: "Choose all 130" }).click();
    await page.getByText("130 jobs chosen").waitFor();
    await page.getByRole("button", { name: "Hold", exact: true }).click();
    await page.getByText("130 jobs will not start until released.").waitFor();
    await page.keyboard.press("Escape");
    const last = page.getByRole("row", { name: /wait-129/ });
    for (let tries = 0; tries < 20 && !(await last.isVisible()); tries++) {
      await scroll(page, "Jobs", 9_000);
      await page.waitForTimeout(100);
    }
    assert.ok(await page.getByRole("checkbox", { name: "Choose wait-129" }).isChecked());
    assert.deepEqual(watched.complaints, []);
    await watched.close();
  });

  it("shows on a phone the columns that were chosen, else two lines, and all of it as a table", async () => {
    const watched = await open("/jobs?columns=GPUs~Priority", { width: 390, height: 844 });
    const { page } = watched;
    const row = page.getByRole("row", { name: /1 GPU/ }).first();
    await row.waitFor();
    assert.match(await row.innerText(), /1 GPU each\s+0/);
    await watched.go("/jobs");
    await page.getByRole("cell", { name: "lab" }).first().waitFor();
    const [name, account] = await Promise.all([
      page.getByRole("link", { name: "wait-129" }).boundingBox(),
      page
        .getByRole("row", { name: /wait-129/ })
        .getByRole("cell", { name: "lab" })
        .boundingBox(),
    ]);
    assert.ok(account!.y > name!.y + 10, "the account is in the second line");
    await page.setViewportSize({ width: 1280, height: 800 });
    const wide = await page
      .getByRole("row", { name: /wait-129/ })
      .getByRole("cell", { name: "lab" })
      .boundingBox();
    const nameWide = await page.getByRole("link", { name: "wait-129" }).boundingBox();
    assert.ok(Math.abs(wide!.y - nameWide!.y) < 10, "a window that becomes wide has one line");
    assert.equal(await page.getByRole("table", { name: "Jobs" }).getAttribute("aria-rowcount"), "132");
    assert.deepEqual(await seriousViolations(page), []);
    await watched.go(`/jobs/${array}`);
    await page.getByRole("button", { name: "State", exact: true }).click();
    await page.waitForURL(/elements.sort=state/);
    assert.deepEqual(watched.complaints, []);
    await watched.close();
  });

  it("fades a row that leaves the list, and does nothing to a chosen job that did", async () => {
    const stays = await submit("b-stays", { priority: -1 });
    const leaves = await submit("b-leaves", { priority: -1 });
    const watched = await open("/jobs?state=waiting&text=b-&sort=name");
    const { page } = watched;
    await page.getByText("2 jobs", { exact: true }).waitFor();
    const last = page.getByRole("checkbox", { name: "Choose b-stays" });
    const { y } = (await last.boundingBox())!;
    await page.getByRole("checkbox", { name: "Choose all rows that are shown" }).click();
    await server.call("cancelJob", { at: { job: leaves.id }, body: {} });
    await page.getByRole("button", { name: "1 gone" }).waitFor();
    assert.equal((await last.boundingBox())!.y, y);
    await page.getByText("1 more left the list").waitFor();
    await page.getByRole("button", { name: "Hold", exact: true }).click();
    const asked = page.getByRole("dialog");
    await asked
      .getByText("1 job will not start until released. 1 job left the list since it was chosen and is not touched.")
      .waitFor();
    await asked.getByRole("button", { name: "Hold 1 job" }).click();
    await page.getByText("Hold: 1 job.").waitFor();
    assert.equal((await server.call("getJob", { at: { job: stays.id } })).held, true);
    assert.deepEqual(watched.complaints, []);
    await watched.close();
  });

  it("holds of an array under way the elements that wait, and says so first", async () => {
    const watched = await open("/jobs?text=grid");
    const { page } = watched;
    const { elements } = await server.call("getJob", { at: { job: array } });
    assert.ok(elements!.active > 1 && elements!.waiting > 1, "some run and some wait");
    await page.getByRole("checkbox", { name: "Choose grid" }).click();
    await page.getByRole("button", { name: "Hold", exact: true }).click();
    await page
      .getByText(
        `${elements!.waiting} elements of arrays will not start until released. ${elements!.active} running elements stay as they are.`,
      )
      .waitFor();
    await page.getByRole("button", { name: "Hold 1 job" }).click();
    await page.getByText("Hold: 1 job.").waitFor();
    const { items } = await server.call("listJobs", { query: { array, state: "live", limit: 100 } });
    assert.ok(items.every(({ state, held }) => held === (state === "waiting")));
    assert.deepEqual(watched.complaints, []);
    await watched.close();
  });

  it("opens by the keyboard what a line of a report is about", async () => {
    const watched = await open("/cost?by=job");
    const { page } = watched;
    await page.getByRole("table", { name: "By job" }).getByRole("link", { name: "grid" }).first().waitFor();
    await page.keyboard.type("j");
    assert.match(await page.evaluate(() => document.activeElement?.textContent ?? ""), /^grid/);
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/jobs\/job_/);
    assert.deepEqual(watched.complaints, []);
    await watched.close();
  });
});
