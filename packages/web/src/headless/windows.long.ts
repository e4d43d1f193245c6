import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { after, before, describe, it } from "node:test";
import type { Browser, Page } from "playwright-core";
import { openChromium } from "./chromium.ts";
import { OwnServer } from "./server.ts";
import { typeInto } from "./typing.ts";
import { walkAs } from "./walk.ts";
import { WatchedPage } from "./watched-page.ts";

const built = existsSync(new URL("../../bundle/index.html", import.meta.url));
const chromium = built ? await openChromium() : { missing: "the console is not built; npm test builds it" };
const missing = "missing" in chromium ? chromium.missing : undefined;
const browser = chromium as Browser;
const password = "correct horse battery";

describe("windows of the console", { skip: missing }, () => {
  const server = new OwnServer("--simulated", "2x8:H100");
  /** Its jobs are programs of this machine. */
  const printing = new OwnServer("--virtual", "1x8:H100");
  const tokens: Record<string, string> = {};
  before(async () => {
    await server.start();
    await printing.start();
    await printing.call("createAccount", { body: { path: "acme", guarantee: 6 } });
    await server.call("createAccount", { body: { path: "acme", guarantee: 6 } });
    for (const role of ["member", "finance"] as const) {
      const user = await server.call("createUser", { body: { name: `the-${role}`, role, account: "acme" } });
      tokens[role] = (await server.call("createToken", { body: { user: user.id } })).token;
    }
    const ana = await server.call("createUser", { body: { name: "ana", role: "member", account: "acme" } });
    await server.call("setPassword", { at: { user: ana.id }, body: { password } });
  });
  after(async () => {
    await browser.close();
    await server.end();
    await printing.end();
  });

  const open = async (token = server.ownerToken) => {
    const watched = await WatchedPage.open(browser, server.url);
    await watched.signInWithToken(token);
    return watched;
  };
  const submit = (name: string) =>
    server.call("submitJob", { body: { name, project: "acme", run: "true", not_before: "2100-01-01T00:00:00Z" } });

  it("stay live, all six of them, on one connection, and end together with their session", async () => {
    const watched = await open();
    const context = watched.page.context();
    const pages: Page[] = [watched.page];
    for (const path of ["/jobs", "/queue", "/quota", "/fleet", "/audit"]) {
      const page = await context.newPage();
      await page.goto(`${server.url}${path}`);
      pages.push(page);
    }
    await watched.go("/jobs");
    for (const page of pages) await page.getByText("Live", { exact: true }).waitFor();
    const count = await watched.page.evaluate(async () => {
      const headers = { "tessera-proof": localStorage.getItem("tessera-proof") ?? "" };
      return (await fetch("/v1/stream", { headers })).json();
    });
    assert.equal(count.streams, 1);
    assert.ok(count.lists > 1, `${count.lists} lists`);
    await submit("seen-in-all");
    await pages[0]!.getByText("seen-in-all").first().waitFor();
    await pages[1]!.getByText("seen-in-all").first().waitFor();
    await pages[2]!.getByText("seen-in-all").first().waitFor();
    await server.call("createAccount", { body: { path: "fresh", guarantee: 0 } });
    await pages[3]!.getByRole("link", { name: "fresh", exact: true }).waitFor();
    const session = (await server.call("listTokens")).items.find(({ prefix }) => prefix.startsWith("sess_"))!;
    await server.call("revokeToken", { at: { token: session.id } });
    for (const page of pages) await page.getByText("You were signed out:").waitFor();
    await watched.close();
  });

  it("follow logs in seven of them, which all stay live and can be clicked, and a hidden one misses nothing", async () => {
    const watched = await WatchedPage.open(browser, printing.url);
    await watched.signInWithToken(printing.ownerToken);
    const run = "for i in $(seq 1 100000); do echo tick-$i; sleep 0.05; done";
    const jobs: string[] = [];
    for (let i = 0; i < 7; i++) {
      const { id } = await printing.call("submitJob", { body: { name: `ticks-${i}`, project: "acme", gpus: 0, run } });
      jobs.push(id);
    }
    const pages: Page[] = [];
    for (const job of jobs) {
      const page = await watched.page.context().newPage();
      await page.goto(`${printing.url}/jobs/${job}/logs`);
      pages.push(page);
    }
    const newest = (page: Page) =>
      page.evaluate(() => Number(/tick-(\d+)$/.exec(document.querySelector(".log")?.textContent ?? "")?.[1] ?? 0));
    for (const page of pages) {
      await page
        .getByText(/tick-\d+/)
        .first()
        .waitFor();
      const was = await newest(page);
      await page.waitForFunction(
        (before) => Number(/tick-(\d+)$/.exec(document.querySelector(".log")?.textContent ?? "")?.[1] ?? 0) > before,
        was,
      );
      await page.getByText("Live", { exact: true }).waitFor();
    }
    const counted = () =>
      watched.page.evaluate(async () => {
        const headers = { "tessera-proof": localStorage.getItem("tessera-proof") ?? "" };
        return (await fetch("/v1/stream", { headers })).json();
      });
    assert.equal((await counted()).streams, 1);
    await pages[6]!.getByRole("link", { name: "Spec" }).click();
    await pages[6]!.getByText("As it was understood").waitFor();
    await pages[5]!.getByRole("button", { name: "Cancel" }).click();
    await pages[5]!.getByRole("button", { name: "Cancel the job" }).click();
    await pages[5]!.getByText("is cancelled").waitFor();

    const [first] = pages as [Page];
    const setHidden = (hidden: boolean) =>
      first.evaluate((value) => {
        Object.defineProperty(document, "hidden", { value, configurable: true });
        document.dispatchEvent(new Event("visibilitychange"));
      }, hidden);
    const { lists } = await counted();
    await setHidden(true);
    while ((await counted()).lists >= lists) await first.waitForTimeout(50);
    const was = await newest(first);
    await first.waitForTimeout(1_500);
    assert.equal(await newest(first), was, "a hidden window follows nothing");
    await setHidden(false);
    await first.waitForFunction(
      (before) => Number(/tick-(\d+)$/.exec(document.querySelector(".log")?.textContent ?? "")?.[1] ?? 0) > before + 20,
      was,
    );
    await printing.stop("SIGKILL");
    await first.getByText("Not live").waitFor();
    await printing.start();
    await first.getByText("Live", { exact: true }).waitFor();
    await printing.call("cancelJob", { at: { job: jobs[0]! }, body: {} });
    await first.getByText(/^cancelled/).waitFor();
    const answer = await fetch(`${printing.url}/v1/jobs/${jobs[0]}/logs`, {
      headers: { authorization: `Bearer ${printing.ownerToken}` },
    });
    const lines = (await answer.text()).trimEnd().split("\n").length;
    await first.getByRole("heading", { name: new RegExp(`^${lines} lines,`) }).waitFor();
    await watched.close();
  });

  it("say on every page that the server is gone, and open by themselves what could not be fetched", async () => {
    const watched = await open();
    const { page } = watched;
    await watched.go("/cost");
    await page.getByText("Used in 7 days").waitFor();
    await server.stop("SIGKILL");
    await page.getByText("Not live").waitFor();
    await page.locator('.rail a[title="People"]').click();
    await page.getByText("This page could not be loaded").waitFor();
    await page.keyboard.press("Control+k");
    await page.keyboard.type("llama");
    await page.getByRole("dialog").getByText("The server does not answer.").waitFor();
    await page.keyboard.press("Escape");
    await server.start();
    await page.getByRole("heading", { name: "People and tokens" }).waitFor();
    await page.getByText("Live", { exact: true }).waitFor();
    await page.locator('.rail a[title="Jobs"]').click();
    await submit("after-the-crash");
    await page.getByText("after-the-crash").first().waitFor();
    await watched.close();
  });

  it("load the console again when a newer server has no file for a page any more", async () => {
    const watched = await open();
    const { page } = watched;
    let gone = true;
    await page.route("**/assets/audit-page-*.js", (route) =>
      gone ? route.fulfill({ status: 404 }) : route.continue(),
    );
    page.once("framenavigated", () => {
      gone = false;
    });
    page.on("request", (request) => {
      if (request.isNavigationRequest()) gone = false;
    });
    await page.locator('.rail a[title="Audit"]').click();
    await page.getByRole("heading", { name: "Audit" }).waitFor();
    await watched.close();
  });

  it("never show old numbers under a new label", async () => {
    const watched = await open();
    const { page } = watched;
    await watched.go("/cost");
    await page.getByText("Used in 7 days").waitFor();
    await page.route("**/v1/usage?*", () => {}); // never answered
    await page.getByRole("button", { name: "30d", exact: true }).click();
    const figure = page.locator(".figure").filter({ hasText: "Used in 30 days" });
    await figure.waitFor();
    assert.match((await figure.locator(".value").textContent())!, /…/);
    await watched.close();
  });

  it("say whose role a page is for, and that an address names nothing", async () => {
    const visited = ["/", "/fleet", "/cost", "/cost/money", "/people/me", "/settings"];
    const visits = [...visited, "/audit", "/new"].map((path) => ({ path, exists: true }));
    assert.deepEqual(await walkAs(browser, server, "finance", tokens.finance!, visits), []);
    const member = await open(tokens.member);
    await member.go("/audit");
    await member.page.getByText("Not for your role").waitFor();
    await member.page.getByText(/do not allow audit\.read/).waitFor();
    await member.page.getByText(/platform-owner, tenant-admin, auditor .*ask for one: platform-owner or/).waitFor();
    await member.go("/cost/invoices");
    await member.page.getByText(/do not allow invoice\.read/).waitFor();
    assert.equal(await member.page.getByText("The server does not answer").count(), 0);
    for (const [path, words] of [
      ["/nothing/here", "There is no such page"],
      ["/new?from=bad", "There is no job bad to start from"],
      ["/quota/unknown", "There is no account unknown"],
      ["/nodes/unknown", "There is no node unknown"],
      ["/jobs/job_unknown", "No such job"],
    ] as const) {
      await member.go(path);
      await member.page.getByText(words).last().waitFor();
    }
    await member.close();
    const finance = await open(tokens.finance);
    await finance.go("/jobs");
    await finance.page.getByText(/do not allow job\.read/).waitFor();
    await finance.close();
  });

  it("keep the address and what was written when the session ends, and say why it did", async () => {
    const watched = await WatchedPage.open(browser, server.url);
    const { page } = watched;
    await watched.signIn("ana", password);
    await watched.go("/new");
    await typeInto(page.getByLabel("Name", { exact: true }), "half-written");
    const sessions = (await server.call("listTokens", { query: { user: "ana" } })).items;
    for (const { id } of sessions) await server.call("revokeToken", { at: { token: id } });
    await page.getByText("what you wrote is kept").waitFor();
    assert.equal(new URL(page.url()).pathname, "/new");
    await typeInto(page.getByLabel("Name"), "ana");
    await typeInto(page.getByLabel("Password"), password);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "New job" }).waitFor();
    assert.equal(await page.getByLabel("Name", { exact: true }).inputValue(), "half-written");
    await page.locator('.rail a[title="Jobs"]').click();
    await page.getByRole("heading", { name: "Jobs", exact: true }).first().waitFor();
    await page.goBack();
    assert.equal(await page.getByLabel("Name", { exact: true }).inputValue(), "half-written");
    await watched.close();
  });
});
