import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { RouteId } from "@tessera/wire";
import { fleetOf, TestControl } from "../../testing/control.ts";
import { isAway, isLarge } from "./away.ts";

/** What the console's homes ask for, of the owner and of a user. */
const ofHome: readonly [RouteId, object][] = [
  ["readSummary", {}],
  ["readSummary", { user: "usr_1" }],
  ["listAccounts", { limit: 5 }],
  ["listUsers", { limit: 2, count: true }],
  ["listNodes", { mode: "out", limit: 8 }],
  ["listAlarms", {}],
  ["listEngines", {}],
  ["listEvents", { limit: 50 }],
  ["listJobs", { user: "usr_1", state: "active", limit: 10 }],
  ["listJobs", { user: "usr_1", state: "waiting", limit: 10 }],
  ["listJobs", { user: "usr_1", state: "unsuccessful", limit: 5 }],
  ["getAccount", {}],
  ["search", { q: "llama" }],
];

describe("which thread answers", () => {
  it("is for Home and for a search the one that was asked, however large the fleet", async () => {
    const control = await TestControl.start(undefined, fleetOf(300, 8));
    assert.ok(isLarge(control.state));
    const away = ofHome.filter(([id, query]) => isAway(id, control.state, { ...query }));
    assert.deepEqual(away, []);
  });

  it("is another for long pages, and for what reads the past", async () => {
    const control = await TestControl.start(undefined, fleetOf(300, 8));
    const asked: readonly [RouteId, object][] = [
      ["listNodes", {}],
      ["listNodes", { limit: 1_000 }],
      ["listJobs", { limit: 10, text: "llama" }],
      ["listJobs", { limit: 10, count: true }],
      ["readCosts", {}],
    ];
    assert.deepEqual(
      asked.filter(([id, query]) => !isAway(id, control.state, { ...query })),
      [],
    );
  });
});
