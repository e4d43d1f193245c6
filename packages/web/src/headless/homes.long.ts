import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Browser } from "playwright-core";
import { seriousViolations } from "./axe.ts";
import { openChromium } from "./chromium.ts";
import { OwnServer } from "./server.ts";
import { WatchedPage } from "./watched-page.ts";

const chromium = await openChromium();
const missing = "missing" in chromium ? chromium.missing : undefined;
const browser = chromium as Browser;

/** Data of a home at most, however large the fleet. */
const homeBytesMax = 300_000;

describe("the home of each role", { skip: missing }, () => {
  const server = new OwnServer("--simulated", "3x8:H100");
  const tokens: Record<string, string> = {};
  before(async () => {
    await server.start();
    const any = { model: "*", reservedMicros: 2_000_000_000, burstMicros: 1_000_000_000 };
    await server.call("addPrices", {
      body: { id: "l1", currency: "EUR", from: new Date().toISOString(), gpus: [any] },
    });
    for (const [path, guarantee] of [
      ["acme", 16],
      ["acme/nlp", 8],
      ["acme/vision", 8],
    ] as const)
      await server.call("createAccount", { body: { path, guarantee } });
    await server.call("setBudget", { at: { account: "acme/nlp" }, body: { limitMicros: "1000000", every: "month" } });
    for (const [role, account] of [
      ["tenant-admin", "acme"],
      ["team-admin", "acme/nlp"],
      ["member", "acme/nlp"],
      ["viewer", "acme"],
      ["finance", "acme"],
      ["auditor", "acme"],
    ] as const) {
      const { id } = await server.call("createUser", { body: { name: `the-${role}`, role, account } });
      tokens[role] = (await server.call("createToken", { body: { user: id } })).token;
    }
    await server.call("postEntry", {
      body: { account: "acme", kind: "adjustment", micros: "12500000", memo: "a desk" },
    });
    const token = tokens.member!;
    const of = { project: "acme/nlp" };
    const say = 'echo "epoch 7 loss 1.52"; sleep 3600';
    await server.call("submitJob", { body: { ...of, name: "tune", gpus: 4, max_time: "2h", run: say }, token });
    await server.call("submitJob", {
      body: { ...of, name: "sweep", gpus: 1, array: "1-4%2", max_time: "1h", run: "sleep 3600" },
      token,
    });
    const bad = "echo CUDA out of memory; exit 3";
    await server.call("submitJob", { body: { ...of, name: "broken", gpus: 1, run: bad }, token });
    const wide = { ...of, name: "wide", gpus: 8, nodes: 3, max_time: "1h", run: "sleep 60" };
    await server.call("submitJob", { body: wide, token });
    const { id: looks } = await server.call("createUser", { body: { name: "looks", role: "viewer", account: "acme" } });
    const other = (await server.call("createToken", { body: { user: looks } })).token;
    const remove = (account: string, by: string) =>
      server.call("deleteAccount", { at: { account }, token: by }).catch(() => {});
    await remove("acme/nlp", token);
    await remove("nothing", token);
    await remove("acme/vision", other);
    await server.call("dropBudget", { at: { account: "acme/nlp" }, token }).catch(() => {});
    const login = { name: "the-viewer", password: "not the password" };
    await fetch(`${server.url}/v1/session`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(login),
    });
  });
  after(async () => {
    await browser.close();
    await server.end();
  });

  const home = async (role: string, look = {}) => {
    const watched = await WatchedPage.open(browser, server.url, look);
    await watched.signInWithToken(tokens[role] ?? server.ownerToken);
    let bytes = 0;
    watched.page.on("response", async (answer) => {
      if (answer.url().includes("/v1/")) bytes += (await answer.body().catch(() => Buffer.of())).length;
    });
    await watched.go("/");
    await watched.page.locator(".page h1").first().waitFor();
    return { watched, page: watched.page, main: watched.page.locator("main"), bytes: () => bytes };
  };
  const done = async ({ watched, page, bytes }: Awaited<ReturnType<typeof home>>) => {
    await page.waitForFunction(() => document.querySelector(".page .skeleton") === null);
    assert.deepEqual(await seriousViolations(page), []);
    assert.deepEqual(watched.complaints, []);
    assert.ok(bytes() > 0 && bytes() < homeBytesMax, `${bytes()} bytes`);
    await watched.close();
  };

  it("shows a member the progress, cost, last line and start of their jobs, and why the last ones failed", async () => {
    const shown = await home("member");
    const { main } = shown;
    await main.getByText(/% of its time, ends about .* \(by its max_time at the latest\)/).waitFor();
    await main.getByText("epoch 7 loss 1.52").waitFor();
    await main.getByText(/4 GPUs, .*EUR/).waitFor();
    await main.getByText(/0 of 4 over: .* 2 run, 2 wait/).waitFor();
    await main.getByText(/Planned for|Starts about/).waitFor();
    await main.getByText("CUDA out of memory").waitFor();
    await main.getByText(/of 8 GPUs/).waitFor();
    await done(shown);
  });

  it("shows a viewer the same of their accounts, without a button that acts", async () => {
    const shown = await home("viewer");
    const { main } = shown;
    await main.getByRole("heading", { name: "Work of acme" }).waitFor();
    await main.getByText(/% of its time/).waitFor();
    assert.equal(await main.getByRole("link", { name: "New job" }).count(), 0);
    assert.equal(await main.getByText("epoch 7").count(), 0); // logs are not for viewers
    await done(shown);
  });

  it("shows administrators each account below, and what presses", async () => {
    const tenant = await home("tenant-admin");
    const row = tenant.page.getByRole("row", { name: /acme\/nlp/ });
    await row.getByText(/of 8 GPUs/).waitFor();
    await row
      .getByText("1 job, 24 GPUs")
      .or(row.getByText(/\d jobs?, \d+ GPUs/))
      .first()
      .waitFor();
    await row.getByText(/EUR/).waitFor();
    await tenant.main.getByText("wide").waitFor();
    await tenant.main.getByText(/% of 1\.00 EUR/).waitFor();
    await row.getByRole("link", { name: "acme/nlp", exact: true }).click();
    await tenant.page.getByRole("heading", { name: "Teams of acme/nlp" }).waitFor();
    await tenant.page.goBack();
    await tenant.page.getByRole("heading", { name: "Teams of acme", exact: true }).waitFor();
    await done(tenant);
    const team = await home("team-admin");
    await team.main.getByText("Nothing is below acme/nlp yet").waitFor();
    await team.page.getByRole("link", { name: "My work" }).click();
    await team.page.getByRole("heading", { name: "My work" }).waitFor();
    await done(team);
    const owner = await home("owner");
    await owner.page.getByRole("heading", { name: "Fleet", exact: true }).waitFor();
    await owner.page.getByRole("link", { name: "Teams" }).click();
    await owner.page.getByRole("row", { name: /^acme/ }).waitFor();
    await done(owner);
  });

  it("shows finance what is spent and owed, and an auditor what was done with special rights", async () => {
    const finance = await home("finance");
    const month = new Intl.DateTimeFormat("en-US", { month: "long", year: "numeric", timeZone: "UTC" }).format();
    await finance.main.getByText(`Spent in ${month}`).waitFor();
    await finance.main.getByText(`${month}, at its end`).waitFor();
    await finance.main
      .getByText(/in all of [A-Z]/)
      .first()
      .waitFor();
    // What is not known yet is not said to be nothing.
    let answer = () => {};
    const asked = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await finance.page.route("**/v1/billing*", async (route) => {
      await asked;
      await route.continue();
    });
    await finance.page.reload();
    await finance.main.getByText("Not paid", { exact: true }).waitFor();
    assert.equal(await finance.main.getByText(/Nothing is owed|by 0 tenants/).count(), 0);
    answer();
    await finance.main.getByText("12.50 EUR").first().waitFor();
    await finance.main.getByText("by 1 tenant").waitFor();
    await finance.main.getByText(/% of 1\.00 EUR/).waitFor();
    // Jobs are named, and lead nowhere: their pages are not for finance.
    await finance.watched.go("/cost/money?by=job");
    await finance.main.getByRole("cell", { name: "tune" }).waitFor();
    assert.equal(await finance.main.locator('a[href^="/jobs"]').count(), 0);
    await done(finance);
    const auditor = await home("auditor");
    await auditor.main.getByText("role.bind").or(auditor.main.getByText("user.create")).first().waitFor();
    await auditor.main.getByText("Failed sign-ins in 7 days").waitFor();
    await auditor.main.getByText(/row \d+, signed/).waitFor();
    // Three requests that no role allows, two of them of somebody at acme/nlp; what was not found is not among them.
    const refused = auditor.main.locator(".figure").filter({ hasText: "Refused in 7 days" });
    await refused.getByText("3", { exact: true }).waitFor();
    await auditor.watched.go("/?home=oversight&account=acme%2Fnlp");
    await auditor.main.getByRole("heading", { name: "Oversight of acme/nlp" }).waitFor();
    await refused.getByText("2", { exact: true }).waitFor();
    await refused.getByRole("link").click();
    await auditor.page.waitForURL(/audit\?refusal=forbidden&from=.*&account=acme%2Fnlp/);
    await auditor.main.getByRole("heading", { name: "2 entries" }).waitFor();
    assert.equal(await auditor.main.getByLabel("Outcome").inputValue(), "forbidden");
    await auditor.page.getByRole("button", { name: "nlp" }).waitFor();
    await done(auditor);
  });

  it("narrows each page of Cost to the account in the address", async () => {
    const { watched, page } = await home("owner");
    await watched.go("/cost/budgets?account=acme%2Fvision");
    await page.getByText("No budgets yet").waitFor();
    await page.getByRole("link", { name: "Invoices" }).click();
    await page.waitForURL(/cost\/invoices\?account=acme%2Fvision/);
    await page.getByRole("row", { name: /^acme/ }).last().waitFor();
    assert.equal(await page.getByRole("row", { name: /^local/ }).count(), 0);
    await page.getByTitle("Show another account").click();
    await page.getByRole("link", { name: "All accounts" }).click();
    await page
      .getByRole("row", { name: /^local/ })
      .first()
      .waitFor();
    assert.deepEqual(watched.complaints, []);
    await watched.close();
  });

  it("narrows pages to an account that is in the address, by keys, and Back widens them", async () => {
    const { watched, page } = await home("tenant-admin", { width: 390, height: 844 });
    await watched.go("/jobs");
    await page.getByText("4 jobs").waitFor();
    const button = page.getByRole("button", { name: /All accounts/ });
    await button.focus();
    await page.keyboard.press("Enter");
    await page.getByLabel("Narrow to").waitFor();
    await page.keyboard.type("vision");
    await page.keyboard.press("Enter");
    await page.waitForURL(/account=acme%2Fvision/);
    await page.getByText("No jobs here").waitFor();
    await page.getByRole("link", { name: "Queue" }).last().click();
    await page.waitForURL(/queue\?account=acme%2Fvision/);
    await page.getByText("Nothing waits").waitFor();
    await page.goBack();
    await page.goBack();
    await page.getByText("4 jobs").waitFor();
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(overflow <= 0, `${overflow} px beyond the screen`);
    assert.deepEqual(await seriousViolations(page), []);
    assert.deepEqual(watched.complaints, []);
    await watched.close();
  });
});
