import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { after, before, describe, it } from "node:test";
import type { Browser } from "playwright-core";
import { seriousViolations } from "./axe.ts";
import { openChromium } from "./chromium.ts";
import { OwnServer } from "./server.ts";
import { typeInto } from "./typing.ts";
import { WatchedPage } from "./watched-page.ts";

const built = existsSync(new URL("../../bundle/index.html", import.meta.url));
const chromium = built ? await openChromium() : { missing: "the console is not built; npm test builds it" };
const missing = "missing" in chromium ? chromium.missing : undefined;
const browser = chromium as Browser;

describe("the console of a fleet with two engines", { skip: missing }, () => {
  const server = new OwnServer("--simulated", "1x4:H100");

  before(async () => {
    await server.start();
    await server.call("createEngine", { body: { name: "east", kind: "simulated", settings: { fleet: "2x8:A100" } } });
    await server.call("createAccount", { body: { path: "lab" } });
    await server.call("createPool", {
      body: { name: "gold", labels: { engine: "east" }, tenants: ["lab"], price: "1.5", mode: "timeslice", ratio: 4 },
    });
  });
  after(async () => {
    await browser.close();
    await server.end();
  });

  it("shows engines and pools, cordons one with a reason, and finds its nodes by their full name", async () => {
    const watched = await WatchedPage.open(browser, server.url);
    const { page } = watched;
    await watched.signInWithToken(server.ownerToken);
    await watched.go("/fleet/engines");
    const east = page.locator(".card").filter({ has: page.getByRole("heading", { name: "east" }) });
    await east.getByText("0 of 16 GPUs held").waitFor();
    await east.getByRole("button", { name: "Cordon" }).click();
    await typeInto(page.getByLabel("Reason"), "cluster upgrade");
    await page.getByRole("button", { name: "Cordon it" }).click();
    await east.getByText("Takes nothing new: cluster upgrade").waitFor();
    assert.deepEqual(await seriousViolations(page), []);

    await east.getByRole("link", { name: "2 nodes" }).click();
    await page.getByRole("heading", { name: "2 nodes" }).waitFor();
    await page.getByText("engine east is cordoned: cluster upgrade").first().waitFor();
    await page.getByRole("link", { name: "east/a100-1" }).click();
    await page.getByRole("heading", { name: "east/a100-1" }).waitFor();
    await page.getByText("time slices: 0 of 32 given out").waitFor();
    assert.equal(new URL(page.url()).pathname, "/nodes/east/a100-1");
    await page.getByRole("link", { name: "gold" }).click();
    await page
      .getByRole("row", { name: /^gold engine=east lab time slices, 4 × 1\.5 × 2 16 Change gold Delete gold$/ })
      .waitFor();
    assert.deepEqual(await seriousViolations(page), []);

    await page.getByRole("link", { name: "Engines" }).click();
    await east.getByRole("button", { name: "Take work again" }).click();
    await page.getByText("east takes work again.").waitFor();
    assert.deepEqual(watched.complaints, []);
    await watched.close();
  });

  it("says on the page of a job on which engine it runs, and lets a new one choose", async () => {
    const watched = await WatchedPage.open(browser, server.url);
    const { page } = watched;
    await watched.signInWithToken(server.ownerToken);
    await watched.go("/new");
    await page.getByLabel("Account").selectOption("lab");
    await page.getByLabel("Engine").selectOption("east");
    await page.getByText("It would start now").waitFor();
    await page.getByRole("button", { name: "Submit" }).click();
    await page.getByText(/ on east\/a100-[12] /).waitFor();
    assert.deepEqual(watched.complaints, []);
    await watched.close();
  });
});
