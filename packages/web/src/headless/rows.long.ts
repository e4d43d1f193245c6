import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { after, before, describe, it } from "node:test";
import type { Browser } from "playwright-core";
import { openChromium } from "./chromium.ts";
import { OwnServer } from "./server.ts";
import { WatchedPage } from "./watched-page.ts";

const built = existsSync(new URL("../../bundle/index.html", import.meta.url));
const chromium = built ? await openChromium() : { missing: "the console is not built; npm test builds it" };
const missing = "missing" in chromium ? chromium.missing : undefined;
const browser = chromium as Browser;

/** More than one page of anything. */
const jobs = 1_040;
const old = "zz-a100-old";
const users = 130;

describe("the console with more rows than a page holds", { skip: missing }, () => {
  const server = new OwnServer("--simulated", "1010x1:H100,4x8:A100");

  before(async () => {
    await server.start();
    await server.call("createAccount", { body: { path: "acme", guarantee: 8 } });
    await server.call("drainNode", { at: { node: "a100-2" }, body: { reason: "new fan" } });
    const { id } = await server.call("submitJob", { body: { name: old, project: "acme", gpus: 1, run: "sleep 9h" } });
    await server.call("cancelJob", { at: { job: id }, body: {} });
    let next = 0;
    const submit = async () => {
      while (next++ < jobs) {
        const body = {
          name: `job-${next}`,
          project: "acme",
          gpus: 2,
          nodes: 4,
          run: "sleep 9h",
          not_before: "2100-01-01T00:00Z",
        };
        await server.call("submitJob", { body });
      }
    };
    await Promise.all(Array.from({ length: 8 }, submit));
    for (let no = 1; no <= users; no++)
      await server.call("createUser", { body: { name: `user-${no}`, role: "member", account: "acme" } });
  });
  after(async () => {
    await browser.close();
    await server.end();
  });

  it("shows right numbers on Home at once, from less than 300 kB", async () => {
    const watched = await WatchedPage.open(browser, server.url);
    const { page } = watched;
    await watched.signInWithToken(server.ownerToken);
    let bytes = 0;
    const session = await page.context().newCDPSession(page);
    await session.send("Network.enable");
    const data = new Set<string>();
    session.on("Network.responseReceived", ({ requestId, response }) => {
      if (response.url.includes("/v1/")) data.add(requestId);
    });
    session.on("Network.dataReceived", ({ requestId, dataLength }) => {
      if (data.has(requestId)) bytes += dataLength;
    });
    await watched.go("/");
    const figures = page.locator(".figure");
    await figures.nth(3).waitFor();
    const shown = (await figures.allInnerTexts()).join("\n");
    assert.match(shown, /8,320\s+GPUs\s+1,040 jobs/);
    assert.match(shown, /of 1,042 GPUs/);
    await page.getByRole("heading", { name: "1,013 of 1,014 nodes up" }).waitFor();
    await page.waitForTimeout(1_000);
    assert.ok(bytes > 1_000 && bytes < 300_000, `${bytes} bytes`);
    assert.deepEqual(watched.complaints, []);
    await watched.close();
  });

  it("counts the queue and finds a job of the past by what is typed", async () => {
    const watched = await WatchedPage.open(browser, server.url);
    const { page } = watched;
    await watched.signInWithToken(server.ownerToken);
    await page.getByRole("link", { name: "Queue", exact: true }).first().click();
    await page.locator(".figure").filter({ hasText: "1,040" }).first().waitFor();
    await page.locator('.rail a[title="Jobs"]').click();
    await page.getByText("1,041 jobs").waitFor();
    await page.getByLabel("Filter by name, account or user").click();
    await page.keyboard.type("A100-OLD");
    await page.getByText("1 job", { exact: true }).waitFor();
    await page.getByText(old).click();
    await page.getByText("It was cancelled.").first().waitFor();
    await watched.close();
  });

  it("offers every model of the fleet for a new job, and tells the history of a node", async () => {
    const watched = await WatchedPage.open(browser, server.url);
    const { page } = watched;
    await watched.signInWithToken(server.ownerToken);
    await page.getByRole("banner").getByRole("link", { name: "New job" }).click();
    const model = page.getByLabel("Model");
    await model.locator("option", { hasText: "H100" }).waitFor({ state: "attached" });
    assert.deepEqual(await model.locator("option").allInnerTexts(), ["any", "A100", "H100"]);
    await watched.go("/nodes/a100-2");
    await page
      .getByText(/new fan/)
      .nth(1)
      .waitFor();
    await watched.close();
  });

  it("finds what lies beyond the first page: a job of the past, a node", async () => {
    const watched = await WatchedPage.open(browser, server.url);
    const { page } = watched;
    await watched.signInWithToken(server.ownerToken);
    await page.keyboard.press("/");
    await page.getByRole("combobox").waitFor();
    await page.keyboard.type(old);
    await page
      .getByRole("option", { name: /zz-a100-old/ })
      .first()
      .click();
    await page.getByText("It was cancelled.").first().waitFor();
    await page.keyboard.press("/");
    await page.getByRole("combobox").waitFor();
    await page.keyboard.type("h100-1009");
    await page
      .getByRole("option", { name: /h100-1009/ })
      .first()
      .waitFor();
    await watched.close();
  });

  it("reads nodes and people page by page, and has the server filter, sort and count them", async () => {
    const watched = await WatchedPage.open(browser, server.url);
    const { page } = watched;
    const asked: string[] = [];
    page.on("request", (request) => asked.push(new URL(request.url()).pathname));
    await watched.signInWithToken(server.ownerToken);
    await watched.go("/nodes");
    await page.getByText("1,014 nodes").waitFor();
    await page.getByRole("button", { name: "Node", exact: true }).click();
    await page.getByText("a100-1", { exact: true }).waitFor();
    await page.getByLabel("Filter by name, rack, model or reason").click();
    await page.keyboard.type("new fan");
    await page.getByText("1 node", { exact: true }).waitFor();
    await page.getByText("a100-2", { exact: true }).click();
    await page.getByRole("heading", { name: "a100-2" }).waitFor();
    await watched.go("/people");
    await page.getByText(`${users + 1} people`).waitFor();
    assert.equal(await page.getByText("user-99", { exact: true }).count(), 0);
    await page.getByRole("region", { name: "People" }).focus();
    const last = page.getByText("user-99", { exact: true }); // by name, on the second page
    for (let tries = 0; tries < 20 && !(await last.isVisible()); tries++) {
      await page.keyboard.press("End");
      await page.waitForTimeout(300);
    }
    await last.waitFor();
    await page.getByLabel("Filter people").click();
    await page.keyboard.type("user-13");
    await page.getByText("2 people").waitFor();
    await page.getByText("user-130", { exact: true }).click();
    await page.getByText("member of acme").nth(1).waitFor();
    assert.equal(asked.filter((path) => path === "/v1/fleet").length, 0, "the whole fleet is not read for a list");
    assert.deepEqual(watched.complaints, []);
    await watched.close();
  });

  it("finds what was done long ago in the audit, and saves all of it", async () => {
    const watched = await WatchedPage.open(browser, server.url);
    const { page } = watched;
    await watched.signInWithToken(server.ownerToken);
    await watched.go("/audit");
    const { total = 0 } = await server.call("listAudit", { query: { count: true, limit: 1 } });
    assert.ok(total > jobs);
    await page.getByText(/^1,1\d\d entries$/).waitFor();
    const saving = page.waitForEvent("download");
    await page.getByRole("button", { name: "Export CSV" }).click();
    const text = readFileSync(await (await saving).path(), "utf8");
    assert.ok(text.trim().split("\n").length > total, "every entry and a header");
    await page.getByLabel("Text", { exact: true }).click();
    await page.keyboard.type("new fan");
    await page.getByText("1 entry", { exact: true }).waitFor();
    await page.getByText("node.drain").waitFor();
    assert.deepEqual(watched.complaints, []);
    await watched.close();
  });
});
