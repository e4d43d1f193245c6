import { gpusThatFit, type MemberNeed, membersThatFit, needOf, type View } from "../fleet/fit.ts";
import type { Fleet } from "../fleet/fleet.ts";
import { outlasts } from "../fleet/maintenance.ts";
import { mayStart, type QuotaStop } from "../gate/may-start.ts";
import type { PriceHit } from "../gate/price.ts";
import { priceText } from "../gate/price-text.ts";
import { type Load, loadOf } from "../gpu/latency.ts";
import type { NoSeat } from "../gpu/seat.ts";
import type { Job, JobSpec } from "../model/job.ts";
import type { FleetNode } from "../model/node.ts";
import { type Instant, unitsPerGpu } from "../model/units.ts";
import { isConfidential } from "../place/dedicated.ts";
import { heldBeside } from "../place/dedicated-usage.ts";
import { findSeats } from "../place/seats.ts";
import { before } from "../queue/in-account.ts";
import { pathUp } from "../quota/accounts.ts";
import { demandOf, modelsFor } from "../quota/demand.ts";
import type { State } from "../state/state.ts";
import type { Reason } from "./reason.ts";

/** Why a waiting job does not run, with amounts and places: the first reason of the list that holds. */
export function reasonFor(state: State, job: Job, now: Instant): Reason {
  if (job.held) return { kind: "held", detail: "It is held; tess release lets it compete." };
  if (job.claim !== undefined) {
    const leaving = new Set(
      job.claim.seats.flatMap((seat) =>
        seat.gpus.filter((gpu) => !state.fleet.isFree(gpu) && state.fleet.gpuFree[gpu] !== unitsPerGpu),
      ),
    );
    return {
      kind: "evicting",
      detail: `Room is being made: ${gpus(leaving.size)} ${are(leaving.size)} being emptied for it.`,
      needed: leaving.size,
    };
  }
  if (job.notBeforeAt > now) {
    const why = job.failures > 0 ? "It failed and waits before it tries again." : "It is not to start before its time.";
    return { kind: "not-yet", detail: why, until: job.notBeforeAt };
  }
  const array = job.array === undefined ? undefined : state.arrays.get(job.array);
  const atOnceMax = job.spec.array?.atOnceMax;
  if (array !== undefined && atOnceMax !== undefined && array.active >= atOnceMax) {
    return { kind: "not-yet", detail: `${array.active} elements of its array run, which is all that may at once.` };
  }
  if (job.waitsFor > 0) {
    return {
      kind: "dependency",
      detail: `It waits for ${job.waitsFor} ${job.waitsFor === 1 ? "job" : "jobs"} to end.`,
    };
  }
  let first: Reason | undefined;
  for (let choice = 0; choice < job.spec.gpus.length; choice++) {
    for (const model of modelsFor(state, job, choice)) {
      const reason = reasonAs(state, job, choice, model, now);
      if (reason === undefined) return orderReason(state, job);
      first ??= reason;
    }
  }
  return first ?? { kind: "never", detail: `This fleet has no ${job.spec.gpus[0]!.model} any more.` };
}

/** What stands in the way of one alternative on one model; undefined = nothing but others' turns. */
function reasonAs(state: State, job: Job, choice: number, model: number, now: Instant): Reason | undefined {
  const { spec } = job;
  const { min: members, apart } = spec.members;
  const ask = spec.gpus[choice]!;
  const name = model < 0 ? "" : ` ${state.fleet.models[model]}`;
  const needed = ask.count * members;
  const need = needOf(spec, choice, model);
  const seats = findSeats(state, job, choice, model);
  const wholeNodes = isConfidential(state, job.account);
  const held = wholeNodes && typeof seats === "object" ? heldBeside(state, job.account, seats) : undefined;
  const stop = mayStart(state, job, choice, demandOf(state, job, choice, model), now, held);
  if (stop !== undefined) return quotaReason(state, job, stop, needed);
  if (typeof seats === "object") return undefined;
  if (seats === "reserved") return besideReason(state, job, choice, model) ?? maintenanceReason(state, job, now);
  if (seats === "isolation" && ask.part === undefined) return apartReason(wholeNodes, needed, name);
  if (ask.part !== undefined)
    return (
      scatteredParts(state, job, choice, model) ??
      missingBesidePart(state, job, choice, model) ??
      partReason(seats, spec, name)
    );
  const usable = room(state, need, members, apart, "now");
  if (usable.members >= members) {
    const level = spec.topology?.level ?? "node";
    const where = spec.spread?.required
      ? `not in ${members} different places (${spec.spread.level})`
      : `no ${level} has room for all ${members} members`;
    return {
      kind: "shape",
      detail: `${gpus(usable.gpus, name)} ${are(usable.gpus)} free, but ${where}.`,
      needed,
      free: usable.gpus,
    };
  }
  const all = room(state, need, members, apart, "every-node-now");
  if (all.members >= members) {
    return {
      kind: "health",
      detail: `${gpus(needed, name)} ${are(needed)} free, but on nodes that are cordoned, draining or down.`,
      needed,
      free: all.gpus,
    };
  }
  const lack = missingReason(state, need, members, apart, needed, name);
  if (lack !== undefined) return { ...lack, needed, free: all.gpus };
  if (all.gpus < needed) {
    const detail = `It needs ${gpus(needed, name)} and ${all.gpus} ${are(all.gpus)} free.`;
    return { kind: "capacity", detail, needed, free: all.gpus };
  }
  const detail =
    members === 1
      ? `${gpus(all.gpus, name)} ${are(all.gpus)} free, but at most ${all.largest} of the ${need.gpus} on one node.`
      : `${gpus(all.gpus, name)} ${are(all.gpus)} free, but scattered: room for ${all.members} of ${members} members.`;
  return { kind: "shape", detail, needed, free: all.gpus };
}

