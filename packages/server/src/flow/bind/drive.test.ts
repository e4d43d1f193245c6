import assert from "node:assert/strict";
import { it } from "node:test";
import type { LeaseId, ReadonlyState } from "@tessera/core";
import type { Engine } from "@tessera/engine";
import { Driver } from "./drive.ts";

/** The leases that are let go after a start, of a gang of two whose rank 1 is ready and whose rank 0 is as given. */
async function letGo({ startedAt, rankZero }: { startedAt: number; rankZero: string }): Promise<LeaseId[]> {
  const released: LeaseId[] = [];
  const all = ["job_a-1-0", "job_a-1-1"].map((id, no) => ({
    id,
    job: 1,
    node: 0,
    state: no === 0 ? rankZero : "prepared",
  }));
  const leases = all.filter(({ state }) => state !== "ended");
  const job = { leases, startedAt, spec: { members: { min: 2 } } };
  const engine: Partial<Engine> = {
    name: "lab",
    capabilities: {} as Engine["capabilities"],
    subscribe: () => {},
    list: async () => [],
    release: async (lease) => void released.push(lease),
  };
  const state = {
    leases: new Map(leases.map((lease) => [lease.id, { ...lease, reportSequence: 0 }])),
    jobs: new Map([[1, job]]),
    fleet: { nodes: [{ facts: { engine: "lab" } }] },
  };
  const driver = new Driver({
    engine: engine as Engine,
    state: state as unknown as ReadonlyState,
    report: async () => {},
    secretsFor: async () => ({ secrets: {} }),
    now: () => 0,
    sleep: async () => {},
    onFenced: assert.fail,
    warn: assert.fail,
  });
  await driver.adopt();
  await new Promise((resolve) => setImmediate(resolve));
  return released;
}

it("a gang is let go whole, and the rest of it also after the first of it has ended", async () => {
  assert.deepEqual(await letGo({ startedAt: 0, rankZero: "prepared" }), ["job_a-1-0", "job_a-1-1"]);
  assert.deepEqual(await letGo({ startedAt: 7, rankZero: "running" }), ["job_a-1-1"]);
  assert.deepEqual(await letGo({ startedAt: 7, rankZero: "ended" }), ["job_a-1-1"]);
  assert.deepEqual(await letGo({ startedAt: 0, rankZero: "ended" }), []);
});
