import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { after, before, describe, it } from "node:test";
import type { Browser, Page } from "playwright-core";
import { seriousViolations } from "./axe.ts";
import { openChromium } from "./chromium.ts";
import { OwnServer } from "./server.ts";
import { focused } from "./typing.ts";
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
  const submit = (name: string, more: object = {}) =>
    server.call("submitJob", { body: { name, project: "lab", gpus: 1, run: "sleep 600", ...more } });
  const open = async (path: string) => {
    const watched = await WatchedPage.open(browser, server.url);
    await watched.signInWithToken(server.ownerToken);
    await watched.go(path);
    return watched;
  };
  /** The rows below the head. */
  const rowsOf = (page: Page) => page.getByRole("table", { name: "Jobs" }).getByRole("row");
  const jobs = async (text: string) => (await server.call("listJobs", { query: { text, state: "all" } })).items;
  const reaches = async (text: string, fits: (job: Awaited<ReturnType<typeof jobs>>[number]) => boolean) => {
    for (let i = 0; i < 100 && !(await jobs(text)).every(fits); i++) await new Promise((wake) => setTimeout(wake, 50));
    assert.ok((await jobs(text)).every(fits));
  };

  it("moves no row under a reader who touches nothing, and chooses through the rows that are shown", async () => {
    for (const name of ["a-1", "a-2", "a-4"]) await submit(name);
    const watched = await open("/jobs?text=a-&sort=name");
    const { page } = watched;
    await page.getByText("3 jobs").waitFor();
    await page.mouse.move(700, 20);
    const boxes = page.getByRole("checkbox", { name: /^Choose a-/ });
    const { y } = (await boxes.nth(2).boundingBox())!;
    await submit("a-3");
    await page.getByRole("button", { name: "1 new" }).waitFor();
    assert.equal((await boxes.nth(2).boundingBox())!.y, y, "no row has moved");
    await page.getByRole("checkbox", { name: "Choose a-1" }).click();
    await page.getByRole("checkbox", { name: "Choose a-4" }).click({ modifiers: ["Shift"] });
    await page.getByText("3 jobs chosen").waitFor();
    await page.getByRole("button", { name: "1 new" }).click();
    await page.getByRole("checkbox", { name: "Choose a-3" }).waitFor();
    assert.equal(await page.getByText("3 jobs chosen").count(), 1);
    await page.keyboard.type("gj");
    await page.waitForURL((url) => url.search === "", { timeout: 5_000 });
    for (const { id } of await jobs("a-")) await server.call("cancelJob", { at: { job: id }, body: {} });
    assert.deepEqual(watched.complaints, []);
    await watched.close();
  });

  it("goes on by keys from the row that was opened, once one is back", async () => {
    const watched = await open("/jobs?text=train&sort=name");
    const { page } = watched;
    await page.getByText("14 jobs").waitFor();
    const isAt = (name: string) => page.waitForFunction((text) => document.activeElement?.textContent === text, name);
    await page.keyboard.type("jjjjjjjjj");
    await isAt("train-08");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "train-08" }).waitFor();
    await page.goBack();
    await isAt("train-08");
    await page.keyboard.type("j");
    await isAt("train-09");
    assert.deepEqual(watched.complaints, []);
    await watched.close();
  });

  it("sorts, keeps its columns in the address, and cancels twelve jobs at once by the keyboard", async () => {
    const watched = await open("/jobs?text=train");
    const { page } = watched;
    await page.getByText("14 jobs").waitFor();
    await page.getByRole("button", { name: "Job", exact: true }).click();
    await page.waitForURL(/sort=name/);
    await rowsOf(page).nth(1).getByText("train-00").waitFor();
    assert.equal(await page.getByRole("columnheader", { name: /^Job/ }).getAttribute("aria-sort"), "ascending");
    assert.match(await page.evaluate(() => document.activeElement?.textContent ?? ""), /^Job/, "the focus stays");
    await page.getByRole("button", { name: "columns" }).click();
    await page.getByLabel("Priority").click();
    await page.keyboard.press("Escape");
    assert.equal(await page.evaluate(() => document.activeElement?.textContent), "columns", "the focus goes back");
    await page.waitForURL(/columns=/);
    assert.deepEqual(await seriousViolations(page), []);

    await page.keyboard.press("Tab");
    await page.getByRole("link", { name: "train-00" }).focus();
    await page.keyboard.type("jx");
    for (let i = 0; i < 11; i++) await page.keyboard.press("Shift+J");
    await page.getByText("12 jobs chosen").waitFor();
    await submit("train-newcomer");
    await page.getByText("15 jobs").waitFor();
    await rowsOf(page).nth(1).getByText("train-00").waitFor();
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
    assert.deepEqual(watched.complaints, []);
    await watched.close();
  });

  it("holds, releases and reprioritises waiting jobs at once, by the number that they have", async () => {
    for (let i = 1; i <= 6; i++) await submit(`c-${i}`, { not_before: "2100-01-01T00:00Z", priority: i === 6 ? 9 : 7 });
    const watched = await open("/jobs?text=c-&sort=name");
    const { page } = watched;
    await page.getByText("6 jobs", { exact: true }).waitFor();
    const act = async (name: string, many: number, prepare: () => Promise<unknown> = async () => {}) => {
      await page.getByRole("checkbox", { name: "Choose c-1" }).click();
      await page.getByRole("checkbox", { name: `Choose c-${many}` }).click({ modifiers: ["Shift"] });
      await page.getByRole("button", { name, exact: true }).click();
      await page.getByRole("dialog").waitFor();
      assert.equal(await focused(page), name === "Priority" ? "Priority" : "Cancel", `${name}: where keys go`);
      await prepare();
      await page
        .getByRole("dialog")
        .getByRole("button", { name: `${name} ${many} jobs` })
        .click();
      await page.getByText(`${name}: ${many} jobs.`).waitFor();
    };
    await act("Hold", 5);
    await reaches("c-", ({ name, held }) => held === (name !== "c-6"));
    await act("Release", 5);
    await reaches("c-", ({ held }) => !held);
    await act("Priority", 5, async () => {
      await page.getByText("Now 7", { exact: true }).waitFor();
      assert.equal(await page.getByLabel("Priority", { exact: true }).inputValue(), "7");
      await page.keyboard.press("ControlOrMeta+a");
      await page.keyboard.type("3");
      await page.getByText("5 jobs get priority 3 and keep their places").waitFor();
    });
    await reaches("c-", ({ name, priority }) => priority === (name === "c-6" ? 9 : 3));
    await page.getByRole("checkbox", { name: "Choose all rows that are shown" }).click();
    await page.getByRole("button", { name: "Priority", exact: true }).click();
    await page.getByText("Now from 3 to 9").waitFor();
    assert.ok(await page.getByRole("button", { name: "Priority 6 jobs" }).isDisabled(), "nothing is typed yet");
    await page.keyboard.press("Escape");
    for (const { id } of await jobs("c-")) await server.call("cancelJob", { at: { job: id }, body: {} });
    assert.deepEqual(watched.complaints, []);
    await watched.close();
  });

  it("goes back through filters, keeps views for each user and forgets them, and offers a way out of a refusal", async () => {
    const watched = await open("/jobs");
    const { page } = watched;
    await page.getByRole("button", { name: "waiting", exact: true }).click();
    await page.waitForURL(/state=waiting/);
    await page.getByLabel("Outcome").selectOption("cancelled");
    await page.waitForURL(/outcome=cancelled/);
    await page.getByLabel("Filter by name, account or user").click();
    await page.keyboard.type("train ");
    await page.waitForURL(/text=train/);
    await page.goBack();
    await page.waitForURL((url) => url.search === "?state=waiting");
    await page.goForward();
    await page.waitForURL(/outcome=cancelled&text=train$/);

    await page.getByRole("button", { name: "save this view" }).click();
    await page.keyboard.type("cancelled");
    await page.keyboard.press("Enter");
    await watched.go("/jobs");
    await page.getByRole("link", { name: "cancelled" }).click();
    await page.waitForURL(/outcome=cancelled/);
    await page.getByRole("button", { name: "forget this view" }).click();
    await page.getByRole("button", { name: "save this view" }).waitFor();
    assert.equal(await page.getByRole("link", { name: "cancelled" }).count(), 0);
    const [place] = await page.evaluate(() => Object.keys(localStorage).filter((key) => key.includes("views")));
    await page.evaluate((key) => localStorage.setItem(key, "{}"), place!);
    // Longer than the server takes: an address can be typed by hand.
    await watched.go(`/jobs?label=${"x".repeat(600)}`);
    await page.getByText("This list could not be read").waitFor();
    await page.getByRole("button", { name: "Reset filters" }).click();
    await page.getByRole("link", { name: "train-13" }).waitFor();
    assert.deepEqual(
      watched.complaints.filter((text) => !text.includes("422") && !text.includes("400")),
      [],
    );
    await watched.close();
  });
});
