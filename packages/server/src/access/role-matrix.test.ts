import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { roles } from "@tessera/core";
import { type Route, type RouteId, routes } from "@tessera/wire";
import { prepare } from "../api/route.ts";
import { fleetOf, TestControl } from "../testing/control.ts";
import { makeWorld, tenancies, walk } from "../testing/role-matrix.ts";
import { serveApi } from "../testing/tenancy.ts";

const ids = Object.keys(routes) as RouteId[];

describe("who may do what", () => {
  it("answers every route, role and tenancy as the roles are meant to be", async () => {
    const control = await TestControl.start(undefined, fleetOf(1, 0));
    const world = await makeWorld(control);
    const server = await serveApi(control);
    try {
      const { cells, wrong } = await walk(server, world, ids);
      console.log(
        `role matrix: ${ids.length} routes x ${roles.length} roles x ${tenancies.length} = ${cells} cells checked`,
      );
      assert.equal(cells, ids.length * roles.length * tenancies.length);
      assert.deepEqual(wrong, []);
    } finally {
      await server.close();
    }
  });

  it("registers no route that has lost its action or its resource", () => {
    for (const id of ids) {
      const { action: _a, ...noAction } = routes[id] as Route;
      const { resource: _r, ...noResource } = routes[id] as Route;
      assert.throws(() => prepare(id, noAction as Route), /declares no action/);
      assert.throws(() => prepare(id, noResource as Route), /declares no action/);
    }
  });

  it("notices in the walk when a route declares too little", async () => {
    const weak: readonly (readonly [RouteId, Partial<Route>])[] = [
      ["editAccount", { action: "account.read" }],
      ["readLogs", { action: "job.read" }],
      ["cordonNode", { action: "node.read" }],
      ["setPolicy", { action: "policy.read" }],
      ["createAccount", { action: "account.read" }],
      ["listAudit", { action: "event.read" }],
      ["submitJob", { action: "account.read" }],
    ];
    const table = { ...routes } as Record<RouteId, Route>;
    for (const [id, change] of weak) table[id] = { ...routes[id], ...change } as Route;
    const control = await TestControl.start(undefined, fleetOf(1, 0));
    const world = await makeWorld(control);
    const server = await serveApi(control, {}, table);
    try {
      for (const [id] of weak) assert.notEqual((await walk(server, world, [id])).wrong.length, 0, id);
    } finally {
      await server.close();
    }
  });
});
