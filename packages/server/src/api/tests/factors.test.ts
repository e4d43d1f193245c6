import assert from "node:assert/strict";
import { after, before, beforeEach, describe, it } from "node:test";
import { fleetOf, TestControl } from "../../testing/control.ts";
import { FactorBrowser } from "../../testing/factor-browser.ts";
import { serveApi, Tenancy, type TestServer, type TestUser } from "../../testing/tenancy.ts";

describe("second factors", () => {
  let control: TestControl;
  let tenancy: Tenancy;
  let server: TestServer;
  let ana: TestUser;
  let n = 0;

  before(async () => {
    control = await TestControl.start(undefined, fleetOf(1, 2));
    tenancy = new Tenancy(control);
    await tenancy.account("acme");
    server = await serveApi(control);
  });
  beforeEach(async () => {
    ana = await tenancy.user(`ana${++n}`, "platform-owner");
  });
  after(() => server.close());

  const enter = (secret = "", at = server) => FactorBrowser.signIn(at, control, ana, secret);
  const jobs = async (browser: FactorBrowser) => (await browser.ask("GET", "/v1/jobs")).json?.code ?? "answered";

  it("are not asked for on a fresh server that only this machine can reach", async () => {
    const browser = await enter();
    assert.equal((await browser.ask("GET", "/v1/whoami")).json.second, undefined);
    assert.equal(await jobs(browser), "answered");
  });

  it("are asked for at each sign-in once there is one, before anything else", async () => {
    const { secret } = await enter().then(async (first) => {
      await first.enrol();
      assert.equal(await jobs(first), "answered", "where it was added it has been shown");
      return first;
    });
    control.setTime(control.now() + 60_000);
    const browser = await enter(secret);
    assert.equal((await browser.ask("GET", "/v1/whoami")).json.second, "show");
    assert.equal(await jobs(browser), "factor-required");
    assert.equal((await browser.ask("POST", "/v1/factors/offer", { kind: "totp" })).status, 200);
    const another = await browser.ask("POST", "/v1/factors", { code: "123456" });
    assert.equal(another.json.code, "step-up-required", "a second one only with the first");
    assert.equal((await browser.show()).status, 200);
    assert.equal(await jobs(browser), "answered");
    const program = await server.call(ana.token, "GET", "/v1/jobs");
    assert.equal(program.status, 200, "a program has none to show");
  });

  it("are forced on roles of the platform where the server can be reached from elsewhere", async () => {
    const open = await serveApi(control, { host: "0.0.0.0" });
    try {
      const browser = await enter("", open);
      assert.equal((await browser.ask("GET", "/v1/whoami")).json.second, "enrol");
      assert.equal(await jobs(browser), "factor-required");
      await browser.enrol();
      assert.equal(await jobs(browser), "answered");
      const member = await FactorBrowser.signIn(open, control, await tenancy.user(`m${n}`, "member", "acme"));
      assert.equal(await jobs(member), "answered");
    } finally {
      await open.close();
    }
  });

  it("are forced by the policy for roles, and by an account for everyone below", async () => {
    const member = await tenancy.user(`mia${n}`, "member", "acme");
    const browser = await FactorBrowser.signIn(server, control, member);
    const { policy } = control.state;
    await control.must({ kind: "policy.set", policy: { ...policy, factorRoles: ["member"] } });
    assert.equal(await jobs(browser), "factor-required");
    await control.must({ kind: "policy.set", policy });
    assert.equal(await jobs(browser), "answered");
    const { terms } = control.state.accountByPath.get("acme")!;
    await control.must({ kind: "account.edit", path: "acme", terms: { ...terms, factor: true } });
    assert.equal(await jobs(browser), "factor-required");
    await control.must({ kind: "account.edit", path: "acme", terms });
  });

  it("are good once, also after a restart", async () => {
    const first = await enter();
    await first.enrol();
    control.setTime(control.now() + 60_000);
    const code = first.code();
    const [one, other] = [await enter(), await enter()];
    assert.equal((await one.show(code)).status, 200);
    assert.equal((await other.show(code)).status, 403);
    const again = await serveApi(control);
    try {
      assert.equal((await (await enter("", again)).show(code)).status, 403);
    } finally {
      await again.close();
    }
  });

  it("can be replaced by a recovery code, once each", async () => {
    const first = await enter();
    await first.enrol();
    assert.equal(new Set(first.codes).size, 10);
    const [one, other] = [await enter(), await enter()];
    assert.equal((await one.show(first.codes[3]!.toUpperCase())).status, 200);
    assert.equal((await other.show(first.codes[3]!)).status, 403);
    const { items } = (await one.ask("GET", "/v1/factors")).json;
    assert.equal(items.find(({ kind }: { kind: string }) => kind === "recovery").codesLeft, 9);
    const renewed = await one.ask("POST", "/v1/factors/recovery");
    assert.equal(renewed.json.codes.length, 10);
    assert.equal((await other.show(first.codes[4]!)).status, 403);
    assert.equal((await other.show(renewed.json.codes[0])).status, 200);
  });

  it("are tried as slowly as passwords, and each failure is in the audit", async () => {
    const first = await enter();
    await first.enrol();
    const browser = await enter();
    const statuses: number[] = [];
    for (let i = 0; i < 8; i++) statuses.push((await browser.show("000000")).status);
    assert.deepEqual([statuses[0], statuses.at(-1)], [403, 429]);
  });

  it("go with their user, and are in no journal row", async () => {
    const first = await enter();
    await first.enrol();
    const boss = await tenancy.user(`boss${n}`, "platform-owner");
    assert.equal((await server.call(boss.token, "DELETE", `/v1/users/${ana.id}`)).status, 204);
    const left = [...(await control.reader.privates("factor"))].filter(([key]) => key.startsWith(ana.id));
    assert.deepEqual(left, []);
    const rows = await control.reader.rows(1, 100_000);
    const text = rows.map((row) => Buffer.from(row.inputs).toString() + Buffer.from(row.events).toString()).join();
    assert.equal(text.includes(first.secret), false);
  });

  it("are not changed by tokens, which may be copies", async () => {
    for (const [method, path, body] of [
      ["POST", "/v1/factors/offer", { kind: "totp" }],
      ["POST", "/v1/factors", { code: "123456" }],
      ["POST", "/v1/session/factor", { code: "123456" }],
    ] as const)
      assert.equal((await server.call(ana.token, method, path, body)).status, 403, path);
  });

  it("can be removed, after which none is asked for", async () => {
    const browser = await enter();
    await browser.enrol();
    const { items } = (await browser.ask("GET", "/v1/factors")).json;
    const totp = items.find(({ kind }: { kind: string }) => kind === "totp");
    assert.equal((await browser.ask("DELETE", `/v1/factors/${totp.id}`)).status, 204);
    assert.deepEqual((await browser.ask("GET", "/v1/factors")).json, { needed: false, items: [] });
    assert.equal(await jobs(await enter()), "answered");
  });
});
