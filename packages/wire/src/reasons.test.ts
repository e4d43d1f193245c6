import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { reasonKinds as checked, type Reason } from "@tessera/core";
import { reasonKinds, reasonSentence, waitingReasons } from "./reasons.ts";

describe("waiting reasons", () => {
  it("stand in the order in which the scheduler checks them", () => {
    assert.deepEqual(reasonKinds, checked);
  });

  it("have titles that tell them apart", () => {
    assert.equal(new Set(Object.values(waitingReasons).map(({ title }) => title)).size, checked.length);
  });

  const oneH100 = { gpus: 1, model: "H100" };
  const sentences: [Reason, string][] = [
    [{ kind: "never", values: { model: "H100" } }, "The fleet has no H100 any more."],
    [
      { kind: "not-yet", values: { cause: "array", running: 24, limit: 24 } },
      "24 array elements are running (limit 24).",
    ],
    [
      { kind: "dependency", values: { jobs: 2, awaited: [{ id: "job_1", name: "prep", state: "running" }] } },
      "It runs after prep (job_1) and 1 more, which have not ended.",
    ],
    [
      { kind: "budget", values: { account: "lab", of: "credit", guaranteedMayStart: true } },
      "The credit of lab is used up. Only work inside its guarantee may start.",
    ],
    [
      {
        kind: "price",
        values: { model: "H100", currency: "EUR", hourMicros: 3_000_000n, maxMicros: 1_500_000n, guarantor: "lab" },
      },
      "An hour of H100 costs 3.00 EUR beyond the guarantee; its max_price is 1.50 EUR. Inside the guarantee of lab it starts at any price.",
    ],
    [{ kind: "evicting", values: { gpus: 1 } }, "1 GPU is being emptied for it."],
    [
      { kind: "quota", values: { cause: "max", account: "lab", what: "memory", max: 2048, held: 512 } },
      "lab may hold 2 GiB of memory and holds 512 MiB.",
    ],
    [
      { kind: "quota", values: { cause: "max", account: "lab", what: "*", max: 8, held: 8 } },
      "lab may hold 8 GPUs and holds 8.",
    ],
    [{ kind: "capacity", values: { cause: "gpus", needed: oneH100, free: 0 } }, "It needs 1 H100 GPU and 0 are free."],
    [
      {
        kind: "health",
        values: { free: oneH100 },
        engines: [
          { name: "east", cause: "away", gpus: { gpus: 8, model: "H100" }, since: Date.UTC(2026, 0, 1, 12) },
          { name: "west", cause: "cordoned", gpus: { gpus: 0, model: "" } },
        ],
      },
      "1 H100 GPU is free, but on nodes that are cordoned, draining, down or unknown. Engine east is out of reach since 2026-01-01T12:00:00Z, and its 8 H100 GPUs are not offered. Engine west is cordoned, and its nodes are not offered.",
    ],
    [
      { kind: "capacity", values: { cause: "cpus", each: oneH100, mostMilli: 24_000, neededMilli: 30_000 } },
      "Nodes with 1 H100 GPU free have at most 24 cores free, and a member needs 30.",
    ],
    [
      {
        kind: "shape",
        values: {
          cause: "left-out",
          free: { gpus: 8, model: "H100" },
          leftOut: {
            usable: 1,
            account: "lab",
            engine: { name: "east", nodes: 3 },
            labels: [{ label: "tier=gold", nodes: 1 }],
            engines: [{ name: "local", nodes: 2, lacks: ["images"] }],
            pools: [{ name: "gold", nodes: 4 }],
          },
        },
      },
      "8 H100 GPUs are free, but not on the 1 node that it may use: 3 nodes are not of engine east; 1 node without tier=gold; local runs no container images (2 nodes); 4 nodes are in the pool gold, which is closed to lab.",
    ],
    [
      {
        kind: "never",
        values: { model: "H100", leftOut: { usable: 0, account: "lab", region: { name: "eu", nodes: 1 } } },
      },
      "The fleet has no node any more that it may use: 1 node is not in region eu.",
    ],
    [
      { kind: "shape", values: { cause: "apart-from", names: ["replica"] } },
      "There is room, but only on nodes with jobs named replica.",
    ],
    [
      { kind: "isolation", values: { cause: "latency", model: "H100", stretchMax: 1.5 } },
      "A part of a H100 GPU is free, but the work beside it would raise the job's latency above 1.5 times its value alone, or the job would break that work's own promise.",
    ],
    [
      { kind: "reservation", values: { maxTime: true } },
      "The free nodes go into maintenance before its max_time is over.",
    ],
    [{ kind: "order", values: { ahead: 2 } }, "It would fit, but 2 jobs ahead of it would then start later."],
  ];
  for (const [reason, text] of sentences) {
    it(`say "${text}"`, () => assert.equal(reasonSentence(reason), text));
  }
});
