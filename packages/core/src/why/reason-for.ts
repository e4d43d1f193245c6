import { gpusThatFit, type MemberNeed } from "../fleet/fit.ts";
import { outlasts } from "../fleet/maintenance.ts";
import type { ReadonlyFleet } from "../fleet/readonly-fleet.ts";
import type { LimitHit } from "../gate/limits.ts";
import type { PriceHit } from "../gate/price.ts";
import { hourMicros } from "../gate/price-text.ts";
import { type QuotaStop, quotaStop } from "../gate/quota-stop.ts";
import { loadOf } from "../gpu/latency.ts";
import type { NoSeat } from "../gpu/seat.ts";
import type { Job, JobArray } from "../model/job.ts";
import type { FleetNode } from "../model/node.ts";
import { hour, type Instant, unitsPerGpu } from "../model/units.ts";
import { isConfidential } from "../place/dedicated.ts";
import { heldBeside } from "../place/dedicated-usage.ts";
import { findSeats } from "../place/seats.ts";
import { before } from "../queue/in-account.ts";
import { pathUp } from "../quota/accounts.ts";
import { demandOf, modelsFor } from "../quota/demand.ts";
import { arrayUseOf } from "../schedule/array-limit.ts";
import { needFor } from "../state/narrowing.ts";
import type { ReadonlyState } from "../state/readonly-state.ts";
import { unmadeById } from "../state/unmade.ts";
import { enginesOut } from "./engines-out.ts";
import { leftOutReason, nodesLeftOut } from "./left-out.ts";
import { isPassedOver } from "./passed-over.ts";
import type { Reason, ReasonKind, ReasonOf, ReasonValues } from "./reason.ts";
import { roomAt } from "./room-at.ts";
import { type Room, Rooms } from "./rooms.ts";

/** Why a waiting job does not run, as values: the first reason of the list that holds. Many jobs can share the rooms. */
export function reasonFor(state: ReadonlyState, job: Job, now: Instant, rooms = new Rooms(state.fleet)): Reason {
  return ownReason(state, job, now) ?? sharedReason(state, job, now, rooms);
}

/** The kind alone, for counting: how many are ahead takes long to say. */
export function reasonKind(state: ReadonlyState, job: Job, now: Instant, rooms: Rooms): ReasonKind {
  return (ownReason(state, job, now) ?? roomReason(state, job, now, rooms))?.kind ?? "order";
}

/** What keeps this job from the queue, whatever the fleet looks like; undefined for one that waits for GPUs. */
export function ownReason(state: ReadonlyState, job: Job, now: Instant): Reason | undefined {
  if (job.held) return { kind: "held", values: {} };
  if (job.claim !== undefined) {
    const leaving = new Set(
      job.claim.seats.flatMap((seat) =>
        seat.gpus.filter((gpu) => !state.fleet.isFree(gpu) && state.fleet.gpuFree[gpu] !== unitsPerGpu),
      ),
    );
    const until = roomAt(state, job, now);
    return { kind: "evicting", values: { gpus: leaving.size }, needed: leaving.size, ...(until > now && { until }) };
  }
  if (job.notBeforeAt > now) {
    const cause = job.failures > 0 ? "retry" : "not-before";
    return { kind: "not-yet", values: { cause }, until: job.notBeforeAt };
  }
  const array = arrayUseOf(state, job);
  if (array !== undefined && array.running >= array.limit)
    return {
      kind: "not-yet",
      values: { cause: "array", ...array },
      unit: "elements",
      held: array.running,
      limit: array.limit,
    };
  if (job.waitsFor > 0) return { kind: "dependency", values: { jobs: job.waitsFor, awaited: awaited(state, job) } };
  return undefined;
}

function sharedReason(state: ReadonlyState, job: Job, now: Instant, rooms: Rooms): Reason {
  return roomReason(state, job, now, rooms) ?? orderReason(state, job);
}

/**
 * Why there is no room for a job: the same for most jobs of an account that ask for the same. Undefined where there is
 * some, and only the order keeps the job from it.
 */
