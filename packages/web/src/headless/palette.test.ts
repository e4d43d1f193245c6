import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { after, before, describe, it } from "node:test";
import type { Browser } from "playwright-core";
import { seriousViolations } from "./axe.ts";
import { openChromium } from "./chromium.ts";
import { OwnServer } from "./server.ts";
import { focused } from "./typing.ts";
import { WatchedPage } from "./watched-page.ts";

const built = existsSync(new URL("../../bundle/index.html", import.meta.url));
const chromium = built ? await openChromium() : { missing: "the console is not built; npm test builds it" };
const missing = "missing" in chromium ? chromium.missing : undefined;
const browser = chromium as Browser;

describe("the palette, by keys alone", { skip: missing }, () => {
  const server = new OwnServer("--simulated", "2x8:H100");
  let ana = "";
  before(async () => {
    await server.start();
    await server.call("createAccount", { body: { path: "lab", guarantee: 12 } });
    const { id } = await server.call("createUser", { body: { name: "ana", role: "member", account: "lab" } });
    ana = (await server.call("createToken", { body: { user: id, label: "laptop" } })).token;
    for (const name of ["llama-ft-1", "llama-ft-2", "llama-ft-3"]) await submit(name);
  });
  after(async () => {
    await browser.close();
    await server.end();
  });
  const submit = (name: string, gpus = 2) =>
    server.call("submitJob", { body: { name, project: "lab", gpus, run: "sleep 3600" } as never });
  const open = async (token: string) => {
    const watched = await WatchedPage.open(browser, server.url);
    await watched.signInWithToken(token);
    return watched;
  };
  const jobOf = async (name: string) => (await server.call("listJobs", { query: { name, state: "all" } })).items[0]!;

  it("finds by the letters that parts begin with, waits for the answer, and lists what was chosen first", async () => {
    const watched = await open(server.ownerToken);
    const { page } = watched;
    const lines = page.getByRole("option");
    await page.keyboard.press("Control+k");
    await page.keyboard.type("lft3");
    // Enter at once: what was typed is looked for first, and then opened.
    await page.keyboard.press("Enter");
    await page.waitForURL(`**/jobs/${(await jobOf("llama-ft-3")).id}`);
    await page.keyboard.press("Control+k");
    await page.getByRole("option", { name: /llama-ft-3/ }).waitFor();
    assert.match(await lines.first().innerText(), /llama-ft-3[\s\S]*recent/);
    assert.deepEqual(await seriousViolations(page), []);
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });

    // Also from a field, and letters go into it from the first on.
    await watched.go("/jobs");
    await page.getByLabel("Filter by name, account or user").click();
    await page.keyboard.press("Control+k");
    await page.keyboard.type("budg");
    await page.getByRole("option", { name: /Budgets/ }).waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/cost/budgets");
    assert.deepEqual(watched.complaints, []);
    await watched.close();
  });

  it("drains a node and cancels a job after a question that names what follows", async () => {
    const watched = await open(server.ownerToken);
    const { page } = watched;
    const dialog = page.getByRole("dialog");
    const running = (await jobOf("llama-ft-1")).members[0]!.node;
    const load = (await server.call("getNode", { at: { node: running } })).load!;
    assert.ok(load.jobs > 0);
    await page.keyboard.press("/");
    await page.keyboard.type(`drain ${running}`);
    await page.getByRole("option", { name: `Drain ${running}` }).waitFor();
    await page.keyboard.press("Enter");
    await dialog.getByText(new RegExp(`${load.jobs} jobs? on ${load.gpus} GPUs .* 1h to end.*stopped`)).waitFor();
    assert.equal(await focused(page), "Reason");
    assert.deepEqual(await seriousViolations(page), []);
    await page.keyboard.type("new fan");
    for (let i = 0; i < 3; i++) await page.keyboard.press("Tab");
    assert.equal(await focused(page), "Drain it");
    await page.keyboard.press("Enter");
    await page.getByText(`${running} is draining.`).waitFor();
    const node = await server.call("getNode", { at: { node: running } });
    assert.deepEqual([node.mode, node.reason], ["draining", "new fan"]);
    await page.keyboard.press("Control+k");
    await page.keyboard.type(`uncordon ${running}`);
    await page.getByRole("option", { name: `Uncordon ${running}` }).waitFor();
    await page.keyboard.press("Enter");
    await page.getByText(`${running} takes work again.`).waitFor();

    await page.keyboard.press("Control+k");
    await page.keyboard.type("cancel lft2");
    await page.getByRole("option", { name: "Cancel llama-ft-2" }).waitFor();
    await page.keyboard.press("Enter");
    await dialog.getByText(/has run for .* then it releases 2 GPUs/).waitFor();
    await page.keyboard.press("Enter"); // on Keep it
    await dialog.waitFor({ state: "detached" });
    assert.equal((await jobOf("llama-ft-2")).state, "running");
    await page.keyboard.press("Control+k");
    await page.keyboard.type("cancel lft2");
    await page.getByRole("option", { name: "Cancel llama-ft-2" }).waitFor();
    await page.keyboard.press("Enter");
    await dialog.waitFor();
    await page.keyboard.press("Tab");
    assert.equal(await focused(page), "Cancel the job");
    await page.keyboard.press("Enter");
    await page.getByText("llama-ft-2 is cancelled.").waitFor();
    assert.deepEqual(watched.complaints, []);
    await watched.close();
  });

  it("offers what a person may do, and nothing else", async () => {
    const watched = await open(ana);
    const { page } = watched;
    await page.keyboard.press("Control+k");
    await page.keyboard.type("llama-ft-1");
    await page
      .getByRole("option", { name: /llama-ft-1/ })
      .first()
      .waitFor();
    assert.equal(await page.getByRole("option", { name: /Cancel llama/ }).count(), 0);
    await page.keyboard.press("Escape");
    await page.keyboard.press("/");
    await page.keyboard.type("drain");
    await page.getByText("Nothing found that you may see.").waitFor();
    assert.deepEqual(watched.complaints, []);
    await watched.close();
  });
});
