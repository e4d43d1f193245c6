import type { Level } from "../fleet/topology.ts";
import { quotaStop } from "../gate/quota-stop.ts";
import type { Seat } from "../journal/event.ts";
import type { NodeNo } from "../model/ids.ts";
import type { Job } from "../model/job.ts";
import type { FleetNode } from "../model/node.ts";
import type { Instant } from "../model/units.ts";
import { isConfidential } from "../place/dedicated.ts";
import { heldBeside } from "../place/dedicated-usage.ts";
import { handoverFor } from "../place/handover.ts";
import { poolsOf } from "../place/pool-prices.ts";
import { findSeats } from "../place/seats.ts";
import type { Timeline } from "../plan/timeline.ts";
import { accountOf } from "../quota/accounts.ts";
import type { Demand } from "../quota/demand.ts";
import { demandOf, modelOn } from "../quota/demand.ts";
import { stayingOf } from "../quota/held.ts";
import { compareShares, shareOf } from "../quota/share.ts";
import type { State } from "../state/state.ts";
import type { Plans } from "./plans.ts";
import type { World } from "./world.ts";

/**
 * Gives elastic jobs more members on seats that no waiting job could use [P1], one at a time, to the account with the
 * smallest share first. Evicts no job, and delays no plan [B2].
 */
export function growElasticJobs({ state, now, apply }: World, plans: Plans): void {
  const open = new Set([...state.elastic].filter(mayGrow));
  const timeline = open.size > 0 && state.planned.size > 0 ? plans.timeline : undefined;
  while (open.size > 0) {
    const job = smallestShare(state, open);
    const demand = demandOfOne(state, job);
    const seat = seatForOneMore(state, job, demand, now, timeline);
    if (seat !== undefined) {
      const unitsEach = job.leases[0]!.unitsEach;
      apply({
        kind: "job-grown",
        v: 1,
        at: now,
        job: job.no,
        unitsEach,
        seats: [seat],
        ...handoverFor(state, job.account, [seat]),
        pools: poolsOf(state, [seat]),
      });
      timeline?.grew(job, seat);
    }
    if (seat === undefined || job.leases.length >= job.spec.members.max) open.delete(job);
  }
}

/** Whether more members make sense: the job is not stopping, and none of its members has finished its work. */
function mayGrow(job: Job): boolean {
  return job.state !== "stopping" && job.exitCode === undefined && job.leases.length < job.spec.members.max;
}

function smallestShare(state: State, jobs: Iterable<Job>): Job {
  let best: Job | undefined;
  const share = (job: Job) => shareOf(state, accountOf(state, job.account), stayingOf(state, job.account));
  for (const job of jobs) {
    const order = best === undefined ? -1 : compareShares(share(job), share(best)) || job.no - best.no;
    if (order < 0) best = job;
  }
  return best!;
}

/** The job as if it had one member that may be anywhere. */
function oneOf(job: Job): Job {
  const { members } = job.spec;
  return { ...job, spec: { ...job.spec, members: { ...members, min: 1 }, topology: undefined, spread: undefined } };
}

function demandOfOne(state: State, job: Job): Demand {
  return demandOf(state, oneOf(job), job.choice, modelOn(state, job.leases));
}

function seatForOneMore(
  state: State,
  job: Job,
  demand: Demand,
  now: Instant,
  timeline: Timeline | undefined,
): Seat | undefined {
  const model = modelOn(state, job.leases);
  const one = oneOf(job);
  const wholeNodes = isConfidential(state, job.account);
  const start = { job: one, choice: job.choice, demand, now };
  if (!wholeNodes && quotaStop(state, start) !== undefined) return undefined;
  const plans = timeline?.backfill.besideGrowth(job, demand);
  const within = besideOthers(state, job);
  const { topology } = job.spec;
  const prefers = topology !== undefined && !topology.required ? placeTest(state, job, topology) : undefined;
  const near = (node: FleetNode) => within(node) && prefers?.(node) !== false;
  let seats = findSeats(state, one, job.choice, model, { plans, within: near });
  if (prefers !== undefined && typeof seats === "string")
    seats = findSeats(state, one, job.choice, model, { plans, within });
  if (typeof seats === "string") return undefined;
  if (wholeNodes && quotaStop(state, { ...start, held: heldBeside(state, job.account, seats) }) !== undefined)
    return undefined;
  return seats[0];
}

/** Which nodes suit one more member, given where the others are [P1, P2, P7]. */
function besideOthers(state: State, job: Job): (node: FleetNode) => boolean {
  const { spread, topology, members } = job.spec;
  const used = new Set(job.leases.map((lease) => lease.node));
  const inside = topology?.required ? placeTest(state, job, topology) : undefined;
  const domainOf = (no: NodeNo) => state.fleet.topology.domainOf(no, spread!.level);
  const taken = new Set(spread?.required ? [...used].map(domainOf) : []);
  return (node) => {
    if (members.apart && used.has(node.no)) return false;
    if (taken.size > 0 && taken.has(domainOf(node.no))) return false;
    return inside?.(node) !== false;
  };
}

/** Whether a node is in the same domain of a level as the job's first member. */
function placeTest(state: State, job: Job, { level }: { readonly level: Level }): (node: FleetNode) => boolean {
  const { topology } = state.fleet;
  const place = topology.domainOf(job.leases[0]!.node, level);
  return ({ no }) => topology.domainOf(no, level) === place;
}
