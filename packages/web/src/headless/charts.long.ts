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

  it("are on Queue, Quota and Fleet, without a complaint of the browser or of axe", async () => {
    for (const [path, titles] of [
      ["/queue", ["Waiting GPUs by reason over time", "Wait by team: nine of ten waited less (p90)"]],
      [
        "/quota?range=1d",
        ["Held against guarantee, all accounts", "Borrowed and lent, all accounts", "Held by account"],
      ],
      [
        "/fleet",
        ["Largest gang that fits over time", "Jobs sent back to the queue, by cause", "Jobs ended, by outcome"],
      ],
    ] as const) {
      await watched.go(path);
      for (const title of titles) assert.match(await shown(title), /\d/, title);
      assert.deepEqual(await seriousViolations(watched.page), [], path);
    }
    assert.deepEqual(watched.complaints, []);
  });
});
