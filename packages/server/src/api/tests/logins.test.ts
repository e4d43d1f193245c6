import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { askMsMax } from "../../access/browser-asks.ts";
import { fleetOf, TestControl } from "../../testing/control.ts";
import { FactorBrowser } from "../../testing/factor-browser.ts";
import { serveApi, Tenancy, type TestServer, type TestUser } from "../../testing/tenancy.ts";

describe("a program that asks to be let in", () => {
  let control: TestControl;
  let server: TestServer;
  let ana: TestUser;

  before(async () => {
    control = await TestControl.start(undefined, fleetOf(1, 2));
    const tenancy = new Tenancy(control);
    await tenancy.account("lab");
    ana = await tenancy.user("ana", "member", "lab");
    server = await serveApi(control);
  });
  after(() => server.close());

  const begin = async (port?: number) => {
    const verifier = randomBytes(32).toString("base64url");
    const challenge = createHash("sha256").update(verifier).digest("base64url");
    const body = { challenge, label: "laptop", ...(port !== undefined && { port }) };
    const { json } = await server.call(undefined, "POST", "/v1/logins", body);
    return { verifier, login: json.login as string };
  };
  const take = (login: string, body: object) => server.call(undefined, "POST", `/v1/logins/${login}/token`, body);
  const allow = (login: string) => server.call(ana.token, "POST", `/v1/logins/${login}/allow`, {});

  it("gets a token that lasts a week once someone allows it, and only the one that began", async () => {
    const { verifier, login } = await begin();
    assert.deepEqual((await take(login, { verifier })).json, {}, "nobody has allowed it yet");
    const shown = await server.call(ana.token, "GET", `/v1/logins/${login}`);
    assert.equal(shown.json.label, "laptop");
    assert.equal((await server.call(undefined, "GET", `/v1/logins/${login}`)).status, 401);
    assert.deepEqual((await allow(login)).json, {});
    assert.equal((await allow(login)).status, 409, "once");
    assert.equal((await take(login, { verifier: "x".repeat(43) })).status, 404, "another program");
    const { json } = await take(login, { verifier });
    assert.equal((await server.call(json.token, "GET", "/v1/whoami")).json.name, "ana");
    const token = [...control.state.tokens.values()].at(-1)!;
    assert.equal(Math.round((token.expiresAt - token.createdAt) / 60_000), 7 * 24 * 60);
    assert.equal((await take(login, { verifier })).status, 404, "once");
  });

  it("on the machine of the browser needs what the browser brings", async () => {
    const { verifier, login } = await begin(40_123);
    const { back } = (await allow(login)).json;
    const code = new URL(back).searchParams.get("code")!;
    assert.match(back, /^http:\/\/127\.0\.0\.1:40123\/\?code=[\w-]{43}$/);
    assert.equal((await take(login, { verifier })).status, 404, "allowed, and nothing was brought");
    assert.equal((await take(login, { verifier, code: "y".repeat(43) })).status, 404);
    assert.equal((await take(login, { verifier, code })).status, 200);
  });

  it("may do no more than the one who allowed it, and comes too late after a while", async () => {
    const narrow = await server.call(ana.token, "POST", "/v1/tokens", { scopes: ["job.read"], label: "narrow" });
    const { verifier, login } = await begin();
    assert.equal((await server.call(narrow.json.token, "POST", `/v1/logins/${login}/allow`, {})).status, 403);
    await allow(login);
    control.setTime(control.now() + askMsMax + 1);
    assert.equal((await take(login, { verifier })).status, 404);
  });

  it("changes credentials of its person only with the password", async () => {
    const password = "correct horse battery";
    const set = await server.call(ana.token, "PUT", `/v1/users/${ana.id}/password`, { password });
    assert.equal(set.status, 204, set.text);
    const browser = await FactorBrowser.signIn(server, control, ana);
    const { verifier, login } = await begin();
    assert.equal((await browser.ask("POST", `/v1/logins/${login}/allow`, {})).json.field, "currentPassword");
    const allowed = await browser.ask("POST", `/v1/logins/${login}/allow`, { currentPassword: password });
    assert.equal(allowed.status, 200, allowed.text);
    const { token } = (await take(login, { verifier })).json;
    const make = (body: object) => server.call(token, "POST", "/v1/tokens", body);
    assert.equal((await make({ label: "copy" })).json.field, "currentPassword");
    assert.equal((await make({ label: "copy", currentPassword: "wrong horse battery" })).status, 403);
    assert.equal((await make({ label: "copy", currentPassword: password })).status, 201);
    const own = await server.call(token, "PUT", `/v1/users/${ana.id}/password`, { password: "another horse battery" });
    assert.equal(own.json.field, "currentPassword");
    assert.equal((await server.call(ana.token, "POST", "/v1/tokens", { label: "program" })).status, 201);
  });
});
