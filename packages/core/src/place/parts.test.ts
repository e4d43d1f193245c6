import assert from "node:assert/strict";
import { it } from "node:test";
import type { MemberNeed } from "../fleet/fit.ts";
import { Fleet } from "../fleet/fleet.ts";
import { mixes } from "../gpu/latency.ts";
import { type Newcomer, type NoSeat, seatPart } from "../gpu/seat.ts";
import type { Trust } from "../model/account.ts";
import type { GpuNo, JobNo, LeaseId, NodeNo } from "../model/ids.ts";
import type { GpuAsk, Isolation, JobSpec, JobType } from "../model/job.ts";
import type { Lease } from "../model/lease.ts";
import type { FleetNode, NodeFacts } from "../model/node.ts";
import type { PoolMode } from "../model/part.ts";
import { diceOf } from "../testing/dice.ts";
import { findParts } from "./parts.ts";

const pools: readonly PoolMode[] = ["any", "any", "mig", "mps", "timeslice"];
const trusts: readonly Trust[] = ["trusted", "trusted", "trusted", "untrusted"];
const isolations: readonly Isolation[] = ["any", "any", "any", "mig", "mps"];
const types: readonly JobType[] = ["batch", "train", "service", "notebook"];
const gpusEach = 4;

it("[P3, P5] a part goes where a search of every GPU would put it, or is refused for the same reason", () => {
  const answers = new Map<string, number>();
  for (let seed = 1; seed <= 60; seed++) {
    for (const answer of randomDay(seed)) answers.set(answer, (answers.get(answer) ?? 0) + 1);
  }
  for (const answer of ["seat", "no-room", "isolation", "latency", "never"])
    assert.ok((answers.get(answer) ?? 0) >= 10, `${answer}: ${answers.get(answer)}`);
});

/** Parts come and go, nodes fail, GPUs are kept for others; each time two ways to look must agree. */
function* randomDay(seed: number): Generator<string> {
  const roll = diceOf(seed);
  const fleet = new Fleet();
  for (let no = 0; no < 6; no++) fleet.addNode(no as NodeNo, fleet.gpus as GpuNo, factsOf(no, pools[roll(5)]!), 0);
  const people: Newcomer[] = Array.from({ length: 5 }, (_, tenant) => ({
    tenant,
    trust: trusts[roll(4)]!,
    group: ["", "lab"][roll(2)]!,
    migWith: [roll(5), roll(5)],
    type: types[roll(4)]!,
    ...(roll(3) === 0 && { stretchMax: 1_000 + roll(4) * 1_200 }),
  }));
  const leases: Lease[] = [];
  for (let step = 0; step < 150; step++) {
    const no = roll(6) as NodeNo;
    const node = fleet.node(no);
    const kind = roll(12);
    if (kind === 0) fleet.changeNode(no, step, node.mode === "up" ? "down" : "up", "", 0, undefined);
    else if (kind === 1) {
      const gpu = (node.firstGpu + roll(gpusEach)) as GpuNo;
      if (fleet.gpuHeldFor[gpu] === 0) fleet.hold(no, [gpu], 1 as JobNo, 500, 512);
      else fleet.unhold(no, [gpu], 500, 512);
    } else if (kind === 2 && node.leases === 0) {
      fleet.changeNode(no, step, node.own.mode, "", 0, factsOf(no, pools[roll(5)]!));
    } else if (kind < 7) {
      const [lease] = leases.splice(roll(leases.length || 1), 1);
      if (lease !== undefined) fleet.give(lease);
    }
    const compute = [0, 2_000, 5_000, 7_350, 10_500, 14_000, 2_300, 5_400, 2_900, 21_000][roll(10)]!;
    const memory = roll(3) === 0 || compute === 0 ? 3_000 + roll(10) * 1_000 : compute;
    const ask: GpuAsk = { model: "*", count: 1, unitsEach: compute, part: { compute, memory, memoryMiB: 0 } };
    const spec = {
      isolation: isolations[roll(5)]!,
      members: { min: 1 + (roll(4) === 0 ? 2 : 0), apart: roll(2) === 0 },
    } as JobSpec;
    const shut = roll(18);
    const mayUse = roll(3) === 0 ? (node: FleetNode) => node.no !== shut : undefined;
    const need = { model: 0, gpus: 1, gpuMemoryMiB: 0, cpusMilli: 500 * roll(3), memoryMiB: 512, mayUse };
    const who = people[roll(5)]!;
    const found = findParts(fleet, need, spec, ask, who);
    if (spec.members.min === 1) assert.deepEqual(found, lookEverywhere(fleet, need, spec, ask, who), `seed ${seed}`);
    yield typeof found === "string" ? found : "seat";
    if (typeof found === "string") continue;
    for (const { node: at, gpus, part } of found) {
      const id = `lse_${step}_${leases.length}` as LeaseId;
      const { cpusMilli, memoryMiB } = need;
      const lease = { id, node: at, gpus, part, unitsEach: part!.compute, cpusMilli, memoryMiB, placedAt: step };
      fleet.take(lease as unknown as Lease, who);
      leases.push(lease as unknown as Lease);
    }
  }
}

