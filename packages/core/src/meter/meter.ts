import type { Event, LeaseEnded, NodeChanged } from "../journal/event.ts";
import type { AccountTerms } from "../model/account.ts";
import type { LeaseId, NodeNo } from "../model/ids.ts";
import type { Job } from "../model/job.ts";
import type { Lease } from "../model/lease.ts";
import { must } from "../model/must.ts";
import type { NodeFacts, NodeMode } from "../model/node.ts";
import { type Instant, unitsPerGpu } from "../model/units.ts";
import { accountOf } from "../quota/accounts.ts";
import { lostMsOf } from "../run/lost-work.ts";
import { stopOrderOf } from "../run/stop.ts";
import { jobOf } from "../state/live-jobs.ts";
import type { ReadonlyState } from "../state/readonly-state.ts";
import type { DeviceTimeline } from "./device-timeline.ts";
import { RestWatch } from "./rest-watch.ts";
import { closedRest, closedStretch, type Stretch, usagesOf } from "./stretch.ts";
import type { CapacityChange, FloorChange, LostWork, Metered } from "./usage.ts";

/** One thing that was metered; `is` says which kind. */
export type MeterRecord =
  | { readonly is: "stretch"; readonly record: Stretch }
  | { readonly is: "floor"; readonly record: FloorChange }
  | { readonly is: "capacity"; readonly record: CapacityChange }
  | { readonly is: "lost"; readonly record: LostWork };

/** An upper bound of the events in one row of the journal, so that revisions of different rows never meet. */
const eventsPerRowMax = 1_000_000;

/**
 * Turns the events of one row of the journal into metered records. Call `see` for each event before it is applied to
 * the state, then `finish` once. The records are a pure function of the journal, so a rebuild finds the same ones.
 */
export class Meter {
  readonly records: MeterRecord[] = [];
  readonly #devices: DeviceTimeline | undefined;
  readonly #rest = new RestWatch({
    closed: (rest, state) => this.records.push({ is: "stretch", record: closedRest(state, rest) }),
    changed: (change, state) => this.#devices?.restChanged(change, state),
  });
  #revision: number;

  /** `devices` is the fleet's side of the balance; without it only the records are made. */
  constructor(seq: number, devices?: DeviceTimeline) {
    this.#revision = seq * eventsPerRowMax;
    this.#devices = devices;
  }

  see(event: Event, state: ReadonlyState): void {
    this.#rest.see(event, state);
    this.#devices?.see(event, state);
    this.#revision++;
    switch (event.kind) {
      case "node-added":
        this.#capacity(event.facts, event.at, 1);
        return;
      case "node-changed":
        this.#nodeChanged(event, state);
        return;
      case "node-removed":
        this.#nodeRemoved(event.node, event.at, state);
        return;
      case "account-created":
        this.#floor(event.path, event.at, event.terms.quota);
        return;
      case "account-edited":
        this.#floor(accountOf(state, event.account).path, event.at, event.terms.quota);
        return;
      case "account-deleted":
        this.#floor(accountOf(state, event.account).path, event.at, { guarantee: {} });
        return;
      case "lease-scrubbed":
      case "lease-reshaped":
        this.#close(state, leaseOf(state, event.lease), event.at);
        return;
      case "lease-started":
      case "lease-stopping": {
        const lease = leaseOf(state, event.lease);
        // A late report and a repeated order to stop leave a stopping lease as it is: its stretch goes on.
        if (lease.state !== "stopping") this.#close(state, lease, event.at);
        return;
      }
      case "lease-ended":
        this.#ended(event, state);
        return;
    }
  }

  /** Call after the last event of the row was applied: what that event changed is recorded too. */
  finish(state: ReadonlyState): void {
    this.#rest.settle(state);
    this.#devices?.finish(state);
  }

  #nodeChanged(event: NodeChanged, state: ReadonlyState): void {
    const node = state.fleet.node(event.node);
    const change = Number(isInService(event.mode)) - Number(isInService(node.mode));
    if (change !== 0) this.#capacity(node.facts, event.at, change);
  }

  #nodeRemoved(no: NodeNo, at: Instant, state: ReadonlyState): void {
    const node = state.fleet.node(no);
    if (isInService(node.mode)) this.#capacity(node.facts, at, -1);
  }

  #capacity({ gpus }: NodeFacts, at: Instant, sign: number): void {
    const counts = new Map<string, number>();
    for (const { model } of gpus) counts.set(model, (counts.get(model) ?? 0) + 1);
    for (const [model, count] of counts) {
      const unitsAdded = sign * count * unitsPerGpu;
      this.records.push({ is: "capacity", record: { model, at, revision: this.#revision, unitsAdded } });
    }
  }

  #floor(
    account: string,
    at: Instant,
    { guarantee, lendable }: Pick<AccountTerms["quota"], "guarantee" | "lendable">,
  ): void {
    const floor = { account, at, revision: this.#revision, guarantee, ...(lendable !== undefined && { lendable }) };
    this.records.push({ is: "floor", record: floor });
  }

  #ended(event: LeaseEnded, state: ReadonlyState): void {
    const lease = leaseOf(state, event.lease);
    this.#close(state, lease, event.at);
    const record = lostWork(state, lease, event);
    if (record !== undefined) this.records.push({ is: "lost", record });
  }

  /** Records the stretch that the lease spent in the state it is about to leave. */
  #close(state: ReadonlyState, lease: Lease, toAt: Instant): void {
    if (toAt > lease.since) this.records.push({ is: "stretch", record: closedStretch(state, lease, toAt) });
  }
}

