import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import type { Browser } from "playwright-core";
import { seriousViolations } from "./axe.ts";
import { rolledUp } from "./busy-day.ts";
import { openChromium } from "./chromium.ts";
import { OwnServer } from "./server.ts";
import { WatchedPage } from "./watched-page.ts";

const simulator = fileURLToPath(new URL("../../../sim/dist/main.js", import.meta.url));
const browser = await openChromium();

describe("charts of a simulated day", { skip: "missing" in browser ? browser.missing : false }, () => {
  const server = new OwnServer();
  let watched: WatchedPage;
  before(async () => {
    const args = [simulator, "day", "--data", server.data, "--gpus", "64", "--seed", "3"];
    execFileSync(process.execPath, args, { stdio: "ignore" });
    await server.start();
    await rolledUp(server);
    watched = await WatchedPage.open(browser as Browser, server.url);
    await watched.signInWithToken(server.ownerToken);
  });
  after(async () => {
    if (!("missing" in browser)) await browser.close();
    await server.end();
  });

  const chart = (title: string) => watched.page.locator("section.card", { has: watched.page.getByText(title) });
  const shown = async (title: string) => {
    await chart(title).locator("canvas").waitFor();
    return chart(title).locator(".chart-legend").innerText();
  };

  it("show the fleet on Home, with all values at the instant under the cursor", async () => {
    await watched.go("/");
    const newest = await shown("The fleet over time");
    for (const word of ["guaranteed", "burst", "idle", "together"])
      assert.match(newest, new RegExp(`${word} [\\d,.]+ GPUs`));
    const plot = chart("The fleet over time").locator(".plot");
    await plot.focus();
    await watched.page.keyboard.press("Home");
    await watched.page.keyboard.press("ArrowRight");
    const legend = chart("The fleet over time").locator(".chart-legend");
    for (let tries = 0; tries < 50 && (await legend.innerText()) === newest; tries++)
      await watched.page.waitForTimeout(50);
    assert.notEqual(await legend.innerText(), newest, "arrow keys move through the values");
    const told = chart("The fleet over time").locator("[aria-live=polite]");
    assert.match(await told.innerText(), /: guaranteed [\d,.]+ GPUs, burst/, "and a screen reader hears them");
    await watched.page.keyboard.press("Shift+PageDown");
    assert.match(await told.innerText(), /is chosen; Enter zooms/);
    await watched.page.keyboard.press("Escape");
    assert.equal(await told.innerText(), "");
    await watched.page.keyboard.press("Shift+PageDown");
    await watched.page.keyboard.press("Enter");
    await watched.page.waitForURL(/range=\d{4}-.*(~|%7E)/);
    await watched.page.goBack();
    await watched.page.locator(".sparkline path").nth(3).waitFor();
    assert.deepEqual(await seriousViolations(watched.page), []);
  });

  it("have one range for the page, which dragging narrows and the address keeps", async () => {
    await watched.page.getByRole("button", { name: "7d" }).click();
    await watched.page.waitForURL(/range=7d/);
    await watched.page.getByRole("button", { name: "1d", exact: true }).click();
    await shown("The fleet over time");
    const box = (await chart("The fleet over time").locator(".u-over").boundingBox())!;
    await watched.page.mouse.move(box.x + box.width * 0.4, box.y + 40);
    await watched.page.mouse.down();
    await watched.page.mouse.move(box.x + box.width * 0.6, box.y + 50, { steps: 5 });
    await watched.page.mouse.up();
    await watched.page.waitForURL(/range=\d{4}-.*(~|%7E)/);
    const address = watched.page.url();
    await watched.page.reload();
    await shown("The fleet over time");
    assert.equal(watched.page.url(), address);
    await watched.page.getByRole("button", { name: "Later" }).click();
    await watched.page.waitForFunction((before) => location.href !== before, address);
    await watched.page.goBack();
    await watched.page.waitForURL(address);
    await watched.page.goBack();
    await watched.page.waitForFunction(() => !location.search.includes("range="), undefined, { polling: 50 });
  });

  it("have a range that is typed, which goes along with the moment to the next page and back", async () => {
    const { page } = watched;
    const at = new Date(Date.now() - 3 * 3_600_000).toISOString();
    const moment = new URLSearchParams({ at }).toString();
    await watched.go(`/fleet?${moment}`);
    await page.getByRole("button", { name: "custom" }).click();
    const typeFrom = async (day: Date) => {
      await page.getByLabel(/^To/).focus();
      await page.getByLabel(/^From/).focus();
      const [year, month, date] = day.toISOString().slice(0, 10).split("-");
      await page.keyboard.type(`${month}${date}${year}`);
      await page.keyboard.press("Tab");
      await page.keyboard.type("0100AM");
      await page.keyboard.press("Enter");
    };
    await typeFrom(new Date(Date.UTC(2020, 5, 15)));
    await page.getByText("Only 400 days are kept").waitFor();
    await typeFrom(new Date(Date.now() - 3 * 86_400_000));
    await page.waitForURL(/range=\d{4}-/);
    const range = new URL(page.url()).searchParams.get("range");
    await page.locator(".map-box canvas").click({ position: { x: 2, y: 2 } });
    await page.keyboard.press("g");
    await page.keyboard.press("u");
    await page.waitForURL(/\/queue\?/);
    const shown = new URL(page.url()).searchParams;
    assert.deepEqual([shown.get("at"), shown.get("range")], [at, range]);
    const { name } = (await server.call("readMoment", { query: { at } })).nodes[0]!;
    await watched.go(`/fleet?${moment}&node=${encodeURIComponent(name)}`);
    await page.getByRole("link", { name: "Open the node" }).click();
    await page.getByText(/^This is the node now, not at /).waitFor();
    await page.getByRole("link", { name: /^Back to / }).click();
    await page.waitForURL((url) => url.pathname === "/fleet" && url.searchParams.get("at") === at);
  });

  it("go on at the right edge: a range that was dragged up to now is asked for again", async () => {
    const { page } = watched;
    await watched.go("/?range=1h");
    await shown("The fleet over time");
    const box = (await chart("The fleet over time").locator(".u-over").boundingBox())!;
    await page.mouse.move(box.x + box.width * 0.5, box.y + 40);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width - 1, box.y + 50, { steps: 5 });
    await page.mouse.up();
    await page.waitForURL(/range=\d{4}-/);
    const asks = () => page.waitForRequest((request) => /\/v1\/series\?.*to=\d{4}/.test(request.url()));
    await asks();
    await watched.answered();
    await asks();
  });

  it("compare with the period before, and are a table and a file too", async () => {
    await watched.go("/?range=6h");
    await shown("The fleet over time");
    await watched.page.getByLabel("period before").check();
    await watched.page.getByText("all, period before").first().waitFor();
    assert.match(watched.page.url(), /compare=before/);
    await watched.page.getByRole("button", { name: "The fleet over time: table" }).click();
    assert.ok((await chart("The fleet over time").locator("tbody tr").count()) > 10);
    const download = watched.page.waitForEvent("download");
    await watched.page.getByRole("button", { name: "The fleet over time: CSV" }).click();
    const file = await download;
    assert.equal(file.suggestedFilename(), "the-fleet-over-time.csv");
    assert.match(readFileSync(await file.path(), "utf8"), /^from,guaranteed \(GPUs\)/);
  });

  it("mark the moment that the page looks back to, and a chosen job says what it did then", async () => {
    const { page } = watched;
    const momentAgo = async (hours: number) => {
      const at = new Date(Date.now() - hours * 3_600_000).toISOString();
      const { jobs } = await server.call("readMoment", { query: { at } });
      const of = (state: string) => jobs.find((job) => job.state === state);
      return { at, ran: of("running"), waited: of("waiting") };
    };
    let moment = await momentAgo(1);
    for (let hours = 2; hours < 20 && (moment.waited === undefined || moment.ran === undefined); hours++)
      moment = await momentAgo(hours);
    const { at, ran, waited } = moment;
    await watched.go(`/queue?at=${at}&job=${ran!.id}`);
    assert.match(await shown("Waiting GPUs by reason over time"), /vertical line: the moment above/);
    await page.getByText("It did not wait: it held GPUs.").waitFor();
    await watched.go(`/queue?at=${at}&job=${waited!.id}&reason=${waited!.reason!.kind}`);
    await page.locator(".chosen").getByText(waited!.reason!.detail).waitFor();
    await page.getByRole("button", { name: "+10 min" }).click();
    await page.waitForFunction((before) => !location.search.includes(encodeURIComponent(before)), at);
    await page.goBack();
    await page.waitForFunction((before) => new URLSearchParams(location.search).get("at") === before, at);
  });

  it("draw the elements of an array by outcome; the legend counts them and narrows picture and list", async () => {
    const { page } = watched;
    const { items } = await server.call("listAccounts");
    const project = items.find(({ path }) => path.includes("/"))!.path;
    const body = { name: "grid", project, gpus: "H100:1", array: "0-5", max_time: "1h", run: "true" };
    const { id } = await server.call("submitJob", { body });
    await server.call("cancelJob", { at: { job: `${id}.5` } });
    await watched.go(`/jobs/${id}`);
    const chip = page.getByRole("button", { name: /^cancelled 1$/ });
    await chip.click();
    await page.waitForURL(/only=cancelled/);
    assert.equal(await page.getByRole("region", { name: "Elements: cancelled" }).getByRole("link").count(), 1);
    assert.equal(await page.locator(".squares a:not(.faint)").count(), 1);
    await page.goBack();
    await page.waitForFunction(() => !location.search.includes("only="));
    await page.getByRole("button", { name: "Elements: table" }).click();
    await page
      .getByRole("region", { name: "Elements by outcome" })
      .getByRole("row", { name: /^cancelled 1 / })
      .waitFor();
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Elements: CSV" }).click();
    assert.equal((await download).suggestedFilename(), "grid-elements.csv");
    assert.deepEqual(await seriousViolations(page), []);
  });

  it("are on Queue, Quota and Fleet, without a complaint of the browser or of axe", async () => {
    for (const [path, titles] of [
      ["/queue", ["Waiting GPUs by reason over time", "Wait by team: nine of ten waited less (p90)"]],
      ["/quota?range=1d", ["Held against guarantee, all accounts", "Burst and lent, all accounts", "Held by account"]],
      [
        "/fleet",
        [
          "Largest gang in one node over time",
          "Largest gang anywhere over time",
          "Jobs sent back to the queue, by cause",
          "Jobs ended, by outcome",
        ],
      ],
    ] as const) {
      await watched.go(path);
      for (const title of titles) assert.match(await shown(title), /\d/, title);
      assert.deepEqual(await seriousViolations(watched.page), [], path);
    }
    assert.deepEqual(watched.complaints, []);
  });
});
