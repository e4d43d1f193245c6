import assert from "node:assert/strict";
import { it } from "node:test";
import { isRefusal, parseJob, type RawJob } from "@tessera/core";
import { JobSpecBody } from "@tessera/wire";
import { checkOfBody } from "../api/request/validate.ts";
import { renderSpec } from "./spec.ts";

it("shows a spec as a job file that means the same when it is submitted again", () => {
  const check = checkOfBody(JobSpecBody, false);
  const files: object[] = [
    { run: "true" },
    { run: "x", members: 3, gpus: 1, topology: "zone", spread: "rack", needs: ["nvdec"] },
    { run: "x", engine: "east-1", region: "eu", where: { "a.b/c": "d", tier: "" } },
    { run: "x", gpus: "H100:8", nodes: 2, topology: "rack?", cpus: 1.5, memory: "64GiB", max_time: "90m" },
    { run: "x", gpus: ["H100:8", 4], members: 3, memory: 1000, gpu_memory: "1.5TiB", isolation: "whole" },
    { run: "x", gpus: "H100:0.25" },
    { run: "x", gpus: 0.125, type: "service", slo: { p99: "250ms", alone: "100ms" } },
    { run: "x", gpus: 1, slo: { p99: "2s" } },
    { run: "x", gpus: "1g.10gb", topology: "nvlink" },
    { run: "x", gpus: ["A100:3g.20gb", "H100:0.5"] },
    { run: "x", gpus: "H100:1", gpu_compute: "30%", gpu_memory: "20GiB" },
    { run: "x", gpu_compute: "30%" },
    { run: "x", gpu_memory: "20GiB" },
    { run: "x", array: "1-240:2%24", retry: 3, priority: "high", preemptible: false, strict: true },
    {
      run: "x",
      retry: { max: 1, when: ["node_lost"] },
      checkpoint: { dir: "/c", signal: "USR1", grace: "5m", every: "30m" },
    },
    {
      run: "x\ny",
      setup: "z",
      image: "i",
      workdir: "/w",
      env: { A: 1, B: true, C: "" },
      secrets: ["S"],
      type: "train",
      name: "n",
    },
  ];
  for (const file of files) {
    const spec = parseJob(file as RawJob, { after: [] });
    assert.ok(!isRefusal(spec), JSON.stringify(spec));
    const shown = renderSpec(spec);
    assert.equal(check(shown), undefined, JSON.stringify(shown));
    assert.deepEqual(parseJob(shown as unknown as RawJob, { after: [] }), spec, JSON.stringify(shown));
  }
});