/** The records as rating takes them. */
export function meteredOf(records: readonly MeterRecord[]): Metered {
  return {
    usage: records.flatMap((each) => (each.is === "stretch" ? usagesOf(each.record) : [])),
    floors: records.flatMap((each) => (each.is === "floor" ? [each.record] : [])),
    capacity: records.flatMap((each) => (each.is === "capacity" ? [each.record] : [])),
    lost: records.flatMap((each) => (each.is === "lost" ? [each.record] : [])),
  };
}

function leaseOf({ leases }: ReadonlyState, id: LeaseId): Lease {
  return must(leases.get(id), `an event names the lease ${id}, which the state does not hold`);
}

/** The work that the end of a lease destroyed; undefined where none was. */
function lostWork(state: ReadonlyState, lease: Lease, event: LeaseEnded): LostWork | undefined {
  const job = jobOf(state, lease.job);
  const cause = lostBy(job, event);
  if (cause === undefined || lease.gpus.length === 0 || lease.startedAt === undefined || lease.extra) return undefined;
  const lostMs = lostMsOf(job, event.at);
  if (lostMs === 0) return undefined;
  const { account, model, devices, unitsEach, pool, poolPerMille } = closedStretch(state, lease, event.at);
  // An owner's number, where there is one: what a job asks for must not decide what it is credited with.
  const graceMs = state.policy.lostWorkMsMax ?? stopOrderOf(job, "preempt", state.policy).graceMs;
  const about = { lease: lease.id, job: job.id, account, model, units: devices.length * unitsEach };
  const ofPool = pool !== undefined && poolPerMille !== undefined && { pool, poolPerMille };
  return { ...about, at: event.at, lostMs, graceMs, cause, ...ofPool };
}

/** Only a preemption or a fault outside the job destroys work; a member that exits with 0, or is done, lost nothing. */
function lostBy({ stopCause }: Job, { result, exitCode, neighbour, done }: LeaseEnded): LostWork["cause"] | undefined {
  if (result === "lost" || stopCause === "node-lost") return "node_lost";
  if (done !== true && (neighbour === true || stopCause === "neighbour-fault")) return "neighbour_fault";
  if (exitCode === 0 || done === true) return undefined;
  return stopCause === "preempt" ? "preempted" : stopCause === "unhealthy" ? "node_fault" : undefined;
}

function isInService(mode: NodeMode): boolean {
  return mode !== "down" && mode !== "maintenance";
}