/** Free seats are there, but their nodes will be out of use before the job is over [B5]. */
function maintenanceReason({ fleet }: State, { spec }: Job, now: Instant): Reason {
  let until = Number.POSITIVE_INFINITY;
  for (const no of fleet.maintained) {
    const node = fleet.nodes[no]!;
    if (node.mode !== "up" || outlasts(node, spec, now)) continue;
    for (const { to } of node.maintenance!) if (to > now) until = Math.min(until, to);
  }
  const unlimited = "it says no max_time and must not be taken away";
  const why = spec.maxTimeMs === undefined ? unlimited : "its max_time reaches into that";
  const detail = `What is free goes into maintenance, and ${why}.`;
  return Number.isFinite(until) ? { kind: "reservation", detail, until } : { kind: "reservation", detail };
}

/**
 * Enough GPUs are there, and together: the cores, the memory or the GPUs' own memory are what is too little, in all or
 * on any one node.
 */
function missingReason(
  state: State,
  need: MemberNeed,
  members: number,
  apart: boolean,
  needed: number,
  name: string,
): Pick<Reason, "kind" | "detail" | "missing"> | undefined {
  const { fleet } = state;
  const without = (part: Partial<MemberNeed>) =>
    room(state, { ...need, ...part }, members, apart, "every-node-now").members >= members;
  const kind = "capacity";
  const kindOf = (free: number, each: number) => (free < each * members ? "capacity" : "shape");
  if (need.gpuMemoryMiB > 0 && without({ gpuMemoryMiB: 0 })) {
    const enough = room(state, need, members, apart, "every-node-now").gpus;
    const which = `${gpus(needed, name)} ${are(needed)} free, but too few with ${sizeText(need.gpuMemoryMiB)} of memory`;
    return { kind, missing: "gpu_memory", detail: `${which}: ${enough} of ${needed}.` };
  }
  if (need.cpusMilli === 0 && need.memoryMiB === 0) return undefined;
  if (!without({ cpusMilli: 0, memoryMiB: 0 })) return undefined;
  const where = need.gpus === 0 ? "Nodes" : `Nodes with ${gpus(need.gpus, name)} free`;
  const most = mostBeside(state, need);
  if (without({ cpusMilli: 0 })) {
    const detail = `${where} have at most ${most.cpusMilli / 1000} cores free, and a member needs ${need.cpusMilli / 1000}.`;
    const free = freeWith(fleet, need.model, (node) => node.freeCpusMilli);
    return {
      kind: kindOf(free, need.cpusMilli),
      missing: "cpus",
      detail: most.cpusMilli < need.cpusMilli ? detail : tooFewAtOnce("cores", members),
    };
  }
  const detail = `${where} have at most ${sizeText(most.memoryMiB)} of memory free, and a member needs ${sizeText(need.memoryMiB)}.`;
  const few = most.memoryMiB >= need.memoryMiB;
  const free = freeWith(fleet, need.model, (node) => node.freeMemoryMiB);
  return {
    kind: kindOf(free, need.memoryMiB),
    missing: "memory",
    detail: few ? tooFewAtOnce("memory", members) : detail,
  };
}

/** What is free on all nodes that have GPUs of a model; -1 = on all nodes. */
function freeWith(fleet: Fleet, model: number, free: (node: FleetNode) => number): number {
  let total = 0;
  for (const node of fleet.nodes) {
    if (node === undefined) continue;
    const { firstGpu, facts } = node;
    const has = model < 0 || facts.gpus.some((_, i) => fleet.gpuModel[firstGpu + i] === model);
    if (has) total += Math.max(0, free(node));
  }
  return total;
}

