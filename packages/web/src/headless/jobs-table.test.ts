import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { after, before, describe, it } from "node:test";
import type { Browser } from "playwright-core";
import { openChromium } from "./chromium.ts";
import { OwnServer } from "./server.ts";
import { WatchedPage } from "./watched-page.ts";

const built = existsSync(new URL("../../bundle/index.html", import.meta.url));
const chromium = built ? await openChromium() : { missing: "the console is not built; npm test builds it" };
const missing = "missing" in chromium ? chromium.missing : undefined;
const browser = chromium as Browser;

describe("the table of jobs in a real browser", { skip: missing }, () => {
  const server = new OwnServer("--simulated", "1x4:H100");
  before(async () => {
    await server.start();
    await server.call("createAccount", { body: { path: "lab", guarantee: 4 } });
    for (let i = 0; i < 14; i++) await submit(`train-${String(i).padStart(2, "0")}`);
  });
  after(async () => {
    await browser.close();
    await server.end();
  });
  const submit = (name: string) =>
    server.call("submitJob", { body: { name, project: "lab", gpus: 1, run: "sleep 600" } as never });

  it("chooses through the rows that are shown, not through those that came meanwhile", async () => {
    for (const name of ["a-1", "a-2", "a-4"]) await submit(name);
    const watched = await WatchedPage.open(browser, server.url);
    const { page } = watched;
    await watched.signInWithToken(server.ownerToken);
    await watched.go("/jobs?text=a-&sort=name");
    await page.getByText("3 jobs").waitFor();
    const boxes = page.getByRole("checkbox", { name: /^Choose/ });
    await boxes.nth(0).click();
    await submit("a-3");
    await page.getByRole("button", { name: "1 new row" }).waitFor();
    const { y } = (await boxes.nth(2).boundingBox())!;
    await boxes.nth(2).click({ modifiers: ["Shift"] });
    await page.getByText("3 jobs chosen").waitFor();
    assert.equal((await boxes.nth(2).boundingBox())!.y, y, "no row has moved");
    await page.keyboard.type("gj");
    await page.waitForURL((url) => url.search === "", { timeout: 5_000 });
    for (const { id } of (await server.call("listJobs", { query: { text: "a-" } })).items)
      await server.call("cancelJob", { at: { job: id }, body: {} });
    assert.deepEqual(watched.complaints, []);
    await watched.close();
  });

  it("sorts, keeps its columns in the address, and cancels twelve jobs at once by the keyboard", async () => {
    const watched = await WatchedPage.open(browser, server.url);
    const { page } = watched;
    await watched.signInWithToken(server.ownerToken);
    await watched.go("/jobs");
    const table = page.getByRole("region", { name: "Jobs", exact: true });
    await page.getByText("18 jobs").waitFor();
    await page.getByRole("button", { name: "Job", exact: true }).click();
    await page.waitForURL(/sort=name/);
    await table.getByRole("listitem").first().getByText("a-1").waitFor();
    await page.getByRole("button", { name: "columns" }).click();
    await page.getByLabel("Priority").click();
    await page.keyboard.press("Escape");
    await page.waitForURL(/columns=/);

    await table.focus();
    await page.keyboard.type("jjjjjj");
    await page.keyboard.type("x");
    for (let i = 0; i < 11; i++) await page.keyboard.press("Shift+J");
    await page.getByText("12 jobs chosen").waitFor();
    await submit("newcomer");
    await page.getByText("19 jobs").waitFor();
    await table.getByRole("listitem").first().getByText("a-1").waitFor();
    await page.getByRole("button", { name: "Cancel", exact: true }).click();
    const asked = page.getByRole("dialog");
    await asked.getByText(/12 jobs are cancelled for good/).waitFor();
    await asked.getByRole("button", { name: "Cancel" }).last().click();
    await page.getByText("Cancel: 12 jobs.").waitFor();
    // Those that ran are told to stop first.
    let cancelled = 0;
    for (let i = 0; i < 100 && cancelled < 12; i++) {
      cancelled = (await server.call("listJobs", { query: { state: "cancelled", text: "train-" } })).items.length;
      await page.waitForTimeout(100);
    }
    assert.equal(cancelled, 12);

    await page.getByRole("button", { name: "save this view" }).click();
    await page.keyboard.type("by name");
    await page.keyboard.press("Enter");
    await watched.go("/jobs");
    await page.getByRole("link", { name: "by name" }).click();
    await page.waitForURL(/sort=name/);
    assert.deepEqual(watched.complaints, []);
    await watched.close();
  });
});
