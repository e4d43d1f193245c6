import assert from "node:assert/strict";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
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

const now = new Date();
/** An hour before the month began: usage of a month that is over needs a server that lived in it. */
const monthAgoMs = Date.now() - Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1) + 3_600_000;
const lastMonth = new Date(Date.now() - monthAgoMs).toISOString().slice(0, 7);

/** Starts the server with a clock that goes behind. */
async function startBehind(server: OwnServer, byMs: number): Promise<void> {
  const shift = `const D=Date;const n=D.now.bind(D);globalThis.Date=class extends D{constructor(...a){if(a.length===0)super(n()-${byMs});else super(...a)}static now(){return n()-${byMs}}}`;
  process.env.NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(shift)}`;
  try {
    await server.start();
  } finally {
    delete process.env.NODE_OPTIONS;
  }
}

describe("the books in the console", { skip: missing }, () => {
  const server = new OwnServer("--simulated", "2x8:H100");
  before(async () => {
    await startBehind(server, monthAgoMs);
    for (const path of ["lab", "studio"]) await server.call("createAccount", { body: { path, guarantee: 6 } });
    const any = { model: "*", reservedMicros: 2_000_000_000, burstMicros: 1_000_000_000 };
    const from = new Date(Date.now() - monthAgoMs + 1000).toISOString();
    await server.call("addPrices", { body: { id: "l1", currency: "EUR", from, gpus: [any] } });
    for (const project of ["lab", "studio"])
      await server.call("submitJob", { body: { name: `of-${project}`, project, gpus: 2, run: "sleep 8" } });
    for (let left = 2; left > 0; ) left = (await server.call("listJobs", { query: { state: "live" } })).items.length;
    await server.stop();
    // What it holds would carry the time of then on; without it the machine's clock is believed.
    rmSync(join(server.data, "clock.json"));
    await server.start();
  });
  after(async () => {
    await browser.close();
    await server.end();
  });

  const owner = async (look = {}) => {
    const watched = await WatchedPage.open(browser, server.url, look);
    await watched.signInWithToken(server.ownerToken);
    return watched;
  };

  it("closes a month with its invoices shown first, and verifies one in the browser", async () => {
    const watched = await owner();
    const { page } = watched;
    const dialog = page.getByRole("dialog");
    await watched.go("/cost");
    await page.getByRole("link", { name: "Close a month" }).click();
    await page.getByRole("row", { name: /^lab chargeback/ }).waitFor();
    assert.deepEqual(await seriousViolations(page), []);
    await page.getByRole("button", { name: `Close ${lastMonth}` }).click();
    await dialog.getByText(/2 invoices over .* are written now/).waitFor();
    await page.keyboard.press("Enter");
    await dialog.waitFor({ state: "detached" });
    assert.equal((await server.call("listInvoices")).items.filter(({ status }) => status === "issued").length, 0);
    await page.getByRole("button", { name: `Close ${lastMonth}` }).click();
    await dialog.getByRole("button", { name: `Close ${lastMonth}` }).click();
    await page.getByText(`Every tenant has its invoice of ${lastMonth}`).waitFor();

    await watched.go(`/invoices/lab/${lastMonth}`);
    await page.getByRole("button", { name: "Verify it in this browser" }).click();
    await page.getByText("is sound.").waitFor();
    await page.getByText("the invoice, computed again byte for byte").waitFor();
    await page.getByText(/tessera-head\/1/).waitFor();
    assert.deepEqual(await seriousViolations(page), []);
    // An extract that was changed on its way is found out.
    await page.route("**/extract*", async (route) => {
      const answer = await route.fetch();
      await route.fulfill({ response: answer, body: (await answer.text()).replace(/H100/g, "H200") });
    });
    await page.getByRole("button", { name: "Verify it in this browser" }).click();
    await page.getByText(/is not sound: entry \d+ is not what was hashed/).waitFor();
    assert.deepEqual(watched.complaints, []);
    await watched.close();
  });

  it("books a payment with both sides shown, and counts what is owed back from it", async () => {
    const watched = await owner();
    const { page } = watched;
    await watched.go("/cost/ledger?account=lab&since=all");
    const owedBefore = (await server.call("listBilling")).items.find(({ tenant }) => tenant === "lab")!.owedMicros;
    await page.getByRole("button", { name: "Post an entry" }).click();
    const dialog = page.getByRole("dialog");
    const book = dialog.getByRole("button", { name: /^Book it/ });
    assert.equal(await book.isDisabled(), true);
    await typeInto(dialog.getByLabel("Amount"), "12,5");
    await dialog.getByText("Type 12.5.").waitFor();
    await typeInto(dialog.getByLabel("Amount"), "12.50");
    await typeInto(dialog.getByLabel("Why"), "bank transfer 88");
    await dialog.getByRole("row", { name: "owed by lab 12.50 EUR" }).waitFor();
    await dialog.getByText(/^lab (owes|has paid) .* now; after this entry lab (owes|has paid) /).waitFor();
    assert.deepEqual(await seriousViolations(page), []);
    await book.click();
    await dialog.getByText("never changed or deleted").waitFor();
    await book.click();
    await page.getByText(/Entry \d+ was booked/).waitFor();
    await page.getByText("bank transfer 88").waitFor();
    const owed = (await server.call("listBilling")).items.find(({ tenant }) => tenant === "lab")!.owedMicros;
    assert.equal(BigInt(owedBefore) - BigInt(owed), 12_500_000n);
    // What is shown after the oldest entry is that entry: the balances count back to nothing.
    const { items } = await server.call("listEntries", { query: { account: "lab", limit: 1000 } });
    await page.getByText(`${items.length} entries`).waitFor();
    assert.deepEqual(await seriousViolations(page), []);
    assert.deepEqual(watched.complaints, []);
    await watched.close();
  });

  it("agrees on a contract after trying it on the last month", async () => {
    const watched = await owner();
    const { page } = watched;
    await watched.go("/cost/contracts");
    await page.getByRole("button", { name: "Set a contract" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Tenant").selectOption("studio");
    await typeInto(dialog.getByLabel("Percent of the list's prices"), "5o");
    await dialog.getByText("Type a percentage").waitFor();
    assert.equal(await dialog.getByRole("button", { name: "Agree on it" }).isDisabled(), true);
    await typeInto(dialog.getByLabel("Percent of the list's prices"), "50");
    await dialog.getByRole("button", { name: "Try it on the last month" }).click();
    const effect = await dialog.getByText(/studio would have paid/).innerText();
    const [then, today] = [...effect.matchAll(/([\d.,]+) EUR/g)].map(([, amount]) => Number(amount!.replace(",", "")));
    assert.ok(then! > 0 && Math.abs(then! * 2 - today!) < 0.05, effect);
    assert.deepEqual(await seriousViolations(page), []);
    await dialog.getByRole("button", { name: "Agree on it" }).click();
    await page.getByRole("row", { name: /^studio.*to come.*50 %/ }).waitFor();
    assert.equal((await server.call("readPrices")).contracts[0]!.perMille, 500);
    assert.deepEqual(watched.complaints, []);
    await watched.close();
  });

  it("changes a budget with its alerts", async () => {
    await server.call("setBudget", { at: { account: "lab" }, body: { limitMicros: "900000000", every: "month" } });
    const watched = await owner();
    const { page } = watched;
    await watched.go("/cost/budgets");
    await page.getByRole("button", { name: "Change" }).click();
    const dialog = page.getByRole("dialog");
    await typeInto(dialog.getByLabel("Alerts"), "50, 200");
    await dialog.getByText("from 0.1 to 100").waitFor();
    assert.equal(await dialog.getByRole("button", { name: "Set it" }).isDisabled(), true);
    await typeInto(dialog.getByLabel("Alerts"), "60, 99.5");
    await dialog.getByLabel("Resets").selectOption("never");
    await dialog.getByRole("button", { name: "Set it" }).click();
    await dialog.waitFor({ state: "detached" });
    const [budget] = (await server.call("listBudgets")).items;
    assert.deepEqual([budget!.alertsPerMille, budget!.every], [[600, 995], "once"]);
    assert.deepEqual(watched.complaints, []);
    await watched.close();
  });

  it("stays within a phone", async () => {
    const watched = await owner({ width: 390, height: 844, dark: true });
    for (const path of ["ledger?account=lab", "contracts", "close"]) {
      await watched.go(`/cost/${path}`);
      await watched.page.locator(".card h2").first().waitFor();
      assert.ok(await watched.page.evaluate(() => document.documentElement.scrollWidth <= innerWidth + 1), path);
      assert.deepEqual(await seriousViolations(watched.page), []);
    }
    await watched.close();
  });
});
