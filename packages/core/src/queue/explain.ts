import type { Job } from "../model/job.ts";
import { type Instant, unitsPerGpu } from "../model/units.ts";
import type { NoSeat } from "../part/seat.ts";
import { mayStart, modelsFor, type QuotaStop } from "../place/place.ts";
import { findSeats, gpusThatFit, type MemberNeed, membersThatFit, needOf, type View } from "../place/seats.ts";
import { demandOf, type State } from "../state/state.ts";
import { before } from "./in-account.ts";
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
      detail: `Room is being made: ${leaving.size} GPUs are being emptied for it.`,
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
  if (state.waiting.isDelayed(job)) return orderReason(state, job);
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
  const stop = mayStart(state, job, demandOf(state, job, choice, model), now);
  if (stop !== undefined) return quotaReason(stop, needed);
  const need = needOf(spec, choice, model);
  const seats = findSeats(state, job, choice, model);
  if (typeof seats === "object") return undefined;
  if (ask.part !== undefined) return partReason(seats, name);
  const usable = room(state, need, members, apart, "now");
  if (usable.members >= members) {
    const level = spec.topology?.level ?? "node";
    return {
      kind: "shape",
      detail: `${usable.gpus}${name} GPUs are free, but no ${level} has room for all ${members} members.`,
      needed,
      free: usable.gpus,
    };
  }
  const all = room(state, need, members, apart, "every-node-now");
  if (all.members >= members) {
    return {
      kind: "health",
      detail: `${needed}${name} GPUs are free, but on nodes that are cordoned, draining or down.`,
      needed,
      free: all.gpus,
    };
  }
  if (need.gpus > 0 && all.gpus < needed) {
    return {
      kind: "capacity",
      detail: `It needs ${needed}${name} GPUs and ${all.gpus} are free.`,
      needed,
      free: all.gpus,
    };
  }
  if (need.gpus === 0 || all.byGpus >= members) {
    return {
      kind: "capacity",
      detail: `Nodes with free GPUs lack the cores or memory it asks for: room for ${all.members} of ${members} members.`,
      needed,
      free: all.gpus,
    };
  }
  const detail =
    members === 1
      ? `${all.gpus}${name} GPUs are free, but at most ${all.largest} of the ${need.gpus} on one node.`
      : `${all.gpus}${name} GPUs are free, but scattered: room for ${all.members} of ${members} members.`;
  return { kind: "shape", detail, needed, free: all.gpus };
}

function partReason(why: NoSeat, name: string): Reason {
  switch (why) {
    case "isolation":
      return {
        kind: "isolation",
        detail: `A part of a${name} GPU is free, but only beside tenants with whom it may not share one.`,
      };
    case "no-room":
      return { kind: "capacity", detail: `No${name} GPU has as much left as it needs.` };
    case "never":
      return { kind: "capacity", detail: `No${name} GPU is free that could be cut for it.` };
  }
}

function quotaReason(stop: QuotaStop, needed: number): Reason {
  switch (stop.kind) {
    case "limit": {
      const account = stop.hit.account.path;
      if (stop.hit.kind === "gpus-per-user") {
        return { kind: "quota", detail: `One user may hold ${stop.hit.max} GPUs in ${account}.`, account, needed };
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
      const unit = what === "cpus" ? "cores" : what === "memory" ? "MiB of memory" : "GPUs";
      const detail = `${account.path} may hold ${maxUnits / scale} ${unit} and holds ${usedUnits / scale}.`;
      return { kind: "quota", detail, account: account.path, needed };
    }
    case "not-lent":
      return {
        kind: "quota",
        detail: `It would borrow, and ${stop.unlentUnits / unitsPerGpu} idle GPUs are not lent to others.`,
        needed,
      };
    case "must-be-guaranteed":
      return {
        kind: "quota",
        detail: "It must not be preempted, and no guarantee on its path has room for it.",
        needed,
      };
  }
}

function room(state: State, need: MemberNeed, members: number, apart: boolean, view: View) {
  const found = { gpus: 0, members: 0, byGpus: 0, largest: 0 };
  const most = apart ? 1 : members;
  const gpusOnly = { ...need, cpusMilli: 0, memoryMiB: 0 };
  for (const node of state.fleet.nodes) {
    if (node === undefined) continue;
    const gpus = need.gpus === 0 ? 0 : gpusThatFit(state.fleet, node, need, false);
    found.gpus += gpus;
    found.largest = Math.max(found.largest, gpus);
    found.members += membersThatFit(state.fleet, node, need, view, most);
    found.byGpus += membersThatFit(state.fleet, node, gpusOnly, view, most);
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
  for (const group of state.waiting.groups.values()) {
    if (group.account !== job.account) continue;
    for (const other of group.jobs) {
      if (!before(other, job, group.order, state.clock)) break;
      ahead++;
    }
  }
  return { position: ahead + 1, ahead };
}