function roomReason(state: ReadonlyState, job: Job, now: Instant, rooms: Rooms): Reason | undefined {
  const leftOut = nodesLeftOut(state, job);
  if (leftOut?.usable === 0) return { kind: "never", values: { model: job.spec.gpus[0]!.model, leftOut } };
  let first: Reason | undefined;
  for (let choice = 0; choice < job.spec.gpus.length; choice++) {
    for (const model of modelsFor(state, job, choice)) {
      if (model >= 0 && !state.fleet.hasModel(model)) continue;
      const reason = reasonAs(state, job, choice, model, now, rooms);
      if (reason === undefined) return undefined;
      if (first === undefined || isNearer(reason, first)) first = reason;
    }
  }
  // The seats that are missing may be those on which jobs behind it were started.
  const lacksSeats = first?.kind === "capacity" || first?.kind === "shape" || first?.kind === "isolation";
  if (lacksSeats && isPassedOver(state, job, rooms)) return undefined;
  if (first !== undefined && (lacksSeats || first.kind === "health")) {
    const engines = enginesOut(state, job);
    return engines.length === 0 ? first : { ...first, engines };
  }
  return first ?? { kind: "never", values: { model: job.spec.gpus[0]!.model } };
}

/** How many of the jobs that a job waits for are named; there may be a hundred. */
const awaitedNamed = 3;

function awaited(state: ReadonlyState, { spec }: Job): ReasonValues["dependency"]["awaited"] {
  const live = spec.after.flatMap(
    ({ job }) => state.jobById.get(job) ?? state.arrayById.get(job) ?? unmadeById(state, job) ?? [],
  );
  return live.slice(0, awaitedNamed).map((job) => ({ id: job.id, name: job.spec.name, state: stateOf(job) }));
}

function stateOf(job: Job | JobArray): string {
  if ("size" in job) return job.active > 0 ? "running" : "waiting";
  return job.state;
}

/** Of two models that both lack GPUs, the one with more of them free says more. */
function isNearer(reason: Reason, first: Reason): boolean {
  return reason.kind === "capacity" && first.kind === "capacity" && (reason.free ?? 0) > (first.free ?? 0);
}

/** What stops one alternative on one model; undefined = only the order of the queue. */
function reasonAs(
  state: ReadonlyState,
  job: Job,
  choice: number,
  model: number,
  now: Instant,
  rooms: Rooms,
): Reason | undefined {
  const { spec } = job;
  const { min: members, apart } = spec.members;
  const ask = spec.gpus[choice]!;
  const name = model < 0 ? "" : state.fleet.models[model]!;
  const needed = ask.count * members;
  const need = needFor(state, job, choice, model);
  const seats = findSeats(state, job, choice, model);
  const wholeNodes = isConfidential(state, job.account);
  const held = wholeNodes && typeof seats === "object" ? heldBeside(state, job.account, seats) : undefined;
  const stop = quotaStop(state, { job, choice, demand: demandOf(state, job, choice, model), now, held });
  if (stop !== undefined) return quotaReason(state, job, stop, needed);
  if (typeof seats === "object") return undefined;
  if (seats === "reserved")
    return besideReason(state, job, choice, model, needed) ?? maintenanceReason(state, job, needed, now);
  const leftOut = leftOutReason(state, job, choice);
  if (leftOut !== undefined) return leftOut;
  if (seats === "isolation" && ask.part === undefined) return apartReason(wholeNodes, needed, name);
  if (ask.part !== undefined)
    return (
      scatteredParts(state, job, choice, model) ??
      missingBesidePart(state, job, choice, model) ??
      partReason(seats, job, name)
    );
  const most = apart ? 1 : members;
  const usable = rooms.of(need, most, "now");
  if (usable.members >= members) {
    const free = { gpus: usable.gpus, model: name };
    const values = spec.spread?.required
      ? ({ cause: "spread", free, level: spec.spread.level, members } as const)
      : ({ cause: "together", free, level: spec.topology?.level ?? "node", members } as const);
    return { kind: "shape", values, needed, free: usable.gpus };
  }
  const all = rooms.of(need, most, "every-node-now");
  if (all.members >= members) {
    return { kind: "health", values: { free: { gpus: all.gpus, model: name } }, needed, free: all.gpus };
  }
  const lack = missingReason(state, need, members, needed, name, (asked) => rooms.of(asked, most, "every-node-now"));
  if (lack !== undefined) return { ...lack, needed, free: all.gpus };
  if (all.gpus < needed) {
    const values = { cause: "gpus", needed: { gpus: needed, model: name }, free: all.gpus } as const;
    return { kind: "capacity", values, needed, free: all.gpus };
  }
  const free = { gpus: all.gpus, model: name };
  const values =
    members === 1
      ? ({ cause: "one-node", free, largest: all.largest, needed: need.gpus } as const)
      : ({ cause: "scattered", free, fit: all.members, members } as const);
  const fits = members === 1 ? all.largest : all.members * need.gpus;
  return { kind: "shape", values, needed, fits, free: all.gpus };
}

