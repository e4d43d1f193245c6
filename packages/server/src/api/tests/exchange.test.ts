import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { fleetOf, TestControl } from "../../testing/control.ts";
import { CiIssuer, wrongTokens } from "../../testing/exchange-cases.ts";
import { serveApi, Tenancy, type TestServer, type TestUser } from "../../testing/tenancy.ts";

const jwt = "urn:ietf:params:oauth:token-type:jwt";
const grant = "urn:ietf:params:oauth:grant-type:token-exchange";

describe("exchange of tokens", () => {
  let control: TestControl;
  let server: TestServer;
  let owner: TestUser;
  let ci: CiIssuer;

  const bring = (token: string, more: Record<string, string> = {}) =>
    server.call(
      undefined,
      "POST",
      "/oauth/token",
      new URLSearchParams({ grant_type: grant, subject_token: token, subject_token_type: jwt, ...more }).toString(),
      { "content-type": "application/x-www-form-urlencoded" },
    );
  const put = (name: string, body: object) => server.call(owner.token, "PUT", `/v1/exchanges/${name}`, body);
  const rules = [
    { claim: "repository", value: "acme/widget" },
    { claim: "ref", value: "refs/heads/main" },
  ];

  before(async () => {
    control = await TestControl.start(undefined, fleetOf(1, 8));
    const tenancy = new Tenancy(control);
    for (const path of ["acme", "acme/team", "bolt"]) await tenancy.account(path);
    owner = await tenancy.user("owner", "platform-owner");
    server = await serveApi(control, { providerLimits: { bytesMax: 65_536, msMax: 500 } });
    ci = await CiIssuer.start();
    await server.must(owner, "POST", "/v1/users", {
      name: "bot",
      service: true,
      account: "acme",
      role: "tenant-admin",
    });
    await server.must(owner, "POST", "/v1/role-bindings", { user: "bot", role: "member", account: "bolt" });
    const scopes = ["job.submit", "job.read", "account.read", "self.read"];
    const made = await put("ci", {
      ...{ issuer: ci.issuer, audience: "tessera", serviceAccount: "bot", rules, scopes, tokenLife: "10m" },
    });
    assert.equal(made.status, 200, made.text);
  });
  after(async () => {
    ci.close();
    await server.close();
  });

  it("gives a short token of the service account, limited by account and scopes", async () => {
    const answer = await bring(ci.token());
    assert.equal(answer.status, 200, answer.text);
    assert.deepEqual([answer.json.token_type, answer.json.expires_in], ["Bearer", 600]);
    const { access_token: token } = answer.json;
    const me = (await server.call(token, "GET", "/v1/whoami")).json;
    const [{ role, account }] = me.bindings;
    assert.deepEqual([me.name, me.bindings.length, role, account], ["bot", 1, "tenant-admin", "acme"]);
    const submit = (project: string) => server.call(token, "POST", "/v1/jobs", { run: "true", project });
    assert.equal((await submit("acme")).status, 201);
    assert.equal((await submit("bolt")).status, 404, "roles elsewhere do not count");
    assert.equal((await server.call(token, "GET", "/v1/audit")).status, 403);
    assert.equal((await server.call(token, "POST", "/v1/tokens", {})).status, 403, "no lasting token comes of it");
    const narrower = await bring(ci.token(), { scope: "job.read" });
    assert.equal(narrower.json.scope, "job.read");
    assert.equal((await bring(ci.token(), { scope: "audit.read" })).json.error, "invalid_scope");
  });

  it("takes none of the wrong tokens", async () => {
    const accepted: string[] = [];
    for (const [what, make] of Object.entries(wrongTokens)) {
      const { status, json } = await bring(make(ci));
      if (status !== 400 || json.error !== "invalid_request") accepted.push(`${what}: ${status}`);
    }
    assert.deepEqual(accepted, []);
    console.log(`exchange: ${Object.keys(wrongTokens).length} wrong tokens tried, ${accepted.length} taken`);
  });

  it("takes each once, unless the exchange says otherwise", async () => {
    const token = ci.token();
    assert.equal((await bring(token)).status, 200);
    assert.match((await bring(token)).text, /exchanged already/);
    const twin = ci.token({ jti: "twin" });
    const both = await Promise.all([bring(twin), bring(ci.token({ jti: "twin", extra: 1 }))]);
    assert.deepEqual(both.map(({ status }) => status).sort(), [200, 400]);
    const nameless = ci.token({ jti: undefined });
    assert.equal((await bring(nameless)).status, 200);
    assert.equal((await bring(nameless)).status, 400);
    const rows = await control.reader.privates("exchange-use");
    assert.ok(rows.size >= 3, "over a restart, too");
    const again = [{ claim: "repository", value: "acme/cluster" }];
    await put("again", { issuer: ci.issuer, audience: "tessera", serviceAccount: "bot", rules: again, reusable: true });
    const kept = ci.token({ repository: "acme/cluster" });
    assert.deepEqual([(await bring(kept)).status, (await bring(kept)).status], [200, 200]);
  });

  it("takes tokens of a cluster whose keys were given, and asks it nothing", async () => {
    const cluster = { claim: "sub", value: "system:serviceaccount:ml:*" };
    const body = { audience: "tessera", serviceAccount: "bot", rules: [cluster], jwks: JSON.stringify(ci.jwks) };
    const issuer = "https://kubernetes.default.svc.cluster.local";
    assert.equal((await put("cluster", { issuer, ...body })).status, 200);
    const asked = ci.asked;
    const of = (sub: string) => bring(ci.token({ iss: issuer, aud: ["tessera"], sub }));
    assert.equal((await of("system:serviceaccount:ml:trainer")).status, 200);
    for (const near of ["system:serviceaccount:ml-evil:trainer", "system:serviceaccount:ml:a:b", "system:node:ml:x"])
      assert.equal((await of(near)).status, 400, near);
    assert.equal(ci.asked, asked);
    const secret = JSON.stringify({ keys: [{ kty: "oct", k: "AAAA" }] });
    assert.equal((await put("cluster", { jwks: secret })).status, 422);
  });

  it("refuses when two exchanges take the token, and none is named", async () => {
    await put("second", { issuer: ci.issuer, audience: "tessera", serviceAccount: "bot", rules: rules.slice(0, 1) });
    assert.match((await bring(ci.token())).text, /both take it/);
    assert.equal((await bring(ci.token(), { audience: "ci" })).status, 200);
    await server.call(owner.token, "DELETE", "/v1/exchanges/second");
  });

  it("refuses what is no exchange of RFC 8693", async () => {
    const form = { "content-type": "application/x-www-form-urlencoded" };
    const wrong = [
      "",
      "grant_type=client_credentials",
      `grant_type=${grant}`,
      `grant_type=${grant}&subject_token=x&subject_token_type=saml`,
      `grant_type=${grant}&subject_token=x&subject_token=y&subject_token_type=${jwt}`,
      `grant_type=${grant}&subject_token=x&subject_token_type=${jwt}&actor_token=y`,
    ];
    for (const body of wrong)
      assert.equal((await server.call(undefined, "POST", "/oauth/token", body, form)).status, 400);
  });

  it("needs an issuer that answers as it should, in size and time", async () => {
    const hostile = await CiIssuer.start();
    const about = { audience: "tessera", serviceAccount: "bot", rules };
    const discovery = "/.well-known/openid-configuration";
    const wrong: CiIssuer["answers"][] = [
      { [discovery]: (response) => void response.end("x".repeat(100_000)) },
      { [discovery]: () => {} },
      { [discovery]: (response) => void response.writeHead(302, { location: "http://127.0.0.1:9" }).end() },
      { [discovery]: (response) => void response.end(JSON.stringify({ issuer: "https://other.example" })) },
      { [discovery]: (response) => void response.end("[]") },
    ];
    try {
      for (const [i, answers] of wrong.entries()) {
        hostile.answers = answers;
        // A failure is remembered for a moment by issuer, so each has a path of its own.
        const issuer = `${hostile.issuer}/${i}`;
        hostile.answers = { [`/${i}${discovery}`]: answers[discovery]! };
        const answer = await put(`bad${i}`, { issuer, ...about });
        assert.deepEqual([answer.status, answer.json.field], [422, "issuer"], `${i}: ${answer.text}`);
      }
      assert.equal((await put("plain", { issuer: "http://192.0.2.1", ...about })).status, 422, "without TLS");
    } finally {
      hostile.close();
    }
  });

  it("is shown, tried without being used up, and ends its tokens when it changes, is removed or its user is disabled", async () => {
    const token = ci.token();
    const preview = (text: string) => server.call(owner.token, "POST", "/v1/exchanges/ci/preview", { token: text });
    assert.equal((await preview(token)).json.taken, true);
    const near = (await preview(ci.token({ ref: "refs/heads/x" }))).json;
    assert.deepEqual([near.taken, near.rules[1].met, near.rules[1].found], [false, false, "refs/heads/x"]);
    assert.equal((await preview(ci.token({}, "unpublished"))).json.taken, false);
    const live = (await bring(token)).json.access_token;
    assert.equal((await server.call(live, "GET", "/v1/whoami")).status, 200);
    assert.equal((await put("ci", { tokenLife: "5m" })).status, 200);
    assert.equal((await server.call(live, "GET", "/v1/whoami")).status, 401);
    assert.equal((await put("ci", { tokenLife: "2h" })).status, 422);
    assert.equal((await put("ci", { rules: [{ claim: "repository", value: "*" }] })).status, 422);
    const next = (await bring(ci.token())).json.access_token;
    await server.call(owner.token, "POST", "/v1/users/bot/disable", {});
    assert.equal((await server.call(next, "GET", "/v1/whoami")).status, 401);
    assert.match((await bring(ci.token())).text, /disabled/);
    assert.equal(
      (await put("other", { issuer: ci.issuer, audience: "x", serviceAccount: "owner", rules })).status,
      422,
    );
  });
});