function tooFewAtOnce(what: string, members: number): string {
  return `There are GPUs for all ${members} members, but not ${what} for all of them.`;
}

/** The most cores and memory that are free on any node with GPUs for a member. */
function mostBeside({ fleet }: State, need: MemberNeed): { cpusMilli: number; memoryMiB: number } {
  const most = { cpusMilli: 0, memoryMiB: 0 };
  for (const node of fleet.nodes) {
    if (node === undefined || (need.gpus > 0 && gpusThatFit(fleet, node, need, false) < need.gpus)) continue;
    most.cpusMilli = Math.max(most.cpusMilli, node.freeCpusMilli);
    most.memoryMiB = Math.max(most.memoryMiB, node.freeMemoryMiB);
  }
  return most;
}

function gpus(count: number, name = ""): string {
  return `${count}${name} ${count === 1 ? "GPU" : "GPUs"}`;
}

function are(count: number): string {
  return count === 1 ? "is" : "are";
}

function sizeText(mebibytes: number): string {
  return mebibytes >= 1024 ? `${Math.floor((mebibytes / 1024) * 10) / 10} GiB` : `${mebibytes} MiB`;
}

/** There is room, but only beside jobs that it is to be kept apart from, or that are from it [P8]. */
function besideReason(state: State, { account, spec }: Job, choice: number, model: number): Reason | undefined {
  const alone = { account, spec: { ...spec, name: "", apartFrom: undefined } };
  if (!state.apart.concerns({ account, spec }) || typeof findSeats(state, alone, choice, model) === "string")
    return undefined;
  const names = spec.apartFrom === undefined ? "that are kept apart from it" : `named ${spec.apartFrom.join(", ")}`;
  return { kind: "shape", detail: `There is room, but only on nodes with jobs ${names}.` };
}

/** There are parts for all members, but not in one place. */
function scatteredParts(state: State, { spec, account }: Job, choice: number, model: number): Reason | undefined {
  const { topology, members } = spec;
  if (!topology?.required || members.min === 1) return undefined;
  const anywhere = { spec: { ...spec, topology: undefined }, account };
  if (typeof findSeats(state, anywhere, choice, model) === "string") return undefined;
  const detail = `There are parts of GPUs for all ${members.min} members, but no ${topology.level} has room for all of them.`;
  return { kind: "shape", detail };
}

/** A part is there, but on a node without the cores or the memory for the member. */
function missingBesidePart(state: State, job: Job, choice: number, model: number): Reason | undefined {
  for (const [missing, field] of [
    ["cpus", "cpusMilli"],
    ["memory", "memoryMiB"],
  ] as const) {
    if (job.spec[field] === 0) continue;
    const spec = { ...job.spec, [field]: 0 };
    if (typeof findSeats(state, { spec, account: job.account }, choice, model) === "string") continue;
    const what =
      missing === "cpus" ? `the ${job.spec.cpusMilli / 1000} cores` : `the ${sizeText(job.spec.memoryMiB)} of memory`;
    const detail = `There is a part of a GPU for it, but no node that has one also has ${what} it asks for.`;
    return { kind: "capacity", missing, detail };
  }
  return undefined;
}

/** Tenants who must not share a node [U3]; names nobody. */
function apartReason(wholeNodes: boolean, needed: number, name: string): Reason {
  const free = needed === 0 ? "There is room" : `${gpus(needed, name)} ${are(needed)} free`;
  const where = wholeNodes ? "beside others, and it runs only where nobody else does" : "on nodes that are not shared";
  return { kind: "isolation", detail: `${free}, but only ${where}.`, needed };
}

function partReason(why: Exclude<NoSeat, "reserved">, spec: JobSpec, name: string): Reason {
  switch (why) {
    case "isolation":
      return {
        kind: "isolation",
        detail: `A part of a${name} GPU is free, but only beside tenants with whom it may not share one.`,
      };
    case "latency":
      return { kind: "isolation", detail: `A part of a${name} GPU is free, but ${promiseText(loadOf(spec))}.` };
    case "no-room":
      return { kind: "capacity", detail: `No${name} GPU has as much left as it needs.` };
    case "never":
      return { kind: "capacity", detail: `No${name} GPU is free that could be cut for it.` };
  }
}

/** Whose promise stands in the way of a seat beside others [P5]; it may be theirs even where it has its own. */
function promiseText({ stretchMax }: Load): string {
  if (stretchMax === undefined) return "only beside work whose latency promise it would break";
  const most =
    stretchMax === 1_000 ? "beyond what it is alone" : `to more than ${stretchMax / 1_000} times what it is alone`;
  return `others there would stretch its latency ${most}, or it would break a promise of theirs`;
}

