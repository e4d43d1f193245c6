import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { after, before, beforeEach, describe, it } from "node:test";
import { askMsMax } from "../../access/browser-asks.ts";
import { fleetOf, TestControl } from "../../testing/control.ts";
import { FactorBrowser } from "../../testing/factor-browser.ts";
import { serveApi, Tenancy, type TestServer, type TestUser } from "../../testing/tenancy.ts";
import { stepUpMs } from "../guard/second-factors.ts";

const pair = () => {
  const verifier = randomBytes(32).toString("base64url");
  return { verifier, challenge: createHash("sha256").update(verifier).digest("base64url") };
};

describe("a program whose person has to show a factor", () => {
  let control: TestControl;
  let tenancy: Tenancy;
  let server: TestServer;
  let ana: TestUser;
  let browser: FactorBrowser;
  let token: string;
  let n = 0;

  before(async () => {
    control = await TestControl.start(undefined, fleetOf(1, 2));
    tenancy = new Tenancy(control);
    await tenancy.account("lab");
    server = await serveApi(control);
  });
  beforeEach(async () => {
    ana = await tenancy.user(`ana${++n}`, "platform-owner");
    browser = await FactorBrowser.signIn(server, control, ana);
    await browser.enrol();
    const { verifier, challenge } = pair();
    const { json } = await server.call(undefined, "POST", "/v1/logins", { challenge, label: "laptop" });
    assert.equal((await browser.ask("POST", `/v1/logins/${json.login}/allow`, {})).status, 200);
    token = (await server.call(undefined, "POST", `/v1/logins/${json.login}/token`, { verifier })).json.token;
    control.setTime(control.now() + stepUpMs + 1);
  });
  after(() => server.close());

  const act = (by = token) =>
    server.call(by, "POST", "/v1/role-bindings", { user: ana.id, role: "auditor", account: "lab" });
  const begin = async (port?: number) => {
    const refused = await act();
    assert.equal(refused.json.code, "step-up-required");
    const { verifier, challenge } = pair();
    const body = { request: refused.json.requestId, challenge, ...(port !== undefined && { port }) };
    const { status, json, text } = await server.call(token, "POST", "/v1/step-ups", body);
    assert.equal(status, 200, text);
    return { verifier, code: json.code as string };
  };
  const take = (code: string, body: object, by = token) => server.call(by, "POST", `/v1/step-ups/${code}/take`, body);

  it("goes on once a factor was shown in a browser of the same person, which is told what and where", async () => {
    const { verifier, code } = await begin();
    assert.deepEqual((await take(code, { verifier })).json, { shown: false });
    const { json } = await browser.ask("GET", `/v1/step-ups/${code}`);
    assert.equal(json.label, "tess login: laptop");
    assert.equal(json.request, "POST /v1/role-bindings");
    assert.deepEqual(json.fields, [`user: ${ana.id}`, "role: auditor", "account: lab"]);
    assert.equal((await browser.ask("POST", `/v1/step-ups/${code}/allow`, { code: "000000" })).status, 403);
    assert.deepEqual((await take(code, { verifier })).json, { shown: false }, "a wrong one is none");
    assert.equal((await browser.ask("POST", `/v1/step-ups/${code}/allow`, { code: browser.code() })).status, 200);
    assert.equal((await act()).json.code, "step-up-required", "it counts for the program that began, when that comes");
    assert.equal((await take(code, { verifier: pair().verifier })).status, 404, "another program");
    assert.deepEqual((await take(code, { verifier })).json, { shown: true });
    assert.equal((await act()).status, 201);
    assert.equal((await take(code, { verifier })).status, 404, "once");
    control.setTime(control.now() + stepUpMs + 1);
    assert.equal((await act()).json.code, "step-up-required", "for minutes");
  });

  it("is not let on by a browser of someone else, by a token, or by what the session showed before", async () => {
    const { verifier, code } = await begin();
    const eve = await tenancy.user(`eve${n}`, "platform-owner");
    const foreign = await FactorBrowser.signIn(server, control, eve);
    await foreign.enrol();
    assert.equal((await foreign.ask("GET", `/v1/step-ups/${code}`)).status, 404);
    assert.equal((await foreign.ask("POST", `/v1/step-ups/${code}/allow`, { code: foreign.code(1) })).status, 404);
    const own = await server.call(token, "POST", `/v1/step-ups/${code}/allow`, { code: browser.code() });
    assert.equal(own.status, 403, "a copied token shows nothing");
    await browser.show();
    assert.equal((await browser.ask("POST", `/v1/step-ups/${code}/allow`, {})).status, 403, "shown for something else");
    const { token: other } = await tenancy.token(ana.id);
    assert.equal((await take(code, { verifier }, other)).status, 404, "another token of the same person");
    assert.deepEqual((await take(code, { verifier })).json, { shown: false });
  });

  it("on the machine of the browser needs what the browser brings, and comes too late after a while", async () => {
    const { verifier, code } = await begin(40_124);
    const { back } = (await browser.ask("POST", `/v1/step-ups/${code}/allow`, { code: browser.code() })).json;
    assert.match(back, /^http:\/\/127\.0\.0\.1:40124\/\?code=[\w-]{43}$/);
    assert.equal((await take(code, { verifier })).status, 404, "nothing was brought");
    const brought = new URL(back).searchParams.get("code")!;
    assert.deepEqual((await take(code, { verifier, code: brought })).json, { shown: true });
    control.setTime(control.now() + stepUpMs + 1);
    const late = await begin();
    control.setTime(control.now() + askMsMax + 1);
    assert.equal((await browser.ask("GET", `/v1/step-ups/${late.code}`)).status, 404);
  });

  it("asks only for a request of its own, and programs with tokens of their own never ask", async () => {
    const { challenge } = pair();
    const made = await server.call(token, "POST", "/v1/step-ups", { request: "req_other", challenge });
    assert.equal(made.status, 409);
    assert.equal((await act(ana.token)).status, 201, "scopes decide");
    const refused = await server.call(ana.token, "POST", "/v1/step-ups", { request: "req_other", challenge });
    assert.equal(refused.status, 403);
    const { token: narrow } = await tenancy.token(ana.id, ["job.read"]);
    assert.equal((await act(narrow)).json.code, "forbidden", "and no factor makes up for one that is missing");
  });

  it("shows nothing of a body that may be a secret", async () => {
    const refused = await server.call(token, "PUT", "/v1/accounts/lab/secrets/KEY", { value: "canary-4711" });
    const body = { request: refused.json.requestId, challenge: pair().challenge };
    const { json } = await server.call(token, "POST", "/v1/step-ups", body);
    const { text } = await browser.ask("GET", `/v1/step-ups/${json.code}`);
    assert.match(text, /PUT \/v1\/accounts\/lab\/secrets\/KEY/);
    assert.doesNotMatch(text, /canary/);
  });
});
