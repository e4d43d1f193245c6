import assert from "node:assert/strict";
import test from "node:test";
import type { EngineState, Instant, NodeFacts } from "@tessera/core";
import { nodeReason } from "./node-reason.ts";

const facts: NodeFacts = {
  name: "n0",
  engine: "east",
  place: { zone: "z", block: "b", rack: "r", nvlink: "n0" },
  gpus: [],
  cpusMilli: 1_000,
  memoryMiB: 1_024,
  virtual: true,
  bootId: "1",
  address: "n0",
};
const east: EngineState = {
  name: "east",
  terms: { kind: "kubernetes", lostAfterMs: 0, settings: {} },
  createdAt: 0 as Instant,
  revision: 1,
};

test("only who may change an engine reads what stands in its way", () => {
  const away = { ...east, away: { since: 0 as Instant, reason: "connect ECONNREFUSED 10.0.0.2:6443" } };
  const node = { mode: "unknown" as const, reason: `engine east is out of reach: ${away.away.reason}`, facts };
  const engines = new Map([["east", away]]);
  assert.equal(nodeReason({ engines }, node, true), node.reason);
  assert.equal(nodeReason({ engines }, node, false), "engine east is out of reach");
});

test("what the cluster says of a node that it cannot see is for everyone", () => {
  const node = { mode: "unknown" as const, reason: "the kubelet stopped posting its status", facts };
  assert.equal(nodeReason({ engines: new Map([["east", east]]) }, node, false), node.reason);
});
