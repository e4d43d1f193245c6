import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { describe, it } from "node:test";
import { seededRandom } from "@tessera/engine-simulated";
import type { Result } from "../simulate/result.ts";
import type { Setting } from "../simulate/setting.ts";
import { type NamedGang, traceEpoch } from "../trace/itp.ts";
import { readMuri } from "../trace/muri.ts";
import { type MuriFigures, runMuri } from "./run.ts";

const sizes = [1, 1, 1, 4, 4, 8, 8, 16] as const;

/** Gangs of very different lengths that offer somewhat more than 64 GPUs can do. */
function gangs(count: number, seed: number): NamedGang[] {
  const random = seededRandom(seed);
  let submitAt = traceEpoch;
  return Array.from({ length: count }, (_, i) => {
    submitAt += Math.floor(random() * 2_400_000);
    const gpus = sizes[Math.floor(random() * sizes.length)]!;
    return { name: `g${i}`, submitAt, gpus, runMs: Math.floor(120_000 * 1_000 ** random()) };
  });
}

function averageOf({ policies }: MuriFigures, name: string): number {
  return policies.find(({ policy }) => policy === name)!.averageJctS;
}

/** Of its run time, what a job did beyond what it needed. */
function surplusMs({ jobs }: Result): number[] {
  return jobs.map(({ arrival, stints }) => {
    const held = stints.reduce((sum, { placedAt, endedAt }) => sum + endedAt - placedAt, 0);
    return held - arrival.runMs;
  });
}

describe("gangs on 64 GPUs", () => {
  const jobs = gangs(250, 11);
  const watch = (_: string, setting: Setting) => setting;

  it("[O3] with known run times an account's own order comes near to remaining service first, which is free to move all", () => {
    const { figures, result } = runMuri(jobs, "a", watch);
    assert.ok(figures.ratio! < 1.03, `${figures.ratio}`);
    assert.ok(result.jobs.some(({ evictions }) => evictions > 0));
    assert.deepEqual(new Set(surplusMs(result)), new Set([0])); // all work was done, and none of it twice
  });

  it("[O3] without run times it learns who is likely to end soon, and keeps those waiting that are not", () => {
    const { figures, result } = runMuri(jobs, "b", watch);
    const part = averageOf(figures, "tessera") / averageOf(figures, "greedy-backfill");
    assert.ok(part < 0.85, `${part}`);
    for (const [i, surplus] of surplusMs(result).entries()) {
      assert.equal(surplus, 10_000 * result.jobs[i]!.stints.length); // nothing but its starts
    }
  });

  it("nobody is evicted where preemption is not allowed", () => {
    const { result } = runMuri(jobs.slice(0, 100), "c", watch);
    assert.ok(result.jobs.every(({ stints }) => stints.length === 1));
  });

  const shared = new URL("../../../../../shared/traces/muri-philly/testbed400.csv", import.meta.url);
  const skip = !existsSync(shared) && "../shared is not there";
  it("a published trace: no worse than remaining service first", { skip }, () => {
    const { figures } = runMuri(readMuri(shared.pathname), "a", watch);
    assert.ok(figures.ratio! <= 1.005, `${figures.ratio}`);
  });
});
