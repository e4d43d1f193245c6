import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { TokenId, UserId } from "@tessera/core";
import { type RouteId, routes } from "@tessera/wire";
import { mintToken } from "../../access/tokens.ts";
import { newId } from "../../flow/ids.ts";
import { walkAccounts } from "../../testing/account-walk.ts";
import { fleetOf, TestControl } from "../../testing/control.ts";
import { makeWorld, requestFor, someProvider } from "../../testing/role-matrix.ts";
import { serveApi, Tenancy } from "../../testing/tenancy.ts";

const own = (url: string) => ({ "sec-fetch-site": "same-origin", origin: url });

async function limited(control: TestControl, user: UserId, limits: { account?: string; networks?: readonly string[] }) {
  const { token, prefix, hash } = mintToken();
  const id = newId("tok_") as TokenId;
  const names = { id, user, prefix, hash, label: "limited", scopes: [], expiresAt: 0 };
  await control.must({ kind: "token.create", ...names, ...limits });
  return { token, id };
}

describe("a token that is limited", () => {
  it("to an account reaches nothing of another on any route, list or stream; npm run prove:walls tries all roles", async () => {
    const control = await TestControl.start(undefined, fleetOf(1, 8));
    const server = await serveApi(control);
    try {
      const { beyond, tried, answered, watched } = await walkAccounts(control, server, ["platform-owner"]);
      console.log(`limited tokens: ${tried} answers looked at, ${answered} at the account, ${watched} streams`);
      assert.deepEqual(beyond, []);
      assert.ok(tried > 350 && answered > 60 && watched > 10, `${tried} ${answered} ${watched}`);
    } finally {
      await server.close();
    }
  });

  it("to an account is worth nothing once the account is gone, and says so", async () => {
    const control = await TestControl.start(undefined, fleetOf(1, 0));
    const tenancy = new Tenancy(control);
    await tenancy.account("acme");
    const owner = await tenancy.user("owner", "platform-owner");
    const { token } = await limited(control, owner.id, { account: "acme" });
    const server = await serveApi(control);
    try {
      const me = await server.call(token, "GET", "/v1/whoami");
      const [{ role, account }] = me.json.bindings;
      assert.deepEqual([me.json.bindings.length, role, account], [1, "platform-owner", "acme"]);
      await control.must({ kind: "account.delete", path: "acme" });
      const gone = await server.call(token, "GET", "/v1/whoami");
      assert.equal(gone.status, 401);
      assert.match(gone.text, /account that the token is limited to was deleted/);
    } finally {
      await server.close();
    }
  });

  it("to networks is refused from elsewhere on every route, and opens no session there", async () => {
    const control = await TestControl.start(undefined, fleetOf(1, 0));
    const { tenancy, users } = await makeWorld(control);
    const server = await serveApi(control);
    const owner = users["platform-owner"].id;
    const away = await limited(control, owner, { networks: ["10.0.0.0/8", "2001:db8::/32"] });
    const here = await limited(control, owner, { networks: ["127.0.0.0/8", "::1"] });
    try {
      for (const id of Object.keys(routes) as RouteId[]) {
        const { path, body } = await requestFor(tenancy, id, "platform-owner", "own");
        const answer = await server.call(away.token, routes[id].method, path, body);
        assert.equal(answer.status, 403, `${id}: ${answer.text}`);
        assert.match(answer.text, /may not be used from 127\.0\.0\.1/, id);
      }
      const signedIn = await server.call(undefined, "POST", "/v1/session", { token: away.token }, own(server.url));
      assert.equal(signedIn.status, 403);
      assert.equal((await server.call(here.token, "GET", "/v1/whoami")).status, 200);
      assert.equal(
        (await server.call(here.token, "POST", "/v1/tokens", {})).status,
        403,
        "credentials are out of reach",
      );
      const listed = await server.call(users["platform-owner"].token, "GET", `/v1/tokens?user=${owner}`);
      const used = (id: string) => listed.json.items.find((each: { id: string }) => each.id === id).lastUsedAt;
      assert.equal(used(away.id), undefined, "a refused use is no use");
      assert.notEqual(used(here.id), undefined);
    } finally {
      await server.close();
    }
  });

  it("is made with its limits, within what its user has, and within the life that the policy allows", async () => {
    const control = await TestControl.start(undefined, fleetOf(1, 0));
    const tenancy = new Tenancy(control);
    for (const path of ["acme", "acme/team", "bolt"]) await tenancy.account(path);
    await tenancy.user("ana", "member", "acme");
    const owner = await tenancy.user("owner", "platform-owner");
    const server = await serveApi(control);
    const ownersMake = (body: object) => server.call(owner.token, "POST", "/v1/tokens", body);
    try {
      const made = await ownersMake({ user: "ana", account: "acme/team", networks: ["10.0.0.0/8"], expiresIn: "30d" });
      assert.equal(made.status, 201, made.text);
      assert.deepEqual([made.json.account, made.json.networks], ["acme/team", ["10.0.0.0/8"]]);
      assert.equal((await ownersMake({ user: "ana", account: "bolt" })).status, 422, "ana has no role there");
      assert.equal((await ownersMake({ account: "nowhere" })).status, 404);
      const wrong = await ownersMake({ networks: ["10.0.0.0/99"] });
      assert.deepEqual([wrong.status, wrong.json.field], [422, "networks.0"]);

      const policy = { rebalance: "off", minRuntime: "1m", grace: "0s", backfill: true, tokenLife: "90d" };
      await server.must(owner, "PUT", "/v1/policy", policy);
      assert.equal((await ownersMake({ expiresIn: "91d" })).status, 422);
      const plain = await ownersMake({});
      const life = Date.parse(plain.json.expiresAt) - Date.parse(plain.json.createdAt);
      assert.equal(Math.round(life / 3_600_000), 90 * 24, "without one, as long as the policy allows");
    } finally {
      await server.close();
    }
  });
});

describe("passwords that are off", () => {
  const password = "correct horse battery";
  const policy = { rebalance: "off", minRuntime: "1m", grace: "0s", backfill: true };

  it("sign nobody in while there is a provider, and count again without one", async () => {
    const control = await TestControl.start(undefined, fleetOf(1, 0));
    const tenancy = new Tenancy(control);
    const owner = await tenancy.user("owner", "platform-owner");
    const server = await serveApi(control);
    const signIn = () => server.call(undefined, "POST", "/v1/session", { name: "owner", password }, own(server.url));
    try {
      await server.must(owner, "PUT", `/v1/users/${owner.id}/password`, { password });
      await server.must(owner, "PUT", "/v1/policy", { ...policy, passwords: "off" });
      assert.equal((await signIn()).status, 200, "without a provider people would be locked out");
      await control.must({ kind: "provider.set", name: "corp", terms: someProvider });
      assert.equal((await signIn()).status, 403);
      assert.equal((await server.call(undefined, "GET", "/v1/session")).json.passwordsOff, true);
      const set = await server.call(owner.token, "PUT", `/v1/users/${owner.id}/password`, { password });
      assert.equal(set.status, 409);
      assert.equal((await server.must<{ passwords: string }>(owner, "GET", "/v1/policy")).passwords, "off");
      await control.must({ kind: "provider.remove", name: "corp" });
      assert.equal((await signIn()).status, 200);
    } finally {
      await server.close();
    }
  });
});