function quotaReason(state: State, job: Job, stop: QuotaStop, needed: number): Reason {
  switch (stop.kind) {
    case "budget": {
      const { account, stop: what, of } = stop.hit;
      const only = what === "stop-burst" ? " Only what its guarantee covers may start." : "";
      return {
        kind: "budget",
        detail: `The ${of} of ${account} is ${of === "budget" ? "spent" : "used up"}.${only}`,
        account,
      };
    }
    case "price":
      return priceReason(state, job, stop.hit);
    case "limit": {
      const account = stop.hit.account.path;
      if (stop.hit.kind === "gpus-per-user") {
        return { kind: "quota", detail: `One user may hold ${gpus(stop.hit.max)} in ${account}.`, account, needed };
      }
      return {
        kind: "quota",
        detail: `${account} has used its GPU hours of this period.`,
        account,
        until: stop.hit.until,
      };
    }
    case "max": {
      const { what, account, maxUnits, usedUnits } = stop.hit;
      const scale = what === "cpus" ? 1000 : what === "memory" ? 1 : unitsPerGpu;
      const model = what === "*" ? "" : `${what} `;
      const unit = what === "cpus" ? "cores" : what === "memory" ? "MiB of memory" : `${model}GPUs`;
      const detail = `${account.path} may hold ${maxUnits / scale} ${unit} and holds ${usedUnits / scale}.`;
      return { kind: "quota", detail, account: account.path, needed };
    }
    case "not-lent":
      return {
        kind: "quota",
        detail: `It would borrow, and of what is idle ${gpus(stop.unlentUnits / unitsPerGpu)} ${are(stop.unlentUnits / unitsPerGpu)} not lent to others.`,
        needed,
      };
    case "must-be-guaranteed":
      return unguaranteed(state, job, needed);
  }
}

/** What an hour costs and when it costs less; what a guarantee covers starts at any price. */
function priceReason(state: State, job: Job, hit: PriceHit): Reason {
  const text = priceText(hit, job.spec);
  const floor = pathUp(state, job.account).find(({ terms }) => Object.values(terms.quota.guarantee).some(Boolean));
  const inside = floor === undefined ? "" : ` Inside the guarantee of ${floor.path} it starts at any time.`;
  const detail = `${text[0]!.toUpperCase()}${text.slice(1)}.${inside}`;
  return { kind: "price", detail, ...(hit.until !== undefined && { until: hit.until }) };
}

/** `preemptible: false` starts only inside a guarantee [C4]: how much of one is left, and what would help. */
function unguaranteed(state: State, job: Job, needed: number): Reason {
  const must = "It must not be preempted, so it starts only inside a guarantee";
  const help = "With preemptible: true it could borrow.";
  for (const account of pathUp(state, job.account)) {
    let floor = 0;
    for (const units of Object.values(account.terms.quota.guarantee)) floor += units;
    if (floor === 0) continue;
    const held = state.usage[account.no]!.units / unitsPerGpu;
    const has = `${account.path} is guaranteed ${gpus(floor / unitsPerGpu)} and holds ${held}`;
    return { kind: "quota", detail: `${must}, and ${has}. ${help}`, account: account.path, needed };
  }
  return { kind: "quota", detail: `${must}, and no account on its path has one. ${help}`, needed };
}

function room(state: State, need: MemberNeed, members: number, apart: boolean, view: View) {
  const found = { gpus: 0, members: 0, largest: 0 };
  const most = apart ? 1 : members;
  for (const node of state.fleet.nodes) {
    if (node === undefined) continue;
    const free = need.gpus === 0 ? 0 : gpusThatFit(state.fleet, node, need, false);
    found.gpus += free;
    found.largest = Math.max(found.largest, free);
    found.members += membersThatFit(state.fleet, node, need, view, most);
  }
  return found;
}

function orderReason(state: State, job: Job): Reason {
  const { ahead } = positionOf(state, job);
  const who = ahead === 0 ? "a planned job is" : `${ahead} ${ahead === 1 ? "job is" : "jobs are"}`;
  return { kind: "order", detail: `It would fit, but ${who} ahead of it and would start later.` };
}

/** The job's place among the waiting jobs of its account. */
export function positionOf(state: State, job: Job): { position: number; ahead: number } {
  let ahead = 0;
  for (const group of state.waiting.groups) {
    if (group.account !== job.account) continue;
    for (const other of group.jobs) {
      if (!before(state, other, job, group.order)) break;
      ahead++;
    }
  }
  return { position: ahead + 1, ahead };
}
