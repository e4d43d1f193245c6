import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { verify } from "../../flow/project/verify.ts";
import { fleetOf, TestControl } from "../../testing/control.ts";
import { serveApi, Tenancy, type TestServer, type TestUser } from "../../testing/tenancy.ts";

interface Entry {
  readonly id: string;
  readonly actor: string;
  readonly token?: string;
  readonly action: string;
  readonly target: string;
  readonly targetName?: string;
  readonly account: string;
  readonly outcome: string;
  readonly detail: string;
  readonly address?: string;
  readonly count?: number;
}

describe("the audit", () => {
  let control: TestControl;
  let tenancy: Tenancy;
  let server: TestServer;
  let owner: TestUser;
  let admin: TestUser;
  let member: TestUser;
  let stranger: TestUser;
  let job: string;

  before(async () => {
    control = await TestControl.start(undefined, fleetOf(1, 8));
    tenancy = new Tenancy(control);
    for (const path of ["acme", "bolt"]) await tenancy.account(path);
    owner = await tenancy.user("own", "platform-owner");
    admin = await tenancy.user("ada", "tenant-admin", "acme");
    member = await tenancy.user("mel", "member", "acme");
    stranger = await tenancy.user("bob", "tenant-admin", "bolt");
    server = await serveApi(control);
    job = await tenancy.job("acme", member.id, { name: "train" });
    await control.run(job);
  });
  after(() => server.close());

  const call = (who: TestUser, method: string, path: string, body?: object) =>
    server.call(who.token, method, path, body);
  /** What the audit holds once everything that waits is written. */
  const entries = async (who: TestUser, query = ""): Promise<Entry[]> => {
    await server.notices.flush(true);
    return (await call(who, "GET", `/v1/audit?limit=1000${query}`)).json.items;
  };
  /** What was tried and what became of it; equal ones are counted together, however the batches fell. */
  const of = (all: readonly Entry[], action: string, outcome: string): Entry[] => {
    const merged = new Map<string, Entry>();
    for (const each of all.filter((entry) => entry.action === action && entry.outcome === outcome)) {
      const key = [each.actor, each.target, each.detail].join(" ");
      merged.set(key, { ...each, count: (each.count ?? 0) + (merged.get(key)?.count ?? 0) });
    }
    return [...merged.values()];
  };

  it("keeps refusals with user, token and address, and what was tried", async () => {
    for (let i = 0; i < 3; i++) assert.equal((await call(member, "PUT", "/v1/policy", policy)).status, 403);
    const [entry, ...more] = of(await entries(admin), "policy.write", "refused");
    assert.equal(more.length, 0);
    assert.deepEqual(
      [entry?.actor, entry?.token, entry?.address, entry?.count, entry?.account],
      [member.id, member.tokenId, "127.0.0.1", 3, "acme"],
    );
  });

  it("shows what was looked for in vain to the platform alone, and no name that was typed", async () => {
    assert.equal((await call(stranger, "GET", `/v1/jobs/${job}`)).status, 404);
    assert.equal((await call(stranger, "GET", "/v1/users/mel")).status, 404);
    assert.equal((await call(stranger, "GET", "/v1/jobs/mel-was-here")).status, 404);
    const seen = of(await entries(owner), "job.read", "refused").filter(({ actor }) => actor === stranger.id);
    assert.deepEqual(seen.map(({ target }) => target).sort(), ["", job]);
    assert.deepEqual(of(await entries(stranger), "job.read", "refused"), []);
    assert.deepEqual(of(await entries(admin), "job.read", "refused"), []);
    assert.equal(JSON.stringify(await entries(owner)).includes("mel-was-here"), false);
  });

  it("keeps requests without a valid token, and failed sign-ins with their user", async () => {
    assert.equal((await server.call(`tess_${"x".repeat(43)}`, "GET", "/v1/jobs")).status, 401);
    const wrong = (name: string) => server.call(undefined, "POST", "/v1/session", { name, password: "hunter2hunter2" });
    for (const name of ["mel", "mel", "not a user"]) assert.equal((await wrong(name)).status, 401);
    const all = await entries(owner);
    assert.equal(of(all, "job.read", "refused").filter(({ actor }) => actor === "stranger").length, 1);
    const failed = of(all, "session.fail", "failed").map(({ target, count, address }) => [target, count, address]);
    assert.deepEqual(failed.sort(), [
      ["", 1, "127.0.0.1"],
      [member.id, 2, "127.0.0.1"],
    ]);
    assert.equal(of(await entries(admin), "session.fail", "failed").length, 1, "the tenant sees its own");
    assert.equal(JSON.stringify(all).includes("not a user"), false);
  });

  it("keeps reads of the logs, files and secrets of others, and not of one's own", async () => {
    assert.equal((await call(member, "GET", `/v1/jobs/${job}/logs`)).status, 200);
    assert.deepEqual(of(await entries(admin), "job.logs", "read"), []);
    assert.equal((await call(admin, "GET", `/v1/jobs/${job}/logs`)).status, 200);
    assert.equal((await call(admin, "GET", `/v1/jobs/${job}/files`)).status, 200);
    assert.equal((await call(admin, "GET", "/v1/accounts/acme/secrets")).status, 200);
    const all = await entries(admin);
    const logs = of(all, "job.logs", "read").map(({ actor, target, detail }) => [actor, target, detail]);
    assert.deepEqual(logs.sort(), [
      [admin.id, job, "GET /v1/jobs/:job/files"],
      [admin.id, job, "GET /v1/jobs/:job/logs"],
    ]);
    assert.equal(of(all, "secret.read", "read")[0]?.target, "acme");
  });

  it("keeps exports", async () => {
    assert.equal((await call(admin, "GET", "/v1/usage/events?account=acme")).status, 200);
    assert.equal(of(await entries(admin), "usage.read", "exported")[0]?.actor, admin.id);
  });

  it("keeps changes of policy, quota and roles with before and after, and the address", async () => {
    assert.equal((await call(owner, "PUT", "/v1/policy", { ...policy, grace: "77s" })).status, 200);
    assert.equal((await call(owner, "PATCH", "/v1/accounts/acme", { weight: 3 })).status, 200);
    const bound = await call(admin, "POST", "/v1/role-bindings", { user: "mel", role: "viewer", account: "acme" });
    assert.equal(bound.status, 201);
    const all = await entries(owner);
    const [set, edited, bind] = ["policy.set", "account.edit", "role.bind"].map(
      (action) => all.find((each) => each.action === action && each.actor !== "system")!,
    );
    assert.match(set!.detail, /graceMs: \d+s → 1m17s/);
    assert.match(edited!.detail, /quota\.weight: 1 → 3/);
    assert.equal(bind!.detail, "viewer: roles here member → member, viewer");
    for (const entry of [set, edited, bind]) assert.equal(entry!.address, "127.0.0.1");
  });

  it("gives one entry by its id, to those who may see it, and names the user it is about", async () => {
    const made = (await entries(owner)).find(({ action, target }) => action === "user.create" && target === member.id)!;
    assert.equal(made.targetName, "mel");
    const one = (who: TestUser, id: string) => entries(who, `&id=${id}`);
    assert.deepEqual(await one(owner, made.id), [made]);
    assert.deepEqual(await one(admin, made.id), [made]);
    for (const [who, id] of [
      [stranger, made.id],
      [owner, "0.0"],
      [owner, "99999999.0"],
      [owner, "mel"],
    ] as const)
      assert.deepEqual(await one(who, id), []);
    const all = await entries(owner);
    assert.equal(new Set(all.map(({ id }) => id)).size, all.length);
  });

  it("forgets the addresses of an erased user, and stays sound", async () => {
    const gone = await tenancy.user("gone", "member", "acme");
    assert.equal((await call(gone, "PUT", "/v1/policy", policy)).status, 403);
    const own = (all: readonly Entry[]) => all.filter(({ actor }) => actor === gone.id).map(({ address }) => address);
    assert.deepEqual(new Set(own(await entries(owner))), new Set(["127.0.0.1"]));
    assert.equal((await call(owner, "DELETE", `/v1/users/${gone.id}`)).status, 204);
    assert.deepEqual(new Set(own(await entries(owner))), new Set([undefined]));
    assert.equal((await verify(control.reader)).sound, true);
  });
});

const policy = { rebalance: "off", minRuntime: "1m", grace: "5s", backfill: true };
