import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { TokenId } from "@tessera/core";
import type { Action } from "@tessera/wire";
import { mintToken } from "../../access/tokens.ts";
import { newId } from "../../flow/ids.ts";
import { fleetOf, TestControl } from "../../testing/control.ts";
import { serveApi, Tenancy, type TestServer, type TestUser } from "../../testing/tenancy.ts";

describe("what one route tells of several kinds of things", () => {
  let control: TestControl;
  let tenancy: Tenancy;
  let server: TestServer;
  let owner: TestUser;
  let member: TestUser;
  let stranger: TestUser;
  let admin: TestUser;

  before(async () => {
    control = await TestControl.start(undefined, fleetOf(1, 8));
    tenancy = new Tenancy(control);
    for (const path of ["kite", "kite/team", "bolt"]) await tenancy.account(path);
    owner = await tenancy.user("kite-owner", "platform-owner");
    admin = await tenancy.user("kite-admin", "tenant-admin", "kite");
    member = await tenancy.user("kite-member", "member", "kite/team");
    stranger = await tenancy.user("bob", "tenant-admin", "bolt");
    server = await serveApi(control);
    const ended = await tenancy.job("kite/team", member.id, { name: "kite-over" });
    await control.run(ended);
    await control.finish(ended, 0);
    await control.run(await tenancy.job("kite/team", member.id, { name: "kite-runs" }));
  });
  after(() => server.close());

  const withScopes = async (user: TestUser, scopes: readonly Action[]): Promise<string> => {
    const { token, prefix, hash } = mintToken();
    const names = { id: newId("tok_") as TokenId, user: user.id, prefix, hash, label: "scoped", expiresAt: 0 };
    await control.must({ kind: "token.create", ...names, scopes: [...scopes] });
    return token;
  };
  const found = async (token: string, text = "kite"): Promise<string[]> => {
    const { json } = await server.call(token, "GET", `/v1/search?q=${text}&limit=50`);
    return json.items.map(({ kind, name }: { kind: string; name: string }) => `${kind} ${name}`).sort();
  };

  it("is found only as far as the roles reach", async () => {
    const accounts = ["account kite", "account kite/team"];
    const jobs = ["job kite-over", "job kite-runs"];
    const people = ["user kite-admin", "user kite-member", "user kite-owner"];
    assert.deepEqual(await found(owner.token), [...accounts, ...jobs, ...people]);
    assert.deepEqual(await found(admin.token), [...accounts, ...jobs, ...people.slice(0, 2)]);
    assert.deepEqual(await found(stranger.token), []);
    assert.deepEqual(await found(stranger.token, "over"), []);
  });

  it("is found only as far as the scopes of the token reach", async () => {
    assert.deepEqual(await found(await withScopes(owner, ["self.read"])), []);
    assert.deepEqual(await found(await withScopes(owner, ["self.read"]), "n0"), []);
    assert.deepEqual(await found(await withScopes(owner, ["self.read", "account.read"])), [
      "account kite",
      "account kite/team",
    ]);
    assert.deepEqual(await found(await withScopes(owner, ["self.read", "job.read"])), [
      "job kite-over",
      "job kite-runs",
    ]);
  });

  it("has no money, no job and no map for a token that could not read them elsewhere", async () => {
    const any = { model: "*", reservedMicros: 2_000_000, burstMicros: 1_000_000 };
    await server.must(owner, "POST", "/v1/prices", { id: "l1", currency: "EUR", from: "2026-01-01", gpus: [any] });
    const usage = await withScopes(owner, ["usage.read"]);
    const status = async (token: string, path: string) => (await server.call(token, "GET", path)).status;
    assert.equal(await status(usage, "/v1/series?metric=allocated"), 200);
    assert.equal(await status(usage, "/v1/series?metric=spend"), 403);
    assert.equal(await status(usage, "/v1/series?metric=spend&job=kite-runs"), 403);
    assert.equal(await status(await withScopes(owner, ["usage.read", "cost.read"]), "/v1/series?metric=spend"), 200);
    const jobs = await withScopes(owner, ["job.read"]);
    const then = new Date(control.now() + 60_000).toISOString();
    const moment = await server.call(jobs, "GET", `/v1/moment?at=${then}`);
    assert.deepEqual([moment.status, moment.json.nodes, moment.json.holding], [200, [], 1]);
    const whole = await server.call(owner.token, "GET", `/v1/moment?at=${then}`);
    assert.equal(whole.json.nodes.length, 1);
  });
});
