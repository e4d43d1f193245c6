import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { describe, it } from "node:test";
import { inspect } from "node:util";
import { decide } from "../decide/decide.ts";
import type { JobSpec } from "../model/job.ts";
import { plainPolicy } from "../model/policy.ts";
import { hour, minute } from "../model/units.ts";
import { writeSnapshot } from "../state/snapshot/snapshot.ts";
import type { State } from "../state/state.ts";
import { parseJob } from "../submit/parse.ts";
import { ana, jobId, World } from "../testing/world.ts";
import { alternativesFor } from "./alternatives.ts";
import { fleetPlan } from "./fleet-plan.ts";
import { jobsAheadOf } from "./jobs-ahead.ts";
import { outlookOf, startBand } from "./outlook.ts";
import { aheadOf, reasonFor } from "./reason-for.ts";
import { expected, rehearse } from "./rehearse.ts";

/** Memos of pure functions of the state: they may be filled by a query, and change no answer. */
const memos = new Set(["paths", "floors", "fitsEmptyAt"]);

/** A hash over everything that can be reached from a state, indexes included. */
function hashOf(state: State): string {
  const hash = createHash("sha256").update(writeSnapshot(state));
  const seen = new Map<object, number>();
  const add = (value: unknown): void => {
    if (typeof value !== "object" || value === null) {
      hash.update(`${typeof value} ${String(value)};`);
      return;
    }
    const known = seen.get(value);
    hash.update(`#${known ?? seen.size};`);
    if (known !== undefined) return;
    seen.set(value, seen.size);
    if (ArrayBuffer.isView(value)) hash.update(value as Uint8Array);
    else if (value instanceof Map || value instanceof Set) for (const entry of value.entries()) entry.forEach(add);
    else
      for (const [key, field] of Object.entries(value)) {
        if (memos.has(key)) continue;
        hash.update(`${key}=`);
        add(field);
      }
  };
  add(state);
  return hash.digest("hex");
}

/** A busy day: floors, plans, claims, parts, confidential tenants and jobs of every kind of reason. */
function busy(): World {
  const w = new World().nodes(["n1", "H100:4"], ["n2", "H100:4"], ["n3", "A100:4"]);
  w.must({ kind: "policy.set", policy: { ...plainPolicy, rebalance: "on", minRuntimeMs: 0, backfill: true } });
  w.account("lab", { guarantee: 4 }).account("lab/x", { guarantee: 2 }).account("shop", { max: 6 });
  w.account("bank", { trust: "confidential" });
  w.submit("base", "shop", { gpus: 4, max_time: "2h" });
  w.submit("more", "shop", { gpus: 2 });
  w.submit("vault", "bank", { gpus: "A100:2", max_time: "1h" });
  for (const id of ["base", "more", "vault"]) w.run(id);
  w.tick(10 * minute);
  w.submit("gang", "lab", { nodes: 2, gpus: "H100:4", max_time: "1h" });
  w.submit("small", "lab/x", { gpus: 1, max_time: "30m" });
  w.submit("late", "shop", { gpus: 2 });
  w.submit("held", "shop", { gpus: 1 });
  w.must({ kind: "job.hold", job: jobId("held") });
  w.submit("elastic", "lab", { nodes: "1..3", gpus: 1 });
  w.submit("wide", "shop", { gpus: "H100:4", max_time: "3h" });
  for (const id of ["one", "two"]) w.submit(id, "bank", { gpus: "H100:4" });
  return w;
}

describe("queries", () => {
  it("[S26] change nothing: the state has the same hash before and after each of them", () => {
    const w = busy();
    const { state } = w;
    const now = w.now + minute;
    const raw = { run: "true", gpus: 2, max_time: "1h" } as const;
    const spec = parseJob(raw, { after: [] }) as JobSpec;
    const account = state.accountByPath.get("lab/x")!.no;
    const jobs = [...state.jobs.values()].filter((job) => job.state === "waiting");
    assert.ok(jobs.length >= 4);
    const queries: Readonly<Record<string, () => unknown>> = {
      reason: () => jobs.map((job) => reasonFor(state, job, now)),
      outlook: () => jobs.map((job) => outlookOf(state, job, now)),
      band: () => jobs.map((job) => startBand(state, job, now)),
      jobsAhead: () => jobs.map((job) => jobsAheadOf(state, job)),
      ahead: () => jobs.map((job) => aheadOf(state, job)),
      alternatives: () =>
        jobs.map((job) => {
          const terms = { offers: () => true, mayRaise: true };
          return alternativesFor(state, job, now, outlookOf(state, job, now), terms);
        }),
      expected: () => jobs.map((job) => expected(state, job, now)),
      plan: () => fleetPlan(state, now),
      "dry run": () => rehearse(state, account, ana, spec, now, 0),
      decide: () => {
        const command = { kind: "job.submit", id: jobId("asked"), account: "lab/x", user: ana, spec, endedBefore: [] };
        return decide(state, { kind: "command", v: 1, command } as unknown as Parameters<typeof decide>[1], now);
      },
    };
    const before = hashOf(state);
    for (const [name, query] of Object.entries(queries)) {
      const first = inspect(query(), { depth: 4 });
      assert.equal(hashOf(state), before, `${name} changed the state`);
      assert.equal(inspect(query(), { depth: 4 }), first, `${name} answers differently when asked again`);
    }
    w.tick(hour);
    assert.notEqual(hashOf(state), before);
  });
});
