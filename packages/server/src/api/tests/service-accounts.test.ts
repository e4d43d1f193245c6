import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { fleetOf, TestControl } from "../../testing/control.ts";
import { someProvider } from "../../testing/role-matrix.ts";
import { serveApi, Tenancy, type TestServer, type TestUser } from "../../testing/tenancy.ts";

interface Made {
  readonly id: string;
  readonly name: string;
  readonly service: string;
}

describe("a service account", () => {
  let control: TestControl;
  let server: TestServer;
  let owner: TestUser;
  let admin: TestUser;
  let other: TestUser;

  before(async () => {
    control = await TestControl.start(undefined, fleetOf(1, 8));
    const tenancy = new Tenancy(control);
    for (const path of ["acme", "acme/team", "bolt"]) await tenancy.account(path);
    owner = await tenancy.user("owner", "platform-owner");
    admin = await tenancy.user("admin", "tenant-admin", "acme");
    other = await tenancy.user("other", "tenant-admin", "bolt");
    server = await serveApi(control);
  });
  after(() => server.close());

  const create = (by: TestUser, name: string, body: object = {}) =>
    server.call(by.token, "POST", "/v1/users", { name, service: true, account: "acme", ...body });

  it("is made by administrators of its account, and seen by them alone", async () => {
    const made = await create(admin, "ci", { role: "member" });
    assert.equal(made.status, 201, made.text);
    assert.deepEqual([made.json.name, made.json.service], ["ci.acme", "acme"]);
    const listed = await server.must<{ items: Made[] }>(admin, "GET", "/v1/users?kind=service");
    assert.deepEqual(
      listed.items.map(({ name }) => name),
      ["ci.acme"],
    );
    const people = await server.must<{ items: Made[] }>(admin, "GET", "/v1/users?kind=person");
    assert.ok(people.items.every(({ service }) => service === undefined));
    assert.equal((await create(other, "sneak")).status, 404);
    assert.equal((await server.call(other.token, "GET", `/v1/users/${made.json.id}`)).status, 404);
    assert.equal((await server.call(owner.token, "POST", "/v1/users", { name: "x", service: true })).status, 422);
  });

  it("owns jobs, by tokens that others make for it", async () => {
    const { id } = (await create(admin, "runs", { role: "member" })).json as Made;
    const { json } = await server.call(admin.token, "POST", "/v1/tokens", { user: id, scopes: ["job.submit"] });
    const job = await server.call(json.token, "POST", "/v1/jobs", { run: "true", project: "acme" });
    assert.deepEqual([job.status, job.json.user], [201, id]);
    assert.equal((await server.call(other.token, "POST", "/v1/tokens", { user: id })).status, 404);
  });

  it("without a role is still its account's", async () => {
    const { id } = (await create(admin, "bare")).json as Made;
    assert.equal((await server.call(admin.token, "POST", "/v1/tokens", { user: id })).status, 201);
    assert.equal((await server.call(admin.token, "POST", `/v1/users/${id}/disable`, {})).status, 200);
    assert.equal((await server.call(other.token, "POST", `/v1/users/${id}/enable`, {})).status, 404);
  });

  it("cannot sign in: with no password, token, link, provider or program that a browser lets in", async () => {
    const { id } = (await create(admin, "robot", { role: "member" })).json as Made;
    const { json } = await server.call(admin.token, "POST", "/v1/tokens", { user: id });
    const own = { "sec-fetch-site": "same-origin", origin: server.url };
    const password = "correct horse battery";
    const tries = {
      password: await server.call(admin.token, "PUT", `/v1/users/${id}/password`, { password }),
      token: await server.call(undefined, "POST", "/v1/session", { token: json.token }, own),
      link: await server.call(json.token, "POST", "/v1/session/link", {}),
    };
    for (const [how, { status, text }] of Object.entries(tries)) {
      assert.equal(status, 409, `${how}: ${text}`);
      assert.match(text, /service account/, how);
    }
    await control.must({ kind: "provider.set", name: "corp", terms: someProvider });
    const linked = await server.call(owner.token, "POST", "/v1/providers/corp/link", { user: id, subject: "s" });
    assert.equal(linked.status, 409);
    const challenge = "x".repeat(43);
    const { login } = (await server.call(undefined, "POST", "/v1/logins", { challenge, label: "x" })).json;
    assert.equal((await server.call(json.token, "POST", `/v1/logins/${login}/allow`, {})).status, 409);
  });

  it("ends with its account", async () => {
    await control.must({ kind: "account.create", id: "acc_gone" as never, path: "gone", terms: plain() });
    const { id } = (await create(owner, "doomed", { account: "gone", role: "member" })).json as Made;
    const { json } = await server.call(owner.token, "POST", "/v1/tokens", { user: id });
    assert.equal((await server.call(json.token, "GET", "/v1/whoami")).status, 200);
    await control.must({ kind: "account.delete", path: "gone" });
    assert.equal((await server.call(json.token, "GET", "/v1/whoami")).status, 401);
    assert.equal((await server.call(owner.token, "GET", `/v1/users/${id}`)).json.disabled, true);
  });

  function plain() {
    return control.state.accountByPath.get("bolt")!.terms;
  }
});