/** Seats are free, but their nodes go into maintenance before the job would end [B5]. */
function maintenanceReason({ fleet }: ReadonlyState, { spec }: Job, needed: number, now: Instant): Reason {
  let until = Number.POSITIVE_INFINITY;
  let free = 0;
  for (const no of fleet.maintained) {
    const node = fleet.nodes[no]!;
    if (node.mode !== "up" || outlasts(node, spec, now)) continue;
    node.facts.gpus.forEach((_, i) => {
      if (fleet.isFree(node.firstGpu + i)) free++;
    });
    for (const { to } of node.maintenance!) if (to > now) until = Math.min(until, to);
  }
  const values = { maxTime: spec.maxTimeMs !== undefined };
  return { kind: "reservation", values, needed, free, ...(Number.isFinite(until) && { until }) };
}

/**
 * Enough GPUs are free together, but cores, memory or GPU memory are short, in the whole fleet or on each node.
 */
function missingReason(
  state: ReadonlyState,
  need: MemberNeed,
  members: number,
  needed: number,
  name: string,
  roomFor: (need: MemberNeed) => Room,
): ReasonOf<"capacity"> | ReasonOf<"shape"> | undefined {
  const { fleet } = state;
  const without = (part: Partial<MemberNeed>) => roomFor({ ...need, ...part }).members >= members;
  const kindOf = (free: number, each: number) => (free < each * members ? "capacity" : "shape");
  if (need.gpuMemoryMiB > 0 && without({ gpuMemoryMiB: 0 })) {
    const enough = roomFor(need).gpus;
    const values = { needed: { gpus: needed, model: name }, memoryMiB: need.gpuMemoryMiB, enough };
    return { kind: "capacity", missing: "gpu_memory", values: { cause: "gpu-memory", ...values } };
  }
  if (need.cpusMilli === 0 && need.memoryMiB === 0) return undefined;
  if (!without({ cpusMilli: 0, memoryMiB: 0 })) return undefined;
  const each = { gpus: need.gpus, model: name };
  const most = mostBeside(state, need);
  if (without({ cpusMilli: 0 })) {
    const free = freeWith(fleet, need, (node) => node.freeCpusMilli);
    const [mostMilli, neededMilli] = [most.cpusMilli, need.cpusMilli];
    return {
      kind: kindOf(free, need.cpusMilli),
      missing: "cpus",
      values:
        mostMilli < neededMilli ? { cause: "cpus", each, mostMilli, neededMilli } : { cause: "cpus-of-all", members },
    };
  }
  const free = freeWith(fleet, need, (node) => node.freeMemoryMiB);
  const [mostMiB, neededMiB] = [most.memoryMiB, need.memoryMiB];
  return {
    kind: kindOf(free, need.memoryMiB),
    missing: "memory",
    values: mostMiB < neededMiB ? { cause: "memory", each, mostMiB, neededMiB } : { cause: "memory-of-all", members },
  };
}

/** The sum over all nodes that have GPUs of a model; -1 = over all nodes. */
function freeWith(fleet: ReadonlyFleet, { model, among }: MemberNeed, free: (node: FleetNode) => number): number {
  let total = 0;
  for (const node of fleet.nodes) {
    if (node === undefined || among?.has(node) === false) continue;
    const { firstGpu, facts } = node;
    const has = model < 0 || facts.gpus.some((_, i) => fleet.gpuModel[firstGpu + i] === model);
    if (has) total += Math.max(0, free(node));
  }
  return total;
}

