import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { describe, it } from "node:test";
import { seededRandom } from "@tessera/engine-simulated";
import { type NamedGang, readItp, traceEpoch } from "../trace/itp.ts";
import { runItp } from "./run.ts";

/** Gangs for four nodes that come somewhat faster than they can be served. */
function gangs(count: number): NamedGang[] {
  const random = seededRandom(5);
  let submitAt = traceEpoch;
  return Array.from({ length: count }, (_, i) => {
    submitAt += Math.floor(random() * 900_000);
    const gpus = [1, 1, 1, 2, 4, 8, 16][Math.floor(random() * 7)]!;
    return { name: `g${i}`, submitAt, gpus, runMs: Math.floor(60_000 * 300 ** random()) };
  });
}

describe("gangs in one queue", () => {
  const watch = (_: string, setting: Parameters<Parameters<typeof runItp>[0]["watch"]>[1]) => setting;

  it("[O3] guesses of users cut the average wait, and nobody is evicted for it", () => {
    const { figures, first } = runItp({ jobs: gangs(400), nodes: 4, seeds: [1, 2], watch });
    assert.ok(figures.ratio.largest < 0.9, `${figures.ratio.largest}`);
    assert.ok(first.jobs.every(({ stints }) => stints.length === 1));
  });

  const shared = new URL("../../../../../shared/traces/microsoft-itp/cluster10.csv", import.meta.url);
  const skip = !existsSync(shared) && "../shared is not there";
  it("a trace that was not looked at while the order was chosen", { skip }, () => {
    const { figures } = runItp({ jobs: readItp(shared.pathname), nodes: 2, seeds: [1, 2, 3], watch });
    assert.ok(figures.ratio.mean < 0.9, `${figures.ratio.mean}`);
  });
});
