import type { Event } from "../journal/event.ts";
import type { NodeNo } from "../model/ids.ts";
import type { Job } from "../model/job.ts";
import type { FleetNode } from "../model/node.ts";
import type { Instant } from "../model/units.ts";
import { compareShares, shareOf } from "../queue/share.ts";
import { accountOf, demandOf, type State } from "../state/state.ts";
import type { Level } from "../state/topology.ts";
import { stayingOf } from "../state/usage.ts";
import { heldBeside, isConfidential } from "./dedicated.ts";
import { handoverOf } from "./handover.ts";
import { mayStart } from "./place.ts";
import { findSeats } from "./seats.ts";

/**
 * Gives elastic jobs more members of what nobody who waits could use [P1], one at a time to the account with the
 * smallest share. Evicts nobody.
 */
export function growJobs(state: State, now: Instant, apply: (event: Event) => void): void {
  const open = new Set([...state.elastic].filter(mayGrow));
  while (open.size > 0) {
    const job = smallestShare(state, open);
    const seat = seatForOneMore(state, job, now);
    if (seat !== undefined) {
      const unitsEach = job.leases[0]!.unitsEach;
      apply({
        kind: "job-grown",
        v: 1,
        at: now,
        job: job.no,
        unitsEach,
        seats: [seat],
        ...handoverOf(state, job.account, [seat]),
      });
    }
    if (seat === undefined || job.leases.length >= job.spec.members.max) open.delete(job);
  }
}

/** Not on its way out, and none of its members has finished: who has done its work needs no company. */
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

function seatForOneMore(state: State, job: Job, now: Instant) {
  const model = modelOf(state, job);
  const one = {
    ...job,
    spec: { ...job.spec, members: { ...job.spec.members, min: 1 }, topology: undefined, spread: undefined },
  };
  const demand = demandOf(state, one, job.choice, model);
  const wholeNodes = isConfidential(state, job.account);
  if (!wholeNodes && mayStart(state, one, job.choice, demand, now) !== undefined) return undefined;
  const used = new Set(job.leases.map((lease) => lease.node));
  const { spread, topology, members } = job.spec;
  const placeOf = (no: NodeNo, { level }: { readonly level: Level }) => state.fleet.topology.placeOf(no, level);
  const places = new Set(spread?.required ? [...used].map((no) => placeOf(no, spread)) : []);
  const within = topology?.required ? placeOf(job.leases[0]!.node, topology) : undefined;
  const mayTake = ({ no }: FleetNode, free: number) => {
    if (members.apart && used.has(no)) return 0;
    if (places.size > 0 && places.has(placeOf(no, spread!))) return 0;
    return within === undefined || placeOf(no, topology!) === within ? free : 0;
  };
  const seats = findSeats(state, one, job.choice, model, mayTake);
  if (typeof seats === "string") return undefined;
  if (wholeNodes && mayStart(state, one, job.choice, demand, now, heldBeside(state, job.account, seats)) !== undefined)
    return undefined;
  return seats[0];
}

/** A gang is of one model: more members come from the same. */
function modelOf(state: State, job: Job): number {
  const gpu = job.leases[0]?.gpus[0];
  return gpu === undefined ? -1 : state.fleet.gpuModel[gpu]!;
}