/** The most cores and the most memory free on one node that has GPUs for a member. */
function mostBeside({ fleet }: ReadonlyState, need: MemberNeed): { cpusMilli: number; memoryMiB: number } {
  const most = { cpusMilli: 0, memoryMiB: 0 };
  for (const node of fleet.nodes) {
    if (node === undefined || need.among?.has(node) === false) continue;
    if (need.gpus > 0 && gpusThatFit(fleet, node, need, false) < need.gpus) continue;
    most.cpusMilli = Math.max(most.cpusMilli, node.freeCpusMilli);
    most.memoryMiB = Math.max(most.memoryMiB, node.freeMemoryMiB);
  }
  return most;
}

/** Room is free, but only beside jobs from which `apart_from` separates this job, theirs or its own [P8]. */
function besideReason(
  state: ReadonlyState,
  { account, spec }: Job,
  choice: number,
  model: number,
  needed: number,
): Reason | undefined {
  const alone = { account, spec: { ...spec, name: "", apartFrom: undefined } };
  if (!state.apart.concerns({ account, spec }) || typeof findSeats(state, alone, choice, model) === "string")
    return undefined;
  const names = spec.apartFrom === undefined ? {} : { names: spec.apartFrom };
  return { kind: "shape", values: { cause: "apart-from", ...names }, needed };
}

/** Parts are free for all members, but not in one domain. */
function scatteredParts(
  state: ReadonlyState,
  { spec, account }: Job,
  choice: number,
  model: number,
): Reason | undefined {
  const { topology, members } = spec;
  if (!topology?.required || members.min === 1) return undefined;
  const anywhere = { spec: { ...spec, topology: undefined }, account };
  if (typeof findSeats(state, anywhere, choice, model) === "string") return undefined;
  return { kind: "shape", values: { cause: "parts-together", level: topology.level, members: members.min } };
}

/** A part is free, but its node lacks the cores or the memory for the member. */
function missingBesidePart(state: ReadonlyState, job: Job, choice: number, model: number): Reason | undefined {
  for (const [missing, field] of [
    ["cpus", "cpusMilli"],
    ["memory", "memoryMiB"],
  ] as const) {
    if (job.spec[field] === 0) continue;
    const spec = { ...job.spec, [field]: 0 };
    if (typeof findSeats(state, { spec, account: job.account }, choice, model) === "string") continue;
    return { kind: "capacity", missing, values: { cause: "beside-part", [field]: job.spec[field] } };
  }
  return undefined;
}

/** Room is free, but only on nodes of tenants that must not share one [U3]; names none of them. */
function apartReason(wholeNodes: boolean, needed: number, model: string): Reason {
  const cause = wholeNodes ? "confidential" : "node-not-shared";
  return { kind: "isolation", values: { cause, free: { gpus: needed, model } }, needed };
}

function partReason(why: Exclude<NoSeat, "reserved">, { spec, alone }: Job, model: string): Reason {
  switch (why) {
    case "isolation":
      return { kind: "isolation", values: { cause: alone ? "part-alone" : "part-not-shared", model } };
    case "latency": {
      // The promise may be a neighbour's even where the job has its own [P5].
      const { stretchMax } = loadOf(spec);
      const own = stretchMax === undefined ? {} : { stretchMax: stretchMax / 1_000 };
      return { kind: "isolation", values: { cause: "latency", model, ...own } };
    }
    case "no-room":
      return { kind: "capacity", values: { cause: "part-no-room", model } };
    case "never":
      return { kind: "capacity", values: { cause: "part-no-cut", model } };
  }
}

