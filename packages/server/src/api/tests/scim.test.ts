import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { fleetOf, TestControl } from "../../testing/control.ts";
import { HostileProvider } from "../../testing/hostile-provider.ts";
import { type Post, signInWith } from "../../testing/oidc-cases.ts";
import { serveApi, Tenancy, type TestServer, type TestUser } from "../../testing/tenancy.ts";

const patchOf = (...Operations: object[]) => ({ Operations });

describe("an identity system", () => {
  let control: TestControl;
  let server: TestServer;
  let tenancy: Tenancy;
  let owner: TestUser;
  let provider: HostileProvider;
  let token: string;
  let tokenId: string;

  before(async () => {
    control = await TestControl.start(undefined, fleetOf(1, 2));
    tenancy = new Tenancy(control);
    await tenancy.account("lab");
    owner = await tenancy.user("root", "platform-owner");
    server = await serveApi(control);
    provider = await HostileProvider.start();
    const rules = [
      { group: "ml", role: "member", account: "lab" },
      { group: "guid-of-staff", role: "viewer", account: "lab" },
    ];
    await put({ issuer: provider.issuer, clientId: "tessera", clientSecret: "s", rules });
    ({ token, id: tokenId } = await newToken());
  });
  after(async () => {
    await server.close();
    await provider.close();
  });

  const put = async (body: object) => {
    const set = await server.call(owner.token, "PUT", "/v1/providers/corp", body);
    assert.equal(set.status, 200, set.text);
  };
  const newToken = () => server.must<{ token: string; id: string }>(owner, "POST", "/v1/providers/corp/scim");
  const ask = (method: string, path: string, body?: unknown) => server.call(token, method, `/scim/v2${path}`, body);
  const make = async (body: object, path = "/Users") => {
    const answer = await ask("POST", path, body);
    assert.equal(answer.status, 201, answer.text);
    return answer.json;
  };
  const post: Post = async (path, body, headers) => {
    const { status, headers: answered, json } = await server.call(undefined, "POST", path, body, headers);
    return { status, cookies: answered.getSetCookie(), json };
  };
  const enter = (subject: string, person: object = {}) => {
    provider.subject = subject;
    provider.person = person;
    return signInWith(post, "corp", (url) => provider.authorize(url));
  };
  const handMade = (name: string, role: string) =>
    server.must<{ id: string }>(owner, "POST", "/v1/users", { name, role, account: "lab" });
  const userNamed = (name: string) => server.must<{ id: string; disabled: boolean }>(owner, "GET", `/v1/users/${name}`);
  const rolesOf = (user: string) =>
    [...control.state.users.values()]
      .find(({ id }) => id === user)!
      .bindings.map(({ role, from }) => (from === undefined ? role : `${role} ${from}`));

  it("speaks with a token that is shown once, is good for nothing else, and can be taken back", async () => {
    const shown = await server.call(owner.token, "GET", "/v1/providers/corp");
    assert.ok(!shown.text.includes(token), "not shown again");
    assert.equal(shown.json.scim.tokens[0].id, tokenId);
    for (const path of ["/v1/whoami", "/v1/providers", "/metrics", "/v1/users"])
      assert.equal((await server.call(token, "GET", path)).status, 401, path);
    assert.equal((await server.call(owner.token, "GET", "/scim/v2/Users")).status, 401, "an owner is none");
    const second = await newToken();
    assert.equal((await server.call(owner.token, "POST", "/v1/providers/corp/scim")).status, 409, "two at most");
    assert.equal((await server.call(second.token, "GET", "/scim/v2/Users")).status, 200);
    const revoked = await server.call(owner.token, "DELETE", `/v1/providers/corp/scim/${second.id}`);
    assert.equal(revoked.status, 204);
    assert.equal((await server.call(second.token, "GET", "/scim/v2/Users")).status, 401);
    await ask("GET", "/Users");
    const { json } = await server.call(owner.token, "GET", "/v1/providers/corp");
    assert.ok(Date.parse(json.scim.tokens[0].lastUsedAt) > 0);
  });

  it("sees nothing of another provider", async () => {
    const { id } = await make({ userName: "only-corp" });
    const terms = { ...control.state.providers.get("corp")!.terms, issuer: "https://other.example", rules: [] };
    await control.must({ kind: "provider.set", name: "other", terms });
    const other = await server.must<{ token: string }>(owner, "POST", "/v1/providers/other/scim");
    for (const method of ["GET", "DELETE"])
      assert.equal((await server.call(other.token, method, `/scim/v2/Users/${id}`)).status, 404);
    assert.equal((await server.call(other.token, "GET", "/scim/v2/Users")).json.totalResults, 0);
    const same = await server.call(other.token, "POST", "/scim/v2/Users", { userName: "only-corp" });
    assert.equal(same.status, 201, "names are those of one provider");
  });

  it("never takes a user of that name: the first sign-in is linked by the id alone", async () => {
    const local = await handMade("ana", "tenant-admin");
    await make({ userName: "ana@corp.example", externalId: "sub-ana", emails: [{ value: "ana@corp.example" }] });
    const made = await userNamed("ana.corp");
    assert.notEqual(made.id, local.id);
    const entered = await enter("sub-ana", { preferred_username: "ana" });
    assert.equal((entered.json.me as { user: string }).user, made.id);
    const stranger = await enter("sub-other", { preferred_username: "ana@corp.example", email: "ana@corp.example" });
    assert.equal(stranger.status, 403, "someone that was never sent makes no user");
    assert.match(JSON.stringify(stranger.json), /externalId is this person's sub/);
    const changed = await ask("GET", '/Users?filter=userName eq "ana@corp.example"');
    const again = patchOf({ op: "replace", path: "externalId", value: "sub-mallory" });
    const moved = await ask("PATCH", `/Users/${changed.json.Resources[0].id}`, again);
    assert.deepEqual([moved.status, moved.json.scimType], [400, "mutability"]);
  });

  it("compares the claim that the owner names", async () => {
    await put({ scimClaim: "oid" });
    await make({ userName: "eva", externalId: "object-of-eva" });
    assert.equal((await enter("object-of-eva")).status, 403, "sub is not compared any more");
    provider.misdeed = { claims: (right) => ({ ...right, oid: "object-of-eva" }) };
    const entered = await enter("pairwise-1");
    provider.misdeed = {};
    assert.equal((entered.json.me as { user: string }).user, (await userNamed("eva")).id);
    await put({ scimClaim: "sub" });
  });

  it("is told of someone who signs in already, and finds that user; an owner may link another", async () => {
    await server.call(owner.token, "DELETE", `/v1/providers/corp/scim/${tokenId}`);
    const before = (await enter("sub-old", { preferred_username: "old" })).json.me as { user: string };
    ({ token, id: tokenId } = await newToken());
    const { id } = await make({ userName: "old@corp.example", externalId: "sub-old" });
    await ask("PATCH", `/Users/${id}`, patchOf({ op: "replace", value: { active: false } }));
    assert.equal((await userNamed("old")).disabled, true);
    assert.equal((await userNamed("old")).id, before.user);
    const local = await handMade("lena", "member");
    const told = await make({ userName: "lena@corp.example", externalId: "sub-lena" });
    const body = { user: "lena", subject: "sub-lena" };
    assert.equal((await server.call(owner.token, "POST", "/v1/providers/corp/link", body)).status, 204);
    assert.equal((await userNamed("lena.corp")).disabled, true, "the one that was made is of no use");
    assert.equal(((await enter("sub-lena")).json.me as { user: string }).user, local.id);
    await ask("PATCH", `/Users/${told.id}`, patchOf({ op: "Replace", path: "active", value: "False" }));
    assert.equal((await userNamed("lena")).disabled, true);
  });

  it("gives and takes roles by groups at once, and leaves those given by hand", async () => {
    const { id } = await make({ userName: "bob", externalId: "sub-bob" });
    const { id: bob } = await userNamed("bob");
    const ml = await make({ displayName: "ml", members: [{ value: id }] }, "/Groups");
    const staff = await make(
      { displayName: "Staff", externalId: "guid-of-staff", members: [{ value: id }] },
      "/Groups",
    );
    assert.deepEqual(rolesOf(bob), ["member scim:corp", "viewer scim:corp"]);
    await control.must({ kind: "role.bind", user: bob as never, role: "finance", account: "lab" });
    await ask("PATCH", `/Groups/${staff.id}`, patchOf({ op: "remove", path: `members[value eq "${id}"]` }));
    assert.deepEqual(rolesOf(bob), ["member scim:corp", "finance"]);
    await ask("PATCH", `/Groups/${ml.id}`, patchOf({ op: "replace", path: "displayName", value: "ml-2" }));
    assert.deepEqual(rolesOf(bob), ["finance"], "no rule knows the group by its new name");
    await put({ rules: [{ group: "ml-2", role: "viewer", account: "lab" }] });
    assert.deepEqual(rolesOf(bob), ["finance", "viewer scim:corp"], "rules count at once");
    await enter("sub-bob", { groups: ["ml", "guid-of-staff"] });
    assert.deepEqual(rolesOf(bob), ["finance", "viewer scim:corp"], "what a sign-in tells of groups does not count");
    await ask("DELETE", `/Groups/${ml.id}`);
    assert.deepEqual(rolesOf(bob), ["finance"]);
  });

  it("steps in the place of what sign-ins told of groups", async () => {
    await put({ rules: [{ group: "ops", role: "member", account: "lab" }] });
    await make({ userName: "kim", externalId: "sub-kim" });
    for (const { id } of (await ask("GET", "/Groups")).json.Resources) await ask("DELETE", `/Groups/${id}`);
    await enter("sub-kim", { groups: ["ops"] });
    const { id: kim } = await userNamed("kim");
    assert.deepEqual(rolesOf(kim), ["member sso:corp"], "while no group came by SCIM");
    const [{ id }] = (await ask("GET", '/Users?filter=userName eq "kim"')).json.Resources;
    const ops = await make({ displayName: "ops", members: [{ value: id }] }, "/Groups");
    assert.deepEqual(rolesOf(kim), ["member scim:corp"]);
    await ask("PATCH", `/Groups/${ops.id}`, patchOf({ op: "Remove", path: "members", value: [{ value: id }] }));
    assert.deepEqual(rolesOf(kim), []);
  });

  it("ends sessions and tokens for good, and enables only what it disabled", async () => {
    const { id } = await make({ userName: "dan", externalId: "sub-dan" });
    const { id: dan } = await userNamed("dan");
    const own = await tenancy.token(dan as never);
    await enter("sub-dan");
    const set = (active: boolean) => ask("PATCH", `/Users/${id}`, patchOf({ op: "replace", value: { active } }));
    assert.equal((await set(false)).json.active, false);
    assert.equal((await server.call(own.token, "GET", "/v1/whoami")).status, 401);
    assert.equal((await enter("sub-dan")).status, 403);
    assert.equal((await set(true)).json.active, true);
    assert.equal((await server.call(own.token, "GET", "/v1/whoami")).status, 401, "a token does not come back");
    assert.equal((await enter("sub-dan")).status, 200);
    await control.must({ kind: "user.disable", user: dan as never });
    assert.equal((await set(true)).json.active, false, "an administrator said so");
    assert.equal((await userNamed("dan")).disabled, true);
  });

  it("cannot disable the last platform owner", async () => {
    const body = { user: "root", subject: "sub-root" };
    await make({ userName: "boss", externalId: "sub-root" });
    await server.call(owner.token, "POST", "/v1/providers/corp/link", body);
    const [{ id }] = (await ask("GET", '/Users?filter=userName eq "boss"')).json.Resources;
    for (const answer of [
      await ask("PATCH", `/Users/${id}`, patchOf({ op: "replace", value: { active: false } })),
      await ask("DELETE", `/Users/${id}`),
    ])
      assert.equal(answer.status, 409, answer.text);
    assert.equal((await ask("GET", `/Users/${id}`)).json.active, true);
  });

  it("is remembered over a restart, and nothing of people is in the journal", async () => {
    const { id } = await make({
      userName: "canary-zq@corp.example",
      displayName: "Canary Zq",
      externalId: "canary-zq",
    });
    const group = await make({ displayName: "canary-zq-group", members: [{ value: id }] }, "/Groups");
    const again = await serveApi(control);
    try {
      const found = await again.call(token, "GET", `/scim/v2/Users/${id}`);
      assert.deepEqual([found.json.userName, found.json.groups[0].value], ["canary-zq@corp.example", group.id]);
    } finally {
      await again.close();
    }
    const rows = await control.reader.rows(1, 10_000);
    assert.ok(rows.length > 50);
    const texts = rows.map(({ inputs, events }) => Buffer.concat([inputs, events]).toString("utf8").toLowerCase());
    assert.ok(texts.some((text) => text.includes("scim:corp")));
    assert.ok(!texts.some((text) => text.includes("canary-zq")), "in a row of the journal");
    const { id: user } = await userNamed("canary-zq");
    assert.equal((await server.call(owner.token, "DELETE", `/v1/users/${user}`)).status, 204);
    assert.equal((await ask("GET", `/Users/${id}`)).status, 404);
    assert.deepEqual((await ask("GET", `/Groups/${group.id}`)).json.members, []);
  });

  it("goes with its provider: tokens, rows and roles; users stay", async () => {
    const { id } = await make({ userName: "zoe" });
    await put({ rules: [{ group: "last", role: "viewer", account: "lab" }] });
    await make({ displayName: "last", members: [{ value: id }] }, "/Groups");
    const { id: zoe } = await userNamed("zoe");
    assert.deepEqual(rolesOf(zoe), ["viewer scim:corp"]);
    assert.equal((await server.call(owner.token, "DELETE", "/v1/providers/corp")).status, 204);
    assert.deepEqual(rolesOf(zoe), []);
    assert.equal((await ask("GET", "/Users")).status, 401);
    assert.equal((await control.reader.privates("scim")).size, 1, "that of the other provider");
    assert.equal((await userNamed("zoe")).disabled, false);
  });
});
