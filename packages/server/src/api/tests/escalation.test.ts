import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { fleetOf, TestControl } from "../../testing/control.ts";
import { serveApi, Tenancy, type TestServer, type TestUser } from "../../testing/tenancy.ts";

describe("nobody gets more than was given", () => {
  let control: TestControl;
  let tenancy: Tenancy;
  let server: TestServer;
  let owner: TestUser;
  let tenantAdmin: TestUser;
  let teamAdmin: TestUser;
  let member: TestUser;

  before(async () => {
    control = await TestControl.start(undefined, fleetOf(1, 1));
    tenancy = new Tenancy(control);
    for (const path of ["acme", "acme/team", "bolt"]) await tenancy.account(path);
    owner = await tenancy.user("own", "platform-owner");
    tenantAdmin = await tenancy.user("ta", "tenant-admin", "acme");
    teamAdmin = await tenancy.user("te", "team-admin", "acme/team");
    member = await tenancy.user("me", "member", "acme/team");
    server = await serveApi(control);
  });
  after(() => server.close());

  const status = async (who: TestUser | string, method: string, path: string, body?: object) =>
    (await server.call(typeof who === "string" ? who : who.token, method, path, body)).status;

  it("by giving roles above one's own or outside one's accounts", async () => {
    const bind = (who: TestUser, role: string, account: string, user = "me") =>
      status(who, "POST", "/v1/role-bindings", { user, role, account });
    assert.equal(await bind(tenantAdmin, "platform-owner", ""), 403);
    assert.equal(await bind(tenantAdmin, "platform-owner", "acme"), 403);
    assert.equal(await bind(tenantAdmin, "viewer", ""), 403);
    assert.equal(await bind(tenantAdmin, "viewer", "bolt"), 404);
    assert.equal(await bind(teamAdmin, "tenant-admin", "acme/team"), 403);
    assert.equal(await bind(teamAdmin, "auditor", "acme/team"), 403);
    assert.equal(await bind(teamAdmin, "viewer", "acme"), 404);
    assert.equal(await bind(member, "member", "acme/team"), 403);
    assert.equal(await bind(teamAdmin, "viewer", "acme/team"), 201);
    assert.equal(
      await bind(tenantAdmin, "viewer", "acme", "own"),
      404,
      "the platform's people cannot be seen from here",
    );
    const make = (who: TestUser, body: object) => status(who, "POST", "/v1/users", { name: "x", ...body });
    assert.equal(await make(tenantAdmin, {}), 403);
    assert.equal(await make(tenantAdmin, { role: "platform-owner", account: "acme" }), 403);
    assert.equal(await make(teamAdmin, { role: "tenant-admin", account: "acme/team" }), 403);
    assert.equal(await make(tenantAdmin, { role: "member", account: "bolt" }), 404);
  });

  it("by acting for someone who has more", async () => {
    for (const [method, path, body] of [
      ["POST", "/v1/users/ta/disable", {}],
      ["DELETE", "/v1/users/ta", undefined],
      ["PUT", "/v1/users/ta/password", { password: "a long enough one" }],
      ["POST", "/v1/tokens", { user: "ta" }],
      ["DELETE", `/v1/tokens/${tenantAdmin.tokenId}`, undefined],
    ] as const) {
      assert.equal(await status(teamAdmin, method, path, body), 404, `${method} ${path}`);
    }
    const above = await tenancy.user("te2", "team-admin", "acme");
    assert.equal(await status(above, "POST", "/v1/tokens", { user: "ta" }), 403);
    assert.equal(await status(above, "PUT", "/v1/users/ta/password", { password: "a long enough one" }), 403);
    assert.equal(
      await status(above, "DELETE", `/v1/role-bindings/${encodeURIComponent(`${tenantAdmin.id}:tenant-admin:acme`)}`),
      403,
    );
    assert.equal(await status(tenantAdmin, "POST", "/v1/tokens", { user: "me" }), 201);
    await control.must({ kind: "role.bind", user: member.id, role: "member", account: "bolt" });
    assert.equal(
      await status(tenantAdmin, "POST", "/v1/tokens", { user: "me" }),
      403,
      "it would open the other tenant",
    );
    assert.equal(await status(tenantAdmin, "POST", "/v1/users/me/disable"), 403);
    await control.must({ kind: "role.unbind", user: member.id, role: "member", account: "bolt" });
    assert.equal(await status(member, "PUT", "/v1/users/me/password", { password: "a long enough one" }), 204);
    assert.equal(await status(tenantAdmin, "POST", "/v1/users/ta/disable"), 409);
  });

  it("by editing one's own quota, only what is below", async () => {
    assert.equal(await status(tenantAdmin, "PATCH", "/v1/accounts/acme", { max: null }), 403);
    assert.equal(await status(tenantAdmin, "PATCH", "/v1/accounts/acme%2Fteam", { weight: 4 }), 200);
    assert.equal(await status(teamAdmin, "PATCH", "/v1/accounts/acme%2Fteam", { weight: 4 }), 403);
    assert.equal(await status(tenantAdmin, "POST", "/v1/accounts", { path: "newtenant" }), 403);
    assert.equal(await status(tenantAdmin, "POST", "/v1/accounts", { path: "bolt" }), 403);
    assert.equal(await status(tenantAdmin, "POST", "/v1/accounts", { path: "bolt/x" }), 404);
    assert.equal(await status(tenantAdmin, "PATCH", "/v1/accounts/acc_root", { overcommit: true }), 404);
  });

  it("by a token beyond its scopes", async () => {
    const narrow = await tenancy.token(tenantAdmin.id, ["job.read", "token.write"]);
    const waits = { run: "x", project: "acme", not_before: "2100-01-01T00:00:00Z" };
    assert.equal(await status(narrow.token, "GET", "/v1/jobs"), 200);
    assert.equal(await status(narrow.token, "POST", "/v1/jobs", waits), 403);
    assert.equal(await status(narrow.token, "GET", "/v1/whoami"), 403);
    assert.equal(await status(narrow.token, "GET", "/v1/accounts/acme"), 403);
    assert.equal(await status(narrow.token, "POST", "/v1/tokens", { scopes: ["job.submit"] }), 403);
    assert.equal(await status(narrow.token, "POST", "/v1/tokens", { scopes: [] }), 403);
    assert.equal(await status(narrow.token, "POST", "/v1/tokens", {}), 403);
    assert.equal(await status(member, "POST", "/v1/tokens", { scopes: ["job.fly"] }), 422);
    assert.equal(await status(member, "POST", "/v1/tokens", { scopes: ["user.write"] }), 422);
  });

  it("by scopes that name credentials: no password, token, role or user changes", async () => {
    const scopes = ["user.write", "token.write", "role.write", "session.write", "user.read", "self.read"];
    const { token } = await tenancy.token(tenantAdmin.id, scopes);
    const id = encodeURIComponent(`${member.id}:member:acme/team`);
    for (const [method, path, body] of [
      ["PUT", "/v1/users/ta/password", { password: "a long enough one" }],
      ["PUT", "/v1/users/me/password", { password: "a long enough one" }],
      ["POST", "/v1/tokens", {}],
      ["DELETE", `/v1/tokens/${tenantAdmin.tokenId}`, undefined],
      ["POST", "/v1/users", { name: "x", role: "tenant-admin", account: "acme" }],
      ["POST", "/v1/users/me/disable", {}],
      ["POST", "/v1/users/me/enable", {}],
      ["DELETE", "/v1/users/me", undefined],
      ["POST", "/v1/role-bindings", { user: "me", role: "viewer", account: "acme" }],
      ["DELETE", `/v1/role-bindings/${id}`, undefined],
      ["DELETE", "/v1/sessions", undefined],
    ] as const) {
      assert.equal(await status(token, method, path, body), 403, `${method} ${path}`);
    }
  });

  it("by repeating the request of a token with other scopes", async () => {
    const headers = { "idempotency-key": "the same" };
    const first = await server.call(member.token, "POST", "/v1/tokens", { label: "x" }, headers);
    assert.equal(first.status, 201);
    const again = await server.call(member.token, "POST", "/v1/tokens", { label: "x" }, headers);
    assert.equal(again.json.token, first.json.token, "the same token hears the same answer");
    const other = await server.call(first.json.token, "POST", "/v1/tokens", { label: "x" }, headers);
    assert.deepEqual([other.status, other.json.code, other.json.token], [409, "key-reused", undefined]);
    const narrow = await tenancy.token(member.id, ["job.submit", "job.read"]);
    const job = { run: "x", project: "acme/team", not_before: "2100-01-01T00:00:00Z" };
    const mine = { "idempotency-key": "one job" };
    assert.equal((await server.call(member.token, "POST", "/v1/jobs", job, mine)).status, 201);
    assert.equal((await server.call(narrow.token, "POST", "/v1/jobs", job, mine)).status, 409);
  });

  it("by mounting outputs that the scopes do not let read", async () => {
    const narrow = await tenancy.token(member.id, ["job.submit"]);
    const job = { run: "x", project: "acme/team", mounts: { "/in": "job:job_0000000000000000/model" } };
    const answer = await server.call(narrow.token, "POST", "/v1/jobs", job);
    assert.deepEqual([answer.status, answer.json.code], [403, "forbidden"]);
    assert.equal(await status(member, "POST", "/v1/jobs", job), 422);
  });

  it("[S33] after a token is revoked, at once", async () => {
    const extra = await server.call(member.token, "POST", "/v1/tokens", { label: "x", expiresIn: "1h" });
    assert.match(extra.json.token, /^tess_[\w-]{43}$/);
    assert.equal(await status(extra.json.token, "GET", "/v1/whoami"), 200);
    const listed = (await server.call(member.token, "GET", "/v1/tokens")).json.items;
    const entry = listed.find((each: { id: string }) => each.id === extra.json.id);
    assert.ok(entry.lastUsedAt !== undefined);
    assert.equal("token" in entry, false);
    assert.equal(await status(member, "DELETE", `/v1/tokens/${extra.json.id}`), 204);
    assert.equal(await status(extra.json.token, "GET", "/v1/whoami"), 401);
    assert.equal(await status(owner, "POST", "/v1/users/me/disable"), 200);
    assert.equal(await status(member, "GET", "/v1/whoami"), 401);
    assert.equal(await status(owner, "POST", "/v1/users/me/enable"), 200);
    assert.equal(await status(member, "GET", "/v1/whoami"), 200);
  });

  it("and the last platform owner stays one", async () => {
    const id = encodeURIComponent(`${owner.id}:platform-owner:`);
    assert.equal(await status(owner, "DELETE", `/v1/role-bindings/${id}`), 409);
  });
});
