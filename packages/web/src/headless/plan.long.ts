import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, it } from "node:test";
import type { Browser } from "playwright-core";
import { seriousViolations } from "./axe.ts";
import { openChromium } from "./chromium.ts";
import { OwnServer } from "./server.ts";
import { WatchedPage } from "./watched-page.ts";

const browser = await openChromium();
const hour = 3_600_000;

describe("what is planned, and the time of a job", { skip: "missing" in browser ? browser.missing : false }, () => {
  const server = new OwnServer("--simulated", "4x8:H100");
  let watched: WatchedPage;
  let wide: string;
  let long: string;
  let userToken: string;
  before(async () => {
    await server.start();
    await server.call("addPrices", {
      body: {
        ...{ id: "list", currency: "EUR", from: new Date().toISOString() },
        gpus: [{ model: "H100", reservedMicros: 2_400_000, burstMicros: 1_400_000 }],
      },
    });
    await server.call("createAccount", { body: { path: "lab" } });
    await server.call("createAccount", { body: { path: "mill" } });
    const ada = await server.call("createUser", { body: { name: "ada", role: "member", account: "lab" } });
    userToken = (await server.call("createToken", { body: { user: ada.id, label: "laptop" } })).token;
    const submit = (project: string, name: string, nodes: number, hours: number) =>
      server.call("submitJob", {
        body: { project, name, gpus: "H100:8", nodes, max_time: `${hours}h`, run: `sleep ${hours}h` },
      });
    ({ id: long } = await submit("mill", "long-run", 2, 9));
    await submit("lab", "short-run", 2, 3);
    ({ id: wide } = await submit("lab", "wide-one", 4, 2));
    for (let look = 0; look < 60; look++) {
      const { blocks } = await server.call("readPlan", {});
      if (blocks.some(({ kind, job }) => kind === "planned" && job === wide)) break;
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
    watched = await WatchedPage.open(browser as Browser, server.url);
    await watched.signInWithToken(server.ownerToken);
  });
  after(async () => {
    if (!("missing" in browser)) await browser.close();
    await server.end();
  });

  it("is drawn on Queue: ends, planned starts, and where a chip of a lane is planned", async () => {
    const { page } = watched;
    await watched.go("/queue");
    const box = page.locator(".plan-box");
    await box.locator(".planned", { hasText: "wide-one" }).waitFor();
    assert.equal(await box.locator("a:not(.planned)").count(), 2);
    const words = page.locator(".plan-words");
    assert.match(await words.innerText(), /32 of 32 GPUs are held. 1 start is planned/);
    await page.getByRole("link", { name: "wide-one, 32 GPUs" }).hover();
    await box.locator(".planned.lit").waitFor({ timeout: 10_000 });
    assert.match(await words.innerText(), /wide-one of lab: 32 GPUs, planned to start/);
    await box.focus();
    await page.keyboard.press("Home");
    assert.match(await words.innerText(), /long-run of mill: 16 GPUs, ends about .*\(its max_time\)/);
    await page.keyboard.press("End");
    assert.match(await words.innerText(), /wide-one of lab: 32 GPUs, planned to start/);
    assert.deepEqual(await seriousViolations(page), []);
    await page.keyboard.press("Enter");
    await page.waitForURL(new RegExp(`/jobs/${wide}`));
  });

  it("is a table and a file too, for the time that the address keeps", async () => {
    const { page } = watched;
    await watched.go("/queue");
    await page.getByRole("button", { name: "next 6h" }).click();
    await page.waitForURL(/ahead=6h/);
    await page.getByRole("button", { name: "Plan: table" }).click();
    const rows = page.getByRole("region", { name: "Plan", exact: true }).locator("tbody tr");
    await rows.first().waitFor();
    assert.equal(await rows.count(), 2, "the planned start lies beyond six hours");
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Plan: CSV" }).click();
    assert.match(
      readFileSync(await (await download).path(), "utf8"),
      /^what,name,account,gpus,from,until\r?\nrunning,/,
    );
  });

  it("goes on to the right of now on Queue and Fleet, and says that it is planned", async () => {
    const { page } = watched;
    await watched.go("/queue");
    await page.getByRole("button", { name: "Look ahead" }).click();
    await page.getByText("planned, as of now").waitFor();
    assert.match(page.url(), /at=/);
    const at = encodeURIComponent(new Date(Date.now() + 10 * hour).toISOString());
    await watched.go(`/queue?at=${at}`);
    await page.getByText("Planned to start until then").waitFor();
    await page.locator("section", { hasText: "Planned to start until then" }).getByText("wide-one").first().waitFor();
    await page.locator("section", { hasText: "Expected to end until then" }).getByText("long-run").first().waitFor();
    await page.getByText("Nothing will be waiting").waitFor();
    assert.deepEqual(await seriousViolations(page), []);
    await watched.go(`/fleet?at=${at}`);
    await page.getByText("planned, as of now").waitFor();
    await page.getByText("100 % held, 0 GPUs idle").waitFor();
    const between = encodeURIComponent(new Date(Date.now() + 4 * hour).toISOString());
    await watched.go(`/fleet?at=${between}`);
    await page.getByText("50 % held, 16 GPUs idle").waitFor();
    await page.getByRole("button", { name: "Now", exact: true }).click();
    await page.getByText("100 % held, 0 GPUs idle").waitFor();
    assert.doesNotMatch(page.url(), /at=/);
  });

  it("shows a member other tenants' GPUs without a name", async () => {
    const member = await WatchedPage.open(browser as Browser, server.url);
    await member.signInWithToken(userToken);
    await member.go("/queue");
    await member.page.locator(".plan-box .planned", { hasText: "wide-one" }).waitFor();
    assert.equal(await member.page.locator(".plan-box .others").count(), 1);
    assert.doesNotMatch(await member.page.locator(".plan").innerText(), /long-run|mill/);
    assert.deepEqual(member.complaints, []);
  });

  it("has phases, ranks, measures and cost of a job on one axis, read by pointer and keyboard", async () => {
    const { page } = watched;
    await watched.go(`/jobs/${long}/activity`);
    const strip = page.locator(".heat");
    await strip.waitFor({ timeout: 60_000 });
    await strip.focus();
    await page.keyboard.press("Home");
    await page.keyboard.press("ArrowDown");
    const words = page.locator(".heat-words");
    assert.match(await words.innerText(), /^rank 1, /);
    await strip.hover({ position: { x: 30, y: 4 } });
    assert.match(await words.innerText(), /^rank 0, /);
    await page.getByRole("button", { name: "power", exact: true }).click();
    await page.getByRole("button", { name: "Ranks over time: table" }).click();
    const table = page.getByRole("region", { name: "Values by rank" });
    await table.getByText("rank 1").waitFor();
    assert.match(await table.innerText(), /\d W/);
    await page.getByText("Cost so far", { exact: true }).waitFor();
    assert.match(await page.locator(".figure, .card", { hasText: "Expected at its end" }).first().innerText(), /EUR/);
    const plot = page.locator("section.card", { hasText: "Cost so far, over time" }).locator(".u-over");
    await plot.waitFor({ timeout: 60_000 });
    const [bar, drawn] = [await page.locator(".phases.at").boundingBox(), await plot.boundingBox()];
    for (const side of ["x", "width"] as const)
      assert.ok(Math.abs(bar![side] - drawn![side]) <= 2, `${side}: ${bar![side]} and ${drawn![side]}`);
    assert.deepEqual(await seriousViolations(page), []);
    assert.deepEqual(watched.complaints, []);
  });

  it("has money by day stacked by the group that is chosen, with its periods named", async () => {
    const { page } = watched;
    await watched.go("/cost/money?by=account");
    await page.getByText("Spent in 30 days").waitFor();
    await page.getByText(/, at its end$/).waitFor();
    const chart = page.locator("section.card", { hasText: "Money per day, by account" });
    await chart.locator("canvas").waitFor();
    assert.match(await chart.locator(".chart-legend").innerText(), /(lab|mill) [\d.,]+ EUR/);
    await page.getByText("too few for a band").first().waitFor();
    await page.getByRole("button", { name: "by class" }).click();
    await page.getByText("Money per day, by class").waitFor();
    await page.getByRole("button", { name: "by day" }).click();
    await page.getByText("Money per day", { exact: true }).waitFor();
    assert.deepEqual(await seriousViolations(page), []);
    assert.deepEqual(watched.complaints, []);
  });
});
