import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
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
const password = "correct horse battery";
const canary = "zqcanary";

describe("the console in a real browser", { skip: missing }, () => {
  const server = new OwnServer("--virtual", "2x4:H100");
  const tokens: Record<string, string> = {};

  before(async () => {
    await server.start();
    for (const [path, guarantee] of [
      ["acme", 6],
      ["acme/team", 4],
      [canary, 2],
    ] as const)
      await server.call("createAccount", { body: { path, guarantee } });
    const any = { model: "*", reservedMicros: 2_000_000, burstMicros: 1_000_000 };
    await server.call("addPrices", {
      body: { id: "l1", currency: "EUR", from: new Date().toISOString(), gpus: [any] },
    });
    const roles = ["tenant-admin", "team-admin", "member", "viewer", "finance", "auditor"] as const;
    for (const role of roles) {
      const account = role === "team-admin" ? "acme/team" : "acme";
      const user = await server.call("createUser", { body: { name: `the-${role}`, role, account } });
      tokens[role] = (await server.call("createToken", { body: { user: user.id } })).token;
    }
    const ana = await server.call("createUser", { body: { name: "ana", role: "member", account: "acme" } });
    await server.call("setPassword", { at: { user: ana.id }, body: { password } });
    const spy = await server.call("createUser", { body: { name: `${canary}-user`, role: "member", account: canary } });
    const { token } = await server.call("createToken", { body: { user: spy.id, label: canary } });
    await server.call("submitJob", {
      token,
      body: { name: `${canary}-job`, project: canary, gpus: 1, run: `echo ${canary}; sleep 3600`, env: { X: canary } },
    });
  });
  after(async () => {
    await browser.close();
    await server.end();
  });

  const open = (look = {}) => WatchedPage.open(browser, server.url, look);

  it("lets a member sign in, submit by form, see it run and read its log, and apply what would start a waiting job", async () => {
    const watched = await open();
    const { page } = watched;
    await watched.signIn("ana", password);
    await page.getByRole("heading", { name: "My work" }).waitFor();

    await page.getByRole("banner").getByRole("link", { name: "New job" }).click();
    await typeInto(page.getByLabel("Name"), "from-the-form");
    await typeInto(page.getByLabel("Command"), "for i in 1 2 3; do echo line-$i; done; sleep 3600");
    await typeInto(page.getByLabel("GPUs"), "3");
    await page.getByText("It would start now").waitFor();
    await page.getByRole("button", { name: "Submit" }).click();
    await page.getByText(/running · /).waitFor();
    await page.getByRole("region", { name: "Log" }).getByText("line-3").waitFor();

    await page.getByRole("banner").getByRole("link", { name: "New job" }).click();
    await typeInto(page.getByLabel("Name"), "filler");
    await typeInto(page.getByLabel("Command"), "sleep 3600");
    await typeInto(page.getByLabel("GPUs"), "3");
    await page.getByText("It would start now").waitFor();
    await page.getByRole("button", { name: "Submit" }).click();
    await page.getByText(/running · /).waitFor();

    await page.getByRole("banner").getByRole("link", { name: "New job" }).click();
    await typeInto(page.getByLabel("Name"), "too-large");
    await typeInto(page.getByLabel("Command"), "echo smaller-is-fine; sleep 3600");
    await typeInto(page.getByLabel("GPUs"), "4");
    await page.getByText("It would wait").waitFor();
    await page.getByRole("button", { name: "Submit" }).click();
    await page.getByText("What would help").waitFor();
    await page.locator(".alternative").first().getByRole("button", { name: "Apply" }).click();
    await page.getByRole("button", { name: "Apply the change" }).click();
    await page.getByRole("region", { name: "Log" }).getByText("smaller-is-fine").waitFor();

    await page.getByRole("link", { name: "Queue", exact: true }).first().click();
    await page.getByText("Nothing waits").waitFor();
    await page.getByRole("button", { name: "ana" }).click();
    await page.getByRole("button", { name: "Sign out", exact: true }).click();
    await page.getByRole("button", { name: "Sign in" }).waitFor();
    await watched.go("/jobs");
    await page.getByRole("button", { name: "Sign in" }).waitFor();
    assert.deepEqual(watched.complaints, []);
    await watched.close();
  });

  it("warns when the server shows another history than the one that the browser remembers", async () => {
    const watched = await open();
    const { page } = watched;
    await watched.signInWithToken(server.ownerToken);
    await page.waitForFunction(() => localStorage.getItem("tessera-head") !== null);
    await page.evaluate(() => {
      const { key, checked } = JSON.parse(localStorage.getItem("tessera-head") ?? "");
      const other = checked.replace(/tree=[0-9a-f]{8}/, "tree=00000000");
      localStorage.setItem("tessera-head", JSON.stringify({ key, checked: other, seen: other, checkedAt: 0 }));
    });
    await page.reload();
    const warning = page.getByRole("alert").filter({ hasText: "The history of this server was changed" });
    await warning.getByText(/remembered: tessera-head\/1 .* tree=00000000/).waitFor();
    await warning.getByRole("button", { name: "Believe it from now on" }).click();
    await warning.waitFor({ state: "detached" });
    await page.reload();
    await page.waitForFunction(() => localStorage.getItem("tessera-head") !== null);
    assert.equal(await warning.count(), 0);
    await watched.close();
  });

  it("lets the owner change a quota with its effect told first, and drain a node with its blockers shown", async () => {
    const watched = await open();
    const { page } = watched;
    await watched.signInWithToken(server.ownerToken);
    await watched.go("/quota/acme");
    await page.getByLabel("Guarantee (GPUs)").click();
    await page.keyboard.press("Control+A");
    await page.keyboard.type("900");
    await page.getByText("Guarantee of any model: 6 → 900").waitFor();
    await page.getByText(/This is refused/).waitFor();
    assert.equal(await page.getByRole("button", { name: "Save" }).isEnabled(), false);
    await page.keyboard.press("Control+A");
    await page.keyboard.type("5");
    await page.getByText("Guarantee of any model: 6 → 5").waitFor();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("acme was changed.").waitFor();
    assert.deepEqual((await server.call("getAccount", { at: { account: "acme" } })).guarantee, { "*": 5 });

    const { items } = await server.call("listNodes");
    const busy = items.find(({ gpus, gpusFree }) => gpusFree < gpus)!;
    await watched.go(`/nodes/${busy.name}`);
    await page.getByRole("button", { name: "Drain" }).click();
    await typeInto(page.getByLabel("Reason"), "new fan");
    await page.getByRole("button", { name: "Drain it" }).click();
    await page.getByText(/still running here/).waitFor();
    await page.getByRole("button", { name: "Take work again" }).click();
    await page.getByText(`${busy.name} takes work again.`).waitFor();
    assert.deepEqual(watched.complaints, []);
    await watched.close();
  });

  it("lets finance see what was spent, set a budget, and open the draft of an invoice line by line", async () => {
    const watched = await open();
    const { page } = watched;
    await watched.signInWithToken(tokens.finance!);
    await page.locator('.rail a[title="Cost"]').click();
    await page.getByRole("link", { name: "Money" }).click();
    await page.getByRole("cell", { name: "acme", exact: true }).or(page.getByText("By account")).first().waitFor();
    await page.getByRole("link", { name: "Budgets" }).click();
    await page.getByRole("button", { name: "Set a budget" }).click();
    await page.getByLabel("Account").selectOption("acme");
    await typeInto(page.getByLabel("At most, per month"), "250.50");
    await page.getByRole("button", { name: "Set it" }).click();
    await page.getByText(/of 250\.50 EUR this month/).waitFor();
    await page.getByRole("link", { name: "Invoices" }).click();
    const billed = page.getByRole("row", { name: /^acme chargeback/ });
    await billed.getByText("no limit").waitFor();
    assert.equal(await billed.getByRole("button").count(), 0);
    await page.getByRole("link", { name: "acme" }).click();
    await page.getByRole("heading", { name: /Draft of an invoice for acme/ }).waitFor();
    const [file] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "FOCUS file" }).click(),
    ]);
    assert.match(readFileSync(await file.path(), "utf8"), /^AvailabilityZone,BilledCost,.*\r\n.*,acme,/);
    await page.getByRole("button", { name: "Explain line 1" }).click();
    await page.getByRole("dialog", { name: /^Line 1/ }).waitFor();
    assert.equal((await watched.everything()).includes(canary), false);
    assert.deepEqual(watched.complaints, []);
    await watched.close();
  });

  it("lets the owner limit a tenant's credit, page through invoices, and try prices by model before they are added", async () => {
    const watched = await open();
    const { page } = watched;
    // A page of one, so that there is an older one.
    await page.route(/\/v1\/invoices\?/, (route) =>
      route.continue({ url: route.request().url().replace("limit=100", "limit=1") }),
    );
    await watched.signInWithToken(server.ownerToken);
    await watched.go("/cost/invoices");
    for (const tenant of ["acme", "local", canary]) {
      await page.getByRole("link", { name: tenant, exact: true }).waitFor();
    }
    assert.deepEqual(await page.locator("td a").allTextContents(), ["acme", "local", canary]);

    await page
      .getByRole("row", { name: /^acme chargeback/ })
      .getByRole("button", { name: "Change" })
      .click();
    const dialog = page.getByRole("dialog", { name: "How acme is billed" });
    await typeInto(dialog.getByLabel("Credit limit"), "a lot");
    await dialog.getByText("a lot is not an amount.").waitFor();
    await typeInto(dialog.getByLabel("Credit limit"), "1000.50");
    await dialog.getByLabel("Billing", { exact: true }).selectOption("showback");
    assert.deepEqual(await seriousViolations(page), []);
    await dialog.getByRole("button", { name: "Set it" }).click();
    await page.getByText("acme is billed by showback now.").waitFor();
    await page.getByRole("row", { name: /^acme showback/ }).waitFor();
    const billing = (await server.call("listBilling")).items.find(({ tenant }) => tenant === "acme")!;
    assert.deepEqual([billing.mode, billing.creditLimitMicros], ["showback", "1000500000"]);

    await watched.go("/settings/prices");
    const burst = page.getByLabel("Burst, H100");
    await typeInto(burst, "much");
    assert.equal(await page.getByRole("button", { name: "Add it" }).isDisabled(), true);
    await typeInto(burst, "4.25");
    await typeInto(page.getByLabel("Name", { exact: true }), "l2");
    await page.getByRole("button", { name: "Try it on a month" }).click();
    await page.getByText(/would have come to .* instead of /).waitFor();
    await page.getByRole("button", { name: "Add it" }).click();
    await page.getByRole("button", { name: "Add the price list" }).click();
    await page.getByText("The price list was added.").waitFor();
    await page.getByRole("row", { name: /^H100 2\.00 EUR 4\.25 EUR/ }).waitFor();
    const { versions } = await server.call("readPrices");
    assert.deepEqual(
      versions.at(-1)!.gpus.map(({ model, burstMicros }) => [model, burstMicros]),
      [
        ["H100", 4_250_000],
        ["*", 1_000_000],
      ],
    );
    assert.deepEqual(watched.complaints, []);
    await watched.close();
  });

  it("[S23] shows each role its own pages, and no trace of another tenant", async () => {
    const seen: Record<string, string[]> = {
      "tenant-admin": ["Home", "Fleet", "Queue", "Jobs", "Quota", "Cost", "Nodes", "People", "Audit", "Settings"],
      "team-admin": ["Home", "Fleet", "Queue", "Jobs", "Quota", "Cost", "Nodes", "People", "Settings"],
      member: ["Home", "Fleet", "Queue", "Jobs", "Quota", "Cost", "Nodes", "People", "Settings"],
      viewer: ["Home", "Fleet", "Queue", "Jobs", "Quota", "Cost", "Nodes", "People", "Settings"],
      finance: ["Home", "Fleet", "Quota", "Cost", "Nodes", "People", "Settings"],
      auditor: ["Home", "Fleet", "Queue", "Jobs", "Quota", "Cost", "Nodes", "People", "Audit", "Settings"],
    };
    for (const [role, labels] of Object.entries(seen)) {
      const watched = await open();
      const { page } = watched;
      await watched.signInWithToken(tokens[role]!);
      const links = page.locator(".rail a:not(.home)");
      assert.deepEqual(await links.allTextContents(), labels, role);
      for (const label of labels) {
        await page.locator(`.rail a[title="${label}"]`).click();
        await page.locator(".page h1").first().waitFor();
        const text = await watched.everything();
        assert.equal(text.includes(canary), false, `${role} on ${label}`);
      }
      await watched.go("/fleet?colour=tenant");
      await page.locator(".legend").waitFor();
      assert.equal((await watched.everything()).includes(canary), false, `${role} on the map`);
      assert.deepEqual(watched.complaints, [], role);
      await watched.close();
    }
  });

  it("has no serious fault of accessibility on any page, light or dark", async () => {
    const { items } = await server.call("listJobs", { query: { state: "live" } });
    const job = items.find(({ name }) => name === "from-the-form") ?? items[0]!;
    const pages = [
      "/",
      "/queue",
      "/jobs",
      `/jobs/${job.id}`,
      `/jobs/${job.id}/spec`,
      "/new",
      "/fleet",
      "/fleet/engines",
      "/fleet/pools",
      "/quota/acme",
      "/cost",
      "/cost/money",
      "/cost/budgets",
      "/cost/invoices",
      "/nodes",
      `/nodes/${job.members[0]!.node}`,
      "/people",
      "/people/me",
      "/audit",
      "/settings",
    ];
    for (const dark of [false, true]) {
      const watched = await open({ dark });
      await watched.go("/");
      await watched.page.getByRole("button", { name: "Sign in" }).waitFor();
      assert.deepEqual(await seriousViolations(watched.page), [], "sign in");
      await watched.signInWithToken(server.ownerToken);
      // The colours are the same everywhere; in the dark, pages that use most of them are enough.
      for (const path of dark ? ["/", `/jobs/${job.id}`, "/fleet", "/quota/acme"] : pages) {
        await watched.go(path);
        await watched.page.locator(".page h1").first().waitFor();
        await watched.page.waitForLoadState("load");
        assert.deepEqual(await seriousViolations(watched.page), [], `${path} ${dark ? "dark" : "light"}`);
      }
      await watched.close();
    }
  });

  it("finds audit entries by text, action and user, and the address of the page keeps the search", async () => {
    const watched = await open();
    const { page } = watched;
    await watched.signInWithToken(server.ownerToken);
    await watched.go("/audit?action=user.create");
    const entries = page.getByRole("region", { name: "Audit" });
    await entries.getByText("user.create").first().waitFor();
    assert.equal(await entries.getByText("account.create").count(), 0);
    await typeInto(page.getByLabel("Text", { exact: true }), "the-auditor");
    await page.waitForURL("**/audit?*text=the-auditor*");
    await page.getByRole("heading", { name: "1 entry" }).waitFor();
    await page.getByLabel("Outcome", { exact: true }).selectOption("failed");
    await page.getByText("No entry matches").waitFor();
    assert.deepEqual(watched.complaints, []);
    await watched.close();
  });

  it("says on the audit page how far the history is proven, and proves it up to its newest head on request", async () => {
    const watched = await open();
    const { page } = watched;
    await watched.signInWithToken(server.ownerToken);
    await watched.go("/audit");
    await page.getByText("continues what was seen before").first().waitFor();
    await server.call("createUser", { body: { name: "newest-of-all" } });
    const newest = (await server.call("getHead")).row;
    await page.getByRole("button", { name: "Compare now" }).click();
    const rows = page.getByText(/by this browser up to row/);
    const rowOf = (text: string) => Number(/row ([\d,]+)/.exec(text)![1]!.replaceAll(",", ""));
    while (rowOf((await rows.textContent())!) < newest) await page.waitForTimeout(100);
    await page.getByText("none: heads are kept only on the server").waitFor();
    assert.deepEqual(watched.complaints, []);
    await watched.close();
  });

  it("is worked with the keyboard", async () => {
    const watched = await open();
    const { page } = watched;
    await watched.signInWithToken(server.ownerToken);
    await page.keyboard.press("g");
    await page.keyboard.press("f");
    await page.getByRole("heading", { name: "Fleet" }).waitFor();
    const map = page.locator(".fleet-map");
    await map.focus();
    await page.keyboard.press("ArrowDown");
    await page.getByRole("complementary").waitFor();
    const card = page.locator(".map-card");
    await card.getByText(/State/).waitFor();
    await page.keyboard.press("Shift+ArrowRight");
    await card.getByText(/, GPU 0$/).waitFor();
    await page.keyboard.press("Shift+ArrowRight");
    await card.getByText(/, GPU 1$/).waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL("**/nodes/*");
    await page.keyboard.press("/");
    await typeInto(page.getByRole("combobox"), "acme/team");
    await page.getByRole("option", { name: "acme/team" }).first().waitFor(); // accounts are read when one searches
    await page.keyboard.press("Enter");
    await page.waitForURL("**/quota/acme/team");
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keyboard" }).waitFor();
    await page.keyboard.press("Escape");
    const user = page.getByRole("banner").getByRole("button", { name: "owner" });
    const signOut = page.getByRole("button", { name: "Sign out", exact: true });
    await user.press("Enter");
    await signOut.waitFor();
    await page.keyboard.press("Tab");
    await page.keyboard.press("Escape");
    await signOut.waitFor({ state: "hidden" });
    assert.ok(await user.evaluate((button) => button === button.ownerDocument.activeElement), "the focus is back");
    await watched.close();
  });
});