/**
 * The rule, slowly: of the shared GPUs the one with the least compute left, those first where others work as it does;
 * else a free one of the fullest node, and where those would be mixed a free one of a pool for sharing before that.
 */
function lookEverywhere(fleet: Fleet, need: MemberNeed, spec: JobSpec, { part }: GpuAsk, who: Newcomer) {
  const ask = { ...part!, isolation: spec.isolation };
  const thousands = (gpu: number) => Math.floor(fleet.gpuFree[gpu]! / 1_000);
  const freeOn = (gpu: number) => fleet.nodeFreeGpus[fleet.gpuNode[gpu]!]!;
  const all = Array.from({ length: fleet.gpus }, (_, gpu) => gpu).filter((gpu) => fleet.gpuHeldFor[gpu] === 0);
  const shared = all.filter((gpu) => fleet.parts.has(gpu) && thousands(gpu) >= Math.floor(ask.compute / 1_000));
  shared.sort((a, b) => thousands(a) - thousands(b) || a - b);
  const free = all.filter((gpu) => fleet.isFree(gpu) && freeOn(gpu) > 0);
  free.sort((a, b) => freeOn(a) - freeOn(b) || a - b);
  const mixed = shared.filter((gpu) => mixes(fleet.occupants(gpu)[0]!.mode, who, fleet.occupants(gpu)));
  const alike = shared.filter((gpu) => !mixed.includes(gpu));
  const isOpen = (gpu: number) => {
    const { mode, freeCpusMilli, freeMemoryMiB } = fleet.nodes[fleet.gpuNode[gpu]!]!;
    return mode === "up" && freeCpusMilli >= need.cpusMilli && freeMemoryMiB >= need.memoryMiB;
  };
  const isForShares = (gpu: number) => ["mps", "timeslice"].includes(fleet.device(gpu).sharing.mode);
  const forShares = mixed.some(isOpen) ? free.filter(isForShares) : [];
  const reasons = new Set<NoSeat>();
  for (const gpu of [...alike, ...forShares, ...mixed, ...free]) {
    const node = fleet.nodes[fleet.gpuNode[gpu]!]!;
    if (node.mode !== "up") continue;
    if (need.mayUse?.(node) === false) reasons.add("isolation");
    else if (node.freeCpusMilli >= need.cpusMilli && node.freeMemoryMiB >= need.memoryMiB) {
      const seat = seatPart(fleet.device(gpu), fleet.occupants(gpu), who, ask);
      if (typeof seat === "object") return [{ node: node.no, gpus: [gpu], part: seat }];
      reasons.add(seat);
    }
  }
  return (["latency", "isolation", "no-room"] as const).find((reason) => reasons.has(reason)) ?? "never";
}

function factsOf(no: number, pool: PoolMode): NodeFacts {
  const gpus = Array.from({ length: gpusEach }, (_, i) => ({
    model: "H100-80GB",
    memoryMiB: 81_559,
    uuid: `GPU-${no}-${i}`,
  }));
  const name = `n${no}`;
  const place = { zone: "", block: "", rack: "", nvlink: "" };
  return {
    ...{ name, engine: "test", place, gpus, pool, cpusMilli: 6_000, memoryMiB: 12_288 },
    ...{ virtual: true, bootId: "boot-1", address: "" },
  };
}
