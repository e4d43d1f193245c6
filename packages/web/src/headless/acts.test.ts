import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { after, before, describe, it } from "node:test";
import type { Browser } from "playwright-core";
import { seriousViolations } from "./axe.ts";
import { openChromium } from "./chromium.ts";
import { OwnServer } from "./server.ts";
import { focused, typeInto } from "./typing.ts";
import { WatchedPage } from "./watched-page.ts";

const built = existsSync(new URL("../../bundle/index.html", import.meta.url));
const chromium = built ? await openChromium() : { missing: "the console is not built; npm test builds it" };
const missing = "missing" in chromium ? chromium.missing : undefined;
const browser = chromium as Browser;

describe("what a person types and clicks", { skip: missing }, () => {
  const server = new OwnServer("--simulated", "2x8:H100");
  const ids: Record<string, string> = {};
  before(async () => {
    await server.start();
    await server.call("createAccount", { body: { path: "acme", guarantee: 6 } });
    const any = { model: "*", reservedMicros: 2_125_000, burstMicros: 1_000_000 };
    await server.call("addPrices", {
      body: { id: "l1", currency: "EUR", from: new Date().toISOString(), gpus: [any] },
    });
    for (const name of ["ana", "bo"])
      ids[name] = (await server.call("createUser", { body: { name, role: "member", account: "acme" } })).id;
    await server.call("createToken", { body: { user: ids.ana!, label: "ci" } });
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
  const budgetOf = async (account: string) =>
    (await server.call("listBudgets")).items.find((budget) => budget.account === account);

  it("goes into the first field of search and of every dialog", async () => {
    const watched = await owner();
    const { page } = watched;
    await page.keyboard.press("/");
    await page.keyboard.type("quota");
    await page.getByRole("option", { name: /Quota/ }).first().waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL("**/quota");
    await page.getByRole("button", { name: "New account" }).click();
    await page.keyboard.type("typed");
    await page.keyboard.press("Enter");
    await page.getByText("typed was made.").waitFor();
    await watched.go("/people");
    await page.getByRole("button", { name: "New user" }).click();
    assert.equal(await focused(page), "Login name");
    await watched.go("/cost/budgets");
    await page.getByRole("button", { name: "Set a budget" }).click();
    assert.equal(await focused(page), "Account");
    const { items } = await server.call("listNodes");
    await watched.go(`/nodes/${items[0]!.name}`);
    await page.getByRole("button", { name: "Cordon" }).click();
    assert.equal(await focused(page), "Reason");
    assert.deepEqual(watched.complaints, []);
    await watched.close();
  });

  it("is an amount of money as the reader's language writes it, and says what it means before it is saved", async () => {
    for (const [locale, typed, means, command, saved] of [
      ["en-US", "90,000", "= 90,000.00 EUR a month", "--limit 90000 ", /of 90,000\.00 EUR/],
      ["de-DE", "41.472,22", "= 41.472,22 EUR a month", "--limit 41472.22 ", /of 41\.472,22 EUR/],
    ] as const) {
      const watched = await owner({ locale });
      const { page } = watched;
      await watched.go("/cost/budgets");
      await page.getByRole("button", { name: "Set a budget" }).click();
      const limit = page.getByLabel("At most, per month");
      await page.getByLabel("Account").selectOption("acme");
      await typeInto(limit, locale === "en-US" ? "90.000" : "90,000");
      await page.getByText(/may mean two amounts\. Type 90000/).waitFor();
      assert.equal(await page.getByRole("button", { name: "Set it" }).isDisabled(), true);
      await typeInto(limit, typed);
      await page.getByText(means).waitFor();
      await page.getByText(command).waitFor();
      await page.getByText(/EUR spent this month/).waitFor();
      const told = page.getByRole("status").filter({ hasText: "Nothing stops now." });
      await told.waitFor();
      const button = page.getByRole("button", { name: "Set it" });
      assert.equal(await button.getAttribute("aria-describedby"), await told.getAttribute("id"));
      await button.click();
      await page.getByText(saved).waitFor();
      await watched.close();
    }
    assert.equal((await budgetOf("acme"))!.limitMicros, "41472220000");

    const watched = await owner();
    const { page } = watched;
    await watched.go("/cost/invoices");
    await page.getByRole("row", { name: /^acme/ }).getByRole("button", { name: "Change" }).click();
    await typeInto(page.getByLabel("Credit limit"), "12,5");
    await page.getByText("Type 12.5.").waitFor();
    await typeInto(page.getByLabel("Credit limit"), "5,000");
    await page.getByText("= 5,000.00 EUR").waitFor();
    await page.getByRole("button", { name: "Set it" }).click();
    await page.getByText("acme is billed by").waitFor();
    const billing = (await server.call("listBilling")).items.find(({ tenant }) => tenant === "acme")!;
    assert.equal(billing.creditLimitMicros, "5000000000");

    await watched.go("/settings/prices");
    await typeInto(page.getByLabel("Burst, H100"), "1,250");
    await page.getByText("= 1,250.00 EUR").waitFor();
    await typeInto(page.getByLabel("Name", { exact: true }), "l2");
    await page.getByRole("button", { name: "Add it" }).click();
    await page.getByRole("dialog").getByText("It applies in a minute").waitFor();
    await page.getByRole("button", { name: "Add the price list" }).click();
    await page.getByText("The price list was added.").waitFor();
    const { gpus } = (await server.call("readPrices")).versions.at(-1)!;
    const h100 = gpus.find(({ model }) => model === "H100")!;
    assert.deepEqual([h100.reservedMicros, h100.burstMicros], [2_125_000, 1_250_000_000]);
    assert.deepEqual(watched.complaints, []);
    await watched.close();
  });

  it("changes the budget that an account has, and none that somebody else has changed meanwhile", async () => {
    const how = { every: "once", stop: "stop-burst" } as const;
    const terms = { ...how, limitMicros: "500000000", alertsPerMille: [600, 995] };
    await server.call("setBudget", { at: { account: "acme" }, body: terms });
    const watched = await owner();
    const { page } = watched;
    const dialog = page.getByRole("dialog");
    await watched.go("/cost/budgets");
    await page.getByRole("button", { name: "Set a budget" }).click();
    await dialog.getByLabel("Account").selectOption("acme");
    await dialog.getByRole("heading", { name: "Change the budget of acme" }).waitFor();
    await dialog.getByText("acme has a budget of 500.00 EUR, spent once.").waitFor();
    const alerts = dialog.getByLabel("Alerts");
    assert.equal(await alerts.inputValue(), "60, 99.5");
    assert.equal(await dialog.getByLabel("Resets").inputValue(), "once");
    await typeInto(alerts, "70");
    // Typed by one, changed by another.
    await server.call("setBudget", { at: { account: "acme" }, body: { ...terms, limitMicros: "700000000" } });
    await dialog.getByRole("button", { name: "Set it" }).click();
    await dialog.getByText(/was changed by someone else while you typed: 700\.00 EUR in all/).waitFor();
    assert.equal(await alerts.inputValue(), "70");
    assert.equal((await budgetOf("acme"))!.limitMicros, "700000000");
    assert.deepEqual(await seriousViolations(page), []);
    await dialog.getByRole("button", { name: "Go on with mine" }).click();
    await dialog.getByRole("button", { name: "Set it" }).click();
    await dialog.waitFor({ state: "detached" });
    const { limitMicros, alertsPerMille, every, stop } = (await budgetOf("acme"))!;
    assert.deepEqual([limitMicros, alertsPerMille, every, stop], ["500000000", [700], "once", "stop-burst"]);
    await watched.close();
  });

  it("keeps what was typed over prices, the policy and billing that somebody else has changed meanwhile", async () => {
    const watched = await owner();
    const { page } = watched;
    const dialog = page.getByRole("dialog");
    const goOn = page.getByRole("button", { name: "Go on with mine" });
    await watched.go("/settings/prices");
    const burst = page.getByLabel("Burst, H100");
    await typeInto(burst, "5.25");
    const last = (await server.call("readPrices")).versions.at(-1)!;
    const from = new Date(Date.now() + 600_000).toISOString();
    const theirs = { ...last, id: "theirs", from, cpuMicrosPerCoreHour: 70_000 };
    await server.call("addPrices", { body: theirs });
    await page.getByRole("button", { name: "Add it" }).click();
    await dialog.getByText(/^H100, burst: .* → 5\.25 EUR an hour$/).waitFor();
    await dialog.getByRole("button", { name: "Add the price list" }).click();
    await page.getByText("The price list theirs was added by someone else while you typed.").waitFor();
    assert.equal(await burst.inputValue(), "5.25");
    assert.deepEqual(await seriousViolations(page), []);
    await goOn.click();
    await page.getByRole("button", { name: "Add it" }).click();
    await dialog.getByRole("button", { name: "Add the price list" }).click();
    await page.getByText("The price list was added.").waitFor();
    const mine = (await server.call("readPrices")).versions.at(-1)!;
    assert.equal(mine.gpus.find(({ model }) => model === "H100")!.burstMicros, 5_250_000);
    assert.equal(mine.cpuMicrosPerCoreHour, 70_000, "their price is kept");
    assert.ok(mine.from > from);

    await watched.go("/settings");
    const grace = page.getByLabel("Grace period of jobs without a checkpoint");
    await typeInto(grace, "44s");
    const { revision: _, ...policy } = await server.call("getPolicy");
    await server.call("setPolicy", { body: { ...policy, movesPerHourMax: 7 } });
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("The policy was changed by someone else while you typed.").waitFor();
    assert.equal(await grace.inputValue(), "44s");
    await goOn.click();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("The policy was changed.", { exact: true }).waitFor();
    const after = await server.call("getPolicy");
    assert.deepEqual([after.grace, after.movesPerHourMax], ["44s", 7]);

    await watched.go("/cost/invoices");
    await page.getByRole("row", { name: /^acme/ }).getByRole("button", { name: "Change" }).click();
    await typeInto(page.getByLabel("Credit limit"), "77");
    await page.getByText(/of credit are left/).waitFor();
    await server.call("setBilling", { at: { account: "acme" }, body: { mode: "showback" } });
    await dialog.getByRole("button", { name: "Set it" }).click();
    await dialog
      .getByText(/was changed by someone else while you typed: showback, credit limit 5,000\.00 EUR now/)
      .waitFor();
    assert.equal(await page.getByLabel("Credit limit").inputValue(), "77");
    await dialog.getByRole("button", { name: "Close" }).click();
    await server.call("setBilling", { at: { account: "acme" }, body: { mode: "chargeback", creditLimitMicros: null } });
    await watched.close();
  });

  it("asks with the consequence named before it disables, takes, revokes or drops", async () => {
    const watched = await owner();
    const { page } = watched;
    const dialog = page.getByRole("dialog");
    /** Enter alone does nothing, since the focus is on Cancel. */
    const enterKeeps = async () => {
      await dialog.waitFor();
      await page.keyboard.press("Enter");
      await dialog.waitFor({ state: "detached" });
    };
    await watched.go(`/people/${ids.ana}`);
    await page.getByRole("button", { name: "Revoke" }).click();
    await dialog.getByText("Every program that uses this token is refused").waitFor();
    assert.deepEqual(await seriousViolations(page), []);
    await enterKeeps();
    assert.equal((await server.call("listTokens", { query: { user: ids.ana! } })).items.length, 1);
    await page.getByRole("button", { name: "Revoke" }).click();
    await dialog.getByRole("button", { name: "Revoke the token" }).click();
    await page.getByText("The token was revoked.").waitFor();

    await page.getByRole("button", { name: "Remove" }).click();
    await dialog.getByText("it is the only role").waitFor();
    await enterKeeps();
    assert.equal((await server.call("getUser", { at: { user: ids.ana! } })).bindings.length, 1);

    await watched.go(`/people/${ids.bo}`);
    await page.getByRole("button", { name: "Disable" }).click();
    await dialog.getByText("signed out everywhere now").waitFor();
    await enterKeeps();
    assert.equal((await server.call("getUser", { at: { user: ids.bo! } })).disabled, false);
    await page.getByRole("button", { name: "Disable" }).click();
    await dialog.getByRole("button", { name: "Disable bo" }).click();
    await page.getByText("bo is refused from now on.").waitFor();

    await server.call("setBudget", { at: { account: "acme" }, body: { limitMicros: "1000000", every: "month" } });
    await watched.go("/cost/budgets");
    await page.getByRole("button", { name: "Delete" }).click();
    await dialog.getByText("Nothing limits what acme spends").waitFor();
    await enterKeeps();
    assert.ok(await budgetOf("acme"));
    assert.deepEqual(watched.complaints, []);
    await watched.close();
  });

  it("drains a node from the keyboard, and not with a deadline that cannot be read", async () => {
    const watched = await owner();
    const { page } = watched;
    const { items } = await server.call("listNodes");
    await watched.go(`/nodes/${items[0]!.name}`);
    await page.getByRole("button", { name: "Drain" }).click();
    await page.keyboard.type("new fan");
    await typeInto(page.getByLabel("Deadline"), "soon");
    await page.locator(".wrong", { hasText: "soon is not a duration" }).waitFor();
    assert.equal(await page.getByRole("button", { name: "Drain it" }).isDisabled(), true);
    await page.keyboard.press("Enter");
    assert.equal(await page.getByLabel("Reason").inputValue(), "new fan");
    await typeInto(page.getByLabel("Deadline"), "30m");
    await page.keyboard.press("Enter");
    await page.getByText("is draining.").waitFor();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await watched.close();
  });

  it("makes an auditor of the whole platform", async () => {
    const watched = await owner();
    const { page } = watched;
    await watched.go("/people");
    await page.getByRole("button", { name: "New user" }).click();
    await page.keyboard.type("vera");
    await page.getByLabel("Role", { exact: true }).selectOption("auditor");
    await page.getByLabel("At", { exact: true }).selectOption("the platform");
    await page.getByRole("button", { name: "Create the user" }).click();
    await page.getByText("User vera was created.").waitFor();
    const vera = (await server.call("listUsers")).items.find(({ name }) => name === "vera")!;
    assert.deepEqual(
      vera.bindings.map(({ role, account }) => [role, account]),
      [["auditor", ""]],
    );
    assert.deepEqual(watched.complaints, []);
    await watched.close();
  });

  it("is offered only where it is allowed; elsewhere it is off and says which role it needs", async () => {
    const entered = async (name: string, role: "viewer" | "tenant-admin") => {
      const user = (await server.call("createUser", { body: { name, role, account: "acme" } })).id;
      const watched = await WatchedPage.open(browser, server.url);
      await watched.signInWithToken((await server.call("createToken", { body: { user } })).token);
      return watched;
    };
    const later = { name: "later", project: "acme", run: "true", not_before: "2100-01-01T00:00:00Z" };
    const { id: job } = await server.call("submitJob", { body: later });
    const viewer = await entered("vi", "viewer");
    await viewer.go(`/jobs/${job}`);
    const cancel = viewer.page.getByRole("button", { name: "Cancel" });
    await cancel.waitFor();
    assert.equal(await cancel.getAttribute("aria-disabled"), "true");
    await cancel.focus();
    await viewer.page.keyboard.press("Enter");
    await viewer.page.getByText("Needs the role tenant-admin or team-admin at acme").waitFor();
    assert.equal(await viewer.page.locator("dialog[open]").count(), 0, "nothing is asked");
    assert.deepEqual(await seriousViolations(viewer.page), []);
    assert.deepEqual(viewer.complaints, []);
    await viewer.close();
    const admin = await entered("ad", "tenant-admin");
    await admin.go("/quota/acme");
    await admin.page
      .getByText("Changing it needs the role platform-owner; ask one of the platform's owners.")
      .waitFor();
    assert.equal(await admin.page.getByRole("button", { name: "Save" }).count(), 0);
    await server.call("createAccount", { body: { path: "acme/below" } });
    await admin.go("/quota/acme/below");
    await admin.page.getByRole("button", { name: "Save" }).waitFor();
    assert.deepEqual(admin.complaints, []);
    await admin.close();
  });

  it("is not submitted where it would be refused, and accounts of others are named with the role they need", async () => {
    for (const path of ["mill", "mill/a"]) await server.call("createAccount", { body: { path } });
    const user = (await server.call("createUser", { body: { name: "mo", role: "viewer", account: "mill" } })).id;
    await server.call("bindRole", { body: { user, role: "member", account: "mill/a" } });
    const watched = await WatchedPage.open(browser, server.url);
    const { page } = watched;
    await watched.signInWithToken((await server.call("createToken", { body: { user } })).token);
    await watched.go("/new");
    const account = page.getByLabel("Account");
    await account.locator("option", { hasText: /^mill\/a$/ }).waitFor({ state: "attached" });
    assert.equal(await account.locator("option", { hasText: /^mill\/a$/ }).isEnabled(), true);
    assert.equal(await account.locator("option", { hasText: /^mill$/ }).isEnabled(), false);
    await page.getByText(/^Jobs of mill: Needs the role .*member.* at mill; ask a /).waitFor();
    await account.selectOption("mill/a");
    const submit = page.getByRole("button", { name: "Submit" });
    await page.getByText(/It would (start now|wait)/).waitFor();
    assert.equal(await submit.isEnabled(), true);
    await typeInto(page.getByLabel("Time limit"), "soon");
    await page.locator(".notice.bad").waitFor();
    assert.equal(await submit.isEnabled(), false);
    await typeInto(page.getByLabel("Time limit"), "2h");
    await page.locator(".notice.bad").waitFor({ state: "detached" });
    await submit.click();
    await page.waitForURL(/\/jobs\/job_/);
    // The browser itself tells of each refusal.
    assert.deepEqual(
      watched.complaints.filter((text) => !text.includes("status of 400")),
      [],
    );
    await watched.close();
  });

  it("opens a dialog again after a session that ends, with what was typed; a click beside it loses nothing", async () => {
    const watched = await owner();
    const { page } = watched;
    const dialog = page.getByRole("dialog");
    await server.call("createAccount", { body: { path: "acme/kept" } });
    await watched.go("/cost/budgets");
    await page.getByRole("button", { name: "Set a budget" }).waitFor();
    // From the palette: its entry opens the form.
    await page.keyboard.press("ControlOrMeta+k");
    await page.keyboard.type("set a budget");
    await page.getByRole("option", { name: /Set a budget/, selected: true }).waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("dialog", { name: "Set a budget" }).waitFor();
    await dialog.getByLabel("Account").selectOption("acme/kept");
    await typeInto(dialog.getByLabel("At most, per month"), "123.45");
    await page.mouse.click(5, 5);
    await dialog.waitFor();
    await page.context().clearCookies();
    await page.reload();
    await page.getByRole("button", { name: "Use a token" }).click();
    await typeInto(page.getByLabel("Token"), server.ownerToken);
    // What was typed is there before the accounts are.
    let send = () => {};
    const sent = new Promise<void>((resolve) => {
      send = resolve;
    });
    await page.route("**/v1/accounts?*", (route) => sent.then(() => route.continue()));
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await dialog.waitFor();
    assert.equal(await dialog.getByLabel("Account").inputValue(), "acme/kept");
    assert.equal(await dialog.getByLabel("At most, per month").inputValue(), "123.45");
    send();
    await dialog.locator('option[value="acme"]').waitFor({ state: "attached" });
    assert.equal(await dialog.getByLabel("Account").inputValue(), "acme/kept");
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });

    const { items } = await server.call("listNodes");
    await watched.go(`/nodes/${items.at(-1)!.name}`);
    await page.getByRole("button", { name: "Cordon" }).click();
    await page.keyboard.type("new fan");
    await page.mouse.click(5, 5);
    assert.equal(await dialog.getByLabel("Reason").inputValue(), "new fan");
    await page.reload();
    assert.equal(await dialog.getByLabel("Reason").inputValue(), "new fan");
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Cordon" }).click();
    assert.equal(await dialog.getByLabel("Reason").inputValue(), "");
    await page.mouse.click(5, 5);
    await dialog.waitFor({ state: "detached" });
    await watched.close();
  });

  it("asks before a role that reaches the work of others is given, before all sessions end, and before an erasure", async () => {
    const watched = await owner();
    const { page } = watched;
    const dialog = page.getByRole("dialog");
    const { id } = await server.call("createUser", { body: { name: "eve", role: "member", account: "acme" } });
    const rolesOf = async () => (await server.call("getUser", { at: { user: id } })).bindings.map(({ role }) => role);
    await watched.go(`/people/${id}`);
    await page.getByLabel("Role", { exact: true }).selectOption("platform-owner");
    await page.getByRole("button", { name: "Give" }).click();
    await dialog.getByText(/eve may then stop and read every job, .* give and take every role/).waitFor();
    await page.keyboard.press("Enter");
    await dialog.waitFor({ state: "detached" });
    assert.deepEqual(await rolesOf(), ["member"]);
    await page.getByRole("button", { name: "Give" }).click();
    await dialog.getByRole("button", { name: "Give the role" }).click();
    await page.getByText("eve is platform-owner of the platform now.").waitFor();
    assert.ok((await rolesOf()).includes("platform-owner"));

    await page.getByRole("button", { name: "New token" }).click();
    await typeInto(dialog.getByLabel("What it is for"), "nightly");
    await typeInto(dialog.getByLabel("Only for"), "job.read job.submit");
    await typeInto(dialog.getByLabel("Only from"), "the office");
    await dialog.getByText("the is not a network: type 10.1.0.0/16.").waitFor();
    await typeInto(dialog.getByLabel("Only from"), "10.1.0.0/16");
    await dialog.getByLabel("Works at").selectOption("acme");
    await dialog.getByText(/--scope job\.read job\.submit --account acme --network 10\.1\.0\.0\/16/).waitFor();
    assert.deepEqual(await seriousViolations(page), []);
    await dialog.getByRole("button", { name: "Create", exact: true }).click();
    await page.getByRole("heading", { name: "Your new token" }).waitFor();
    const [token] = (await server.call("listTokens", { query: { user: id } })).items;
    assert.deepEqual(
      [token!.label, token!.scopes, token!.account, token!.networks],
      ["nightly", ["job.read", "job.submit"], "acme", ["10.1.0.0/16"]],
    );
    await page.keyboard.press("Escape");

    await page.getByRole("button", { name: "Erase", exact: true }).click();
    const erase = dialog.getByRole("button", { name: "Erase eve" });
    assert.equal(await erase.isDisabled(), true);
    await page.keyboard.type("eve");
    await erase.click();
    await page.getByText("eve was erased.").waitFor();
    await page.waitForURL("**/people");
    await assert.rejects(server.call("getUser", { at: { user: id } }), /404/);

    const menu = page.getByRole("button", { name: /owner/ }).first();
    await menu.click();
    await page.getByRole("button", { name: "Sign out everywhere" }).click();
    await dialog.getByText("Every browser and terminal").waitFor();
    await page.keyboard.press("Enter");
    await dialog.waitFor({ state: "detached" });
    await page.getByRole("heading", { name: "People and tokens" }).waitFor();
    await watched.close();
  });
});