function quotaReason(state: ReadonlyState, job: Job, stop: QuotaStop, needed: number): Reason {
  switch (stop.kind) {
    case "budget": {
      const { account, stop: what, of } = stop.hit;
      return { kind: "budget", values: { account, of, guaranteedMayStart: what === "stop-burst" }, account };
    }
    case "price":
      return priceReason(state, job, stop.hit);
    case "limit":
      return limitReason(job, stop.hit, needed);
    case "max": {
      const { what, maxUnits, usedUnits } = stop.hit;
      const account = stop.hit.account.path;
      const scale = what === "cpus" ? 1000 : what === "memory" ? 1 : unitsPerGpu;
      const [limit, held] = [maxUnits / scale, usedUnits / scale];
      const values = { cause: "max", account, what, max: limit, held } as const;
      if (what === "cpus") return { kind: "quota", values, account, unit: "cores", needed: coresOf(job), held, limit };
      if (what === "memory") return { kind: "quota", values, account, unit: "MiB", needed: memoryOf(job), held, limit };
      return { kind: "quota", values, account, needed, held, limit };
    }
    case "not-lent":
      return { kind: "quota", values: { cause: "not-lent", gpus: unlentOf(stop) }, needed, free: unlentOf(stop) };
    case "must-be-guaranteed":
      return unguaranteed(state, job, needed);
  }
}

function unlentOf({ unlentUnits }: Extract<QuotaStop, { kind: "not-lent" }>): number {
  return unlentUnits / unitsPerGpu;
}

function coresOf({ spec }: Job): number {
  return (spec.cpusMilli * spec.members.min) / 1000;
}

function memoryOf({ spec }: Job): number {
  return spec.memoryMiB * spec.members.min;
}

function limitReason({ spec }: Job, hit: LimitHit, needed: number): Reason {
  const account = hit.account.path;
  switch (hit.kind) {
    case "gpus-per-user":
      return {
        kind: "quota",
        values: { cause: "user", account, gpusMax: hit.max },
        account,
        needed,
        held: hit.heldUnits / unitsPerGpu,
        limit: hit.max,
      };
    case "cpu-members":
      return {
        kind: "quota",
        values: { cause: "cpu-members", account, membersMax: hit.max },
        account,
        unit: "members",
        needed: spec.members.min,
        held: hit.running,
        limit: hit.max,
      };
    case "gpu-time":
      return {
        kind: "quota",
        values: { cause: "gpu-hours", account },
        account,
        unit: "GPU-hours",
        held: gpuHours(hit.usedUnitMs),
        limit: gpuHours(hit.maxUnitMs),
        until: hit.until,
      };
  }
}

/** To the hundredth. */
function gpuHours(unitMs: number): number {
  return Math.round((100 * unitMs) / (unitsPerGpu * hour)) / 100;
}

/** The price of an hour and when it falls; names a guarantee on the path, which covers jobs at any price. */
function priceReason(state: ReadonlyState, job: Job, { model, currency, price, until }: PriceHit): Reason {
  const floor = pathUp(state, job.account).find(({ terms }) => Object.values(terms.quota.guarantee).some(Boolean));
  return {
    kind: "price",
    values: {
      model,
      currency,
      ...(price !== undefined && { hourMicros: hourMicros(price) }),
      maxMicros: BigInt(job.spec.maxPriceMicros!),
      ...(floor !== undefined && { guarantor: floor.path }),
    },
    ...(until !== undefined && { until }),
  };
}

/** `preemptible: false` starts only inside a guarantee [C4]: the nearest one, with its use. */
function unguaranteed(state: ReadonlyState, job: Job, needed: number): Reason {
  for (const { no, path, terms } of pathUp(state, job.account)) {
    let floor = 0;
    for (const units of Object.values(terms.quota.guarantee)) floor += units;
    if (floor === 0) continue;
    const guarantee = { account: path, gpus: floor / unitsPerGpu, held: state.usage[no]!.units / unitsPerGpu };
    const { gpus: limit, held } = guarantee;
    return { kind: "quota", values: { cause: "not-preemptible", guarantee }, account: path, needed, held, limit };
  }
  return { kind: "quota", values: { cause: "not-preemptible" }, needed, held: 0, limit: 0 };
}

function orderReason(state: ReadonlyState, job: Job): Reason {
  return { kind: "order", values: { ahead: aheadOf(state, job) } };
}

/** How many waiting jobs of its account go before a job. */
export function aheadOf(state: ReadonlyState, job: Job): number {
  let ahead = 0;
  for (const group of state.waiting.groups) {
    if (group.account !== job.account) continue;
    for (const other of group.jobs) {
      if (!before(state, other, job, group.order)) break;
      ahead++;
    }
  }
  return ahead;
}
