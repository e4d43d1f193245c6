import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Role } from "@tessera/core";
import { acts, type RouteId, routes } from "@tessera/wire";
import { mintToken } from "../../access/tokens.ts";
import { newId } from "../../flow/ids.ts";
import { fleetOf, TestControl } from "../../testing/control.ts";
import { EventStream } from "../../testing/event-stream.ts";
import { walkMay } from "../../testing/may-walk.ts";
import { makeWorld } from "../../testing/role-matrix.ts";
import { serveApi, type TestUser } from "../../testing/tenancy.ts";

const notYet = 4_000_000_000_000;

async function walked(tokenFor?: (control: TestControl, user: TestUser) => Promise<string>, as?: readonly Role[]) {
  const control = await TestControl.start(undefined, fleetOf(1, 0));
  const world = await makeWorld(control);
  const endless = { burst: 1e9, perSecond: 1e9 };
  const server = await serveApi(control, { rates: { user: endless, stranger: endless } });
  try {
    return await walkMay(server, world, tokenFor && ((user) => tokenFor(control, user)), as);
  } finally {
    await server.close();
  }
}

function tokenWith(limits: { readonly scopes?: readonly string[]; readonly account?: string }) {
  return async (control: TestControl, { id: user }: TestUser) => {
    const { token, prefix, hash } = mintToken();
    const names = { id: newId("tok_"), user, prefix, hash, label: "limited", scopes: [], expiresAt: 0 } as never;
    await control.must({ kind: "token.create", ...(names as object), ...limits } as never);
    return token;
  };
}

describe("what may be done with a thing", () => {
  it("is what the server then lets through, for every act, role and tenancy", async () => {
    const { cells, held, wrong } = await walked();
    console.log(`may: ${cells} cells, ${held} of them allowed`);
    assert.deepEqual(wrong, []);
    assert.ok(cells > 1_000 && held > 250, `${cells} ${held}`);
  });

  it("goes no further than the scopes and the account of the token", async () => {
    const some = ["platform-owner"] as const;
    const scopes = ["job.read", "job.control", "account.read", "budget.read", "budget.write", "user.read", "node.read"];
    const scoped = await walked(tokenWith({ scopes }), some);
    assert.deepEqual(scoped.wrong, []);
    const within = await walked(tokenWith({ account: "acme/team" }), some);
    assert.deepEqual(within.wrong, []);
    assert.ok(scoped.held > 10 && within.held > 10, `${scoped.held} ${within.held}`);
  });

  it("names every route that changes a thing, or the reason why it is left out", () => {
    // Tried or asked in the same words as another act, or a part of submitting a job.
    const besides = new Set<RouteId>([
      ...([
        "previewAccount",
        "previewContract",
        "previewBudget",
        "previewBilling",
        "applyJob",
        "dryRunJob",
        "findMissing",
        "putContent",
        "estimateJob",
      ] as const),
      // The one policy, new things of the platform, and things that only the platform's owners see: whoami tells.
      ...([
        "setPolicy",
        "createEngine",
        "createPool",
        "previewPool",
        "previewPrices",
        "closePeriod",
        "previewClose",
        "startWhatIf",
        "cancelWhatIf",
        "witnessHead",
        "rotateDataKey",
      ] as const),
      ...(["putProvider", "removeProvider", "previewProvider", "linkIdentity", "createScimToken"] as const),
      ...([
        "revokeScimToken",
        "putExchange",
        "removeExchange",
        "previewExchange",
        "addAnchor",
        "removeAnchor",
      ] as const),
    ]);
    const named = new Set<string>(Object.values(acts).flat());
    const left = (Object.keys(routes) as RouteId[]).filter(
      (id) =>
        routes[id].method !== "GET" &&
        routes[id].resource !== "self" &&
        routes[id].resource !== "anyone" &&
        !named.has(id) &&
        !besides.has(id),
    );
    assert.deepEqual(left, []);
  });

  it("comes with the lists and the streams too", async () => {
    const control = await TestControl.start(undefined, fleetOf(1, 8));
    const { tenancy, users } = await makeWorld(control);
    const server = await serveApi(control);
    try {
      const { member } = users;
      const job = await tenancy.job("acme", member.id, { name: "own" }, notYet);
      await tenancy.job("acme", users["team-admin"].id, { name: "others" }, notYet);
      const items = (await server.call(member.token, "GET", "/v1/jobs")).json.items;
      const may = new Map(items.map((item: { name: string; may: string[] }) => [item.name, item.may]));
      assert.equal(may.get("own"), "all");
      assert.deepEqual(may.get("others"), []);
      const stream = await EventStream.open(`${server.url}/v1/jobs`, member.token);
      const sync = (await stream.next())!;
      assert.deepEqual(
        sync.data.items.map((item: { may: string[] }) => item.may),
        items.map((item: { may: string[] }) => item.may),
      );
      await server.call(member.token, "POST", `/v1/jobs/${job}/hold`, {});
      const put = (await stream.until(({ event }) => event === "put")).at(-1)!;
      assert.deepEqual(put.data.may, may.get(put.data.name));
      stream.close();
    } finally {
      await server.close();
    }
  });
});
