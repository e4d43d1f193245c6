import { type Victim, whole } from "../claim/draft/victim.ts";
import { partNeedOf } from "../claim/seats/part-seats.ts";
import { type ClaimNeed, Site } from "../claim/seats/site.ts";
import type { ReadonlyFleet } from "../fleet/readonly-fleet.ts";
import { type NodeNo, noAccount } from "../model/ids.ts";
import type { Job, JobSpec } from "../model/job.ts";
import type { FleetNode } from "../model/node.ts";
import { before } from "../queue/in-account.ts";
import { queueOrderOf } from "../quota/accounts.ts";
import { modelsFor } from "../quota/demand.ts";
import { coverFor } from "../quota/guarantee.ts";
import { needFor } from "../state/narrowing.ts";
import type { ReadonlyState } from "../state/readonly-state.ts";
import { wishOf } from "../state/wish-of.ts";
import type { Rooms } from "./rooms.ts";

/**
 * Whether jobs behind a waiting job were backfilled onto seats that it could use: they end before the plans ahead of it
 * begin, and it does not [B2]. Derived from running jobs alone, so that server and simulation give the same reason.
 */
export function isPassedOver(state: ReadonlyState, job: Job, rooms: Rooms): boolean {
  if (!hasPlanAhead(state, job)) return false;
  const isBurst = !isCovered(state, job);
  const passing = [...state.active.values()].filter((other) => hasPassed(state, other, job, isBurst)).map(whole);
  return passing.length > 0 && fitsWithout(state, job, passing, rooms);
}

function hasPlanAhead({ planned }: ReadonlyState, job: Job): boolean {
  const [first] = planned;
  return first !== undefined && first !== job;
}

/** Whether a running job is behind a waiting one in the order and started while that one waited. */
function hasPassed(state: ReadonlyState, other: Job, job: Job, isBurst: boolean): boolean {
  const waitsSince = job.attempts.at(-1)?.endedAt ?? job.submittedAt;
  if (other.state === "stopping" || other.placedAt < waitsSince) return false;
  if (other.account === job.account) return before(state, job, other, queueOrderOf(state, job.account));
  return isBurst === (other.cover === noAccount) ? other.no > job.no : !isBurst;
}

function isCovered(state: ReadonlyState, job: Job): boolean {
  const { first } = wishOf(state, job);
  return coverFor(state, job.account, first) !== noAccount;
}

/** Whether a job fits on free seats and the seats of some other jobs together. */
function fitsWithout(state: ReadonlyState, job: Job, others: readonly Victim[], rooms: Rooms): boolean {
  const leaving = byNode(others);
  for (let choice = 0; choice < job.spec.gpus.length; choice++) {
    for (const model of modelsFor(state, job, choice)) {
      const need = { ...needFor(state, job, choice, model), part: partNeedOf(state, job, choice) };
      if (membersWithout(state.fleet, need, job.spec.members, leaving, rooms) >= job.spec.members.min) return true;
    }
  }
  return false;
}

/** Members that find a seat once these jobs have left, counted up to the smallest gang. */
function membersWithout(
  fleet: ReadonlyFleet,
  need: ClaimNeed,
  { min, apart }: JobSpec["members"],
  leaving: ReadonlyMap<NodeNo, readonly Victim[]>,
  rooms: Rooms,
): number {
  const most = apart ? 1 : min;
  const fitsOn = (node: FleetNode) => Math.min(most, new Site(fleet, node, need).fits(leaving.get(node.no) ?? []));
  let members = 0;
  if (need.part === undefined) {
    const before = rooms.onceLeft(need, most);
    members = before.members;
    for (const no of leaving.keys()) {
      const node = fleet.nodes[no]!;
      if (node.mode === "up") members += fitsOn(node) - before.on[no]!;
    }
    return members;
  }
  // Where some have left first: only there is more room than there was.
  for (const no of leaving.keys()) {
    if (members >= min) break;
    const node = fleet.nodes[no]!;
    if (node.mode === "up") members += fitsOn(node);
  }
  for (const node of fleet.nodes) {
    if (members >= min) break;
    if (node?.mode === "up" && !leaving.has(node.no)) members += fitsOn(node);
  }
  return members;
}

/** Each job with every node that it holds something of: elsewhere it makes no room. */
function byNode(jobs: readonly Victim[]): ReadonlyMap<NodeNo, Victim[]> {
  const on = new Map<NodeNo, Victim[]>();
  for (const victim of jobs) {
    for (const node of new Set(victim.leases.map((lease) => lease.node))) {
      const there = on.get(node);
      if (there === undefined) on.set(node, [victim]);
      else there.push(victim);
    }
  }
  return on;
}
