import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { after, before, describe, it } from "node:test";
import type { Browser, Page } from "playwright-core";
import { seriousViolations } from "./axe.ts";
import { openChromium } from "./chromium.ts";
import { Keys } from "./keys.ts";
import { OwnServer } from "./server.ts";
import { WatchedPage } from "./watched-page.ts";

const built = existsSync(new URL("../../bundle/index.html", import.meta.url));
const chromium = built ? await openChromium() : { missing: "the console is not built; npm test builds it" };
const missing = "missing" in chromium ? chromium.missing : undefined;
const browser = chromium as Browser;

const hoursOfMonth = 35 * 24;

/** Ten things that people come to the console for, done by the keyboard alone after the sign-in. */
describe("ten tasks by keyboard", { skip: missing }, () => {
  const server = new OwnServer("--simulated", "4x4:H100");
  let watched: WatchedPage;
  let page: Page;
  let keys: Keys;

  const submit = async (name: string, project: string, body: object = {}) =>
    server.call("submitJob", { body: { name, project, gpus: 1, run: "sleep 86400", ...body } as never });
  const reaches = async (job: string, state: string) => {
    for (let i = 0; i < 100; i++) {
      const seen = await server.call("getJob", { at: { job } });
      if (seen.state === state) return seen;
      await new Promise((wake) => setTimeout(wake, 100));
    }
    throw new Error(`${job} is not ${state}`);
  };
  const cancel = async (job: string) => {
    await server.call("cancelJob", { at: { job }, body: {} });
    await reaches(job, "ended");
  };

  /** The server ends and starts at another time; its first answers may come over a connection that is no more. */
  const goOn = async (hoursAgo: number) => {
    await server.stop();
    await server.start(hoursAgo);
    for (let i = 0; i < 20; i++) {
      const answer = await server.call("whoAmI").catch(() => undefined);
      if (answer !== undefined) return;
    }
  };

  before(async () => {
    await server.start(hoursOfMonth);
    await server.call("createAccount", { body: { path: "lab", guarantee: 8 } });
    for (const path of ["lab/nlp", "lab/vision"]) await server.call("createAccount", { body: { path } });
    const [node] = (await server.call("listNodes", {})).items;
    await server.call("cordonNode", { at: { node: node!.name }, body: { reason: "smoke in row 3" } });
    await server.call("upNode", { at: { node: node!.name }, body: {} });
    await goOn(3 * 24);
    const most = await submit("pretrain", "lab/nlp", { gpus: 4, nodes: 3 });
    const less = await submit("eval", "lab/vision");
    for (const { id } of [most, less]) await reaches(id, "running");
    await new Promise((wake) => setTimeout(wake, 4_000));
    for (const { id } of [most, less]) await cancel(id);
    await goOn(30);
    const hog = await submit("hog", "lab/vision", { gpus: 4, nodes: 4 });
    await reaches(hog.id, "running");
    const waiter = await submit("waiter", "lab/nlp");
    await goOn(26);
    await cancel(hog.id);
    await reaches(waiter.id, "running");
    await cancel(waiter.id);
    await goOn(0);
    watched = await WatchedPage.open(browser, server.url);
    page = watched.page;
    keys = new Keys(page);
    await watched.signInWithToken(server.ownerToken);
  });
  after(async () => {
    await browser.close();
    await server.end();
  });

  it("1. why does it wait, and fix it", async () => {
    const filler = await submit("filler", "lab/nlp");
    await reaches(filler.id, "running");
    const stuck = await submit("stuck", "lab/nlp", { gpus: 4, nodes: 4 });
    await server.call("holdJob", { at: { job: stuck.id }, body: {} });
    await keys.open("j", "Jobs");
    await page.getByRole("region", { name: "Jobs", exact: true }).getByText("stuck").first().waitFor();
    await keys.press("j", "Enter");
    await page.getByRole("heading", { name: "stuck" }).waitFor();
    await keys.tabTo(/^Why$/);
    await keys.press("Enter");
    await page.getByText(/held/).first().waitFor();
    await keys.tabTo(/^Release/);
    await keys.press("Enter");
    await page
      .getByText(/may start/)
      .first()
      .waitFor();
    assert.equal((await server.call("getJob", { at: { job: stuck.id } })).held, false);
    assert.deepEqual(await seriousViolations(page), []);
    for (const { id } of [filler, stuck]) await cancel(id);
  });

  it("2. who used most last week", async () => {
    await keys.open("c", "Cost");
    await keys.tabTo(/^by account$/);
    await page.getByText("Most used by").waitFor();
    const { rows } = await server.call("readUsage", { query: { by: "account", from: "7d" } });
    const top = [...rows].sort((a, b) => Number(b.unitMs) - Number(a.unitMs))[0]!;
    assert.equal(top.key, "lab/vision");
    assert.ok(Number(top.gpuHours) > 60, `16 GPUs for 4 hours are ${top.gpuHours}`);
    await page.locator(".figure", { hasText: "Most used by" }).getByText("lab/vision").waitFor();
  });

  it("3. waits by team yesterday", async () => {
    await keys.open("u", "Queue");
    await keys.tabTo(/^1d$/);
    await keys.press("Enter");
    await keys.tabTo(/^Earlier$/, true);
    await keys.press("Enter");
    await page.waitForURL(/range=/);
    const waits = page.locator("section.card", { hasText: "Wait by team: half" }).locator(".chart-legend");
    await waits.getByText(/lab\/\w+ about (3\.\d|4(\.\d)?) h/).waitFor();
    const series = await server.call("readSeries", {
      query: { metric: "wait_p50", by: "account", from: "2d", step: "1h" } as never,
    });
    assert.match(JSON.stringify(series), /"lab"/);
  });

  it("4. lower a quota safely", async () => {
    const { id } = await submit("held-by-quota", "lab/nlp", { gpus: 4, nodes: 2 });
    await reaches(id, "running");
    await keys.open("q", "Quota");
    await keys.tabTo(/^lab\b/);
    await keys.press("Enter");
    await page.getByText("Guarantee (GPUs)").waitFor();
    await keys.tabTo(/^Guarantee/);
    await keys.press("ControlOrMeta+a");
    await keys.type("4");
    await page.getByText("held-by-quota").first().waitFor();
    await page.getByRole("button", { name: "Save" }).and(page.locator(":enabled")).waitFor();
    await keys.tabTo(/^Save/);
    await keys.press("Enter");
    await page.getByText("lab was changed.").first().waitFor();
    const lab = await server.call("getAccount", { at: { account: "lab" } });
    assert.match(JSON.stringify(lab.guarantee), /4/);
    await cancel(id);
  });

  it("5. drain a node safely", async () => {
    await keys.open("n", "Nodes");
    await page.getByRole("region", { name: "Nodes", exact: true }).getByText("h100-1").first().waitFor();
    await keys.press("j", "Enter");
    await keys.tabTo(/^Drain$/);
    await keys.press("Enter");
    await page.getByRole("dialog").waitFor();
    await keys.type("new fan");
    await keys.tabTo(/^Drain/);
    await keys.press("Enter");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    const drained = (await server.call("listNodes", {})).items.filter(({ reason }) => reason === "new fan");
    assert.equal(drained.length, 1);
    await server.call("upNode", { at: { node: drained[0]!.name }, body: {} });
  });

  it("6. run again with a change", async () => {
    const { id } = await submit("again", "lab/nlp", { gpus: 2 });
    await keys.open("j", "Jobs");
    await page.getByRole("region", { name: "Jobs", exact: true }).getByText("again").first().waitFor();
    await keys.press("j", "Enter");
    await page.getByRole("heading", { name: "again" }).waitFor();
    await keys.tabTo(/^Run again$/);
    await keys.press("Enter");
    await page.getByText("The same. Change a field").waitFor();
    await keys.tabTo(/^GPUs$/);
    await keys.press("ControlOrMeta+a");
    await keys.type("1");
    await page.getByText("gpus: 2 → 1").waitFor();
    await keys.tabTo(/^Submit$/, true);
    await keys.press("Enter");
    await page.waitForURL((url) => url.pathname.startsWith("/jobs/") && !url.pathname.includes(id));
    const made = await server.call("getJob", { at: { job: new URL(page.url()).pathname.split("/")[2]! } });
    assert.deepEqual([made.name, made.gpus], ["again", 1]);
  });

  it("7. cancel twelve jobs at once", async () => {
    for (let i = 0; i < 12; i++) await submit(`twelve-${i}`, "lab/vision");
    await keys.open("j", "Jobs");
    await page.getByRole("region", { name: "Jobs", exact: true }).getByText("twelve-11").waitFor();
    await keys.press("j", "x", ...Array.from({ length: 11 }, () => "Shift+J"));
    await page.getByText("12 jobs chosen").waitFor();
    await keys.tabTo(/^Cancel$/, true);
    await keys.press("Enter");
    await page.getByText(/12 jobs are cancelled for good/).waitFor();
    await keys.tabTo(/^Cancel 12 jobs$/);
    await keys.press("Enter");
    await page.getByText("Cancel: 12 jobs.").waitFor();
    const { items } = await server.call("listJobs", { query: { state: "cancelled", limit: 100 } });
    assert.equal(items.filter(({ name }) => name.startsWith("twelve-")).length, 12);
  });

  it("8. find an audit entry of last month", async () => {
    await keys.open("a", "Audit");
    await keys.tabTo(/^Text|text/);
    await keys.type("smoke");
    const entry = page.getByText(/smoke in row 3/).first();
    await entry.waitFor();
    const { items } = await server.call("listAudit", { query: { text: "smoke" } });
    assert.equal(items.length, 1);
    await keys.press("Escape");
    assert.ok(Date.now() - Date.parse(items[0]!.at) > 30 * 24 * 3_600_000);
  });

  it("9. follow four ranks", async () => {
    const run = "echo first line; sleep 1; echo second line; sleep 600";
    const { id } = await submit("ranks", "lab/nlp", { gpus: 1, nodes: 4, run });
    await reaches(id, "running");
    await keys.open("j", "Jobs");
    await page.getByRole("region", { name: "Jobs", exact: true }).getByText("ranks").waitFor();
    await keys.press("j", "Enter");
    await page.getByRole("heading", { name: "ranks" }).waitFor();
    await keys.tabTo(/^Rank$/);
    await keys.type("ranks as");
    await page.waitForURL(/rank=columns/);
    for (const rank of [0, 1, 2, 3]) await page.locator(".log-heads").getByText(`rank ${rank}`).waitFor();
    await page.getByText("second line").nth(3).waitFor();
    const logs = await fetch(`${server.url}/v1/jobs/${id}/logs`, {
      headers: { authorization: `Bearer ${server.ownerToken}` },
    });
    assert.equal((await logs.text()).split("second line").length, 5, "a line of each of four ranks");
    await keys.press("Escape");
    await cancel(id);
  });

  it("10. find the idle GPUs", async () => {
    await keys.open("f", "Fleet");
    await keys.tabTo(/^idle/i);
    await keys.press("Enter");
    const { fleet } = await server.call("readSummary");
    await page.waitForURL(/only=idle/);
    assert.equal(fleet.idle, 13, "three GPUs of four nodes are held");
    await page.getByText(`${fleet.idle} GPUs idle`).waitFor();
    assert.deepEqual(watched.complaints, []);
  });
});
