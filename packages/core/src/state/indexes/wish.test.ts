import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isRefusal } from "../../journal/refusal.ts";
import type { JobSpec } from "../../model/job.ts";
import { parseJob, type RawJob } from "../../submit/parse.ts";
import { Wishes } from "./wish.ts";

function specOf(raw: Partial<RawJob>): JobSpec {
  const spec = parseJob({ run: "x", gpus: "H100:1", cpus: 8, ...raw }, { after: [] });
  assert.ok(!isRefusal(spec), JSON.stringify(spec));
  return spec;
}

describe("wishes", () => {
  it("are shared by jobs that ask for the same, whatever their names and priorities", () => {
    const wishes = new Wishes();
    const wish = wishes.of(specOf({ name: "a" }));
    wishes.of(specOf({ gpus: "A100:2" }));
    assert.equal(wishes.of(specOf({ name: "b", run: "y", env: { A: "1" }, priority: "high" })), wish);
  });

  it("differ with every field that decides where a job may go", () => {
    const wishes = new Wishes();
    const asks: Partial<RawJob>[] = [
      {},
      { gpus: "H100:2" },
      { gpus: "A100:1" },
      { gpus: "H100:0.5" },
      { gpus: "H100:0.5", type: "service" },
      { gpus: "H100:0.5", type: "service", slo: { p99: "1s" } },
      { gpus: "H100:0.5", type: "service", slo: { p99: "1s", alone: "10ms" } },
      { gpus: ["H100:1", "A100:1"] },
      { members: 1 },
      { nodes: 2 },
      { nodes: "1..2" },
      { nodes: 2, topology: "rack" },
      { nodes: 2, topology: "rack?" },
      { nodes: 2, spread: "rack" },
      { memory: "1GiB" },
      { gpu_memory: "40GiB" },
      { isolation: "whole" },
      { preemptible: false },
      { needs: ["rt"] },
      { max_time: "1h" },
      { expected_time: "1h" },
      { engine: "local" },
      { region: "eu" },
      { where: { a: "b" } },
      { where: { a: "c" } },
    ];
    const specs = [...asks.map(specOf), { ...specOf({}), maxPriceMicros: 7 }, { ...specOf({}), apartFrom: ["a"] }];
    const seen = new Set(specs.map((spec) => wishes.of(spec)));
    assert.equal(seen.size, specs.length);
    for (const spec of specs) assert.ok(seen.has(wishes.of({ ...spec, name: "again" })));
  });
});
