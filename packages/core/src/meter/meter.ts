import type { Event, LeaseEnded, NodeChanged } from "../journal/event.ts";
import type { AccountTerms } from "../model/account.ts";
import type { GpuNo, NodeNo } from "../model/ids.ts";
import type { Job } from "../model/job.ts";
import type { Lease } from "../model/lease.ts";
import type { NodeFacts, NodeMode } from "../model/node.ts";
import { type Instant, unitsPerGpu } from "../model/units.ts";
import { accountOf } from "../quota/accounts.ts";
import { lostMsOf } from "../run/lost-work.ts";
import { stopOrderOf } from "../run/stop.ts";
import { jobOf } from "../state/live-jobs.ts";
import type { State } from "../state/state.ts";
import { type RestStretch, RestWatch } from "./rest-watch.ts";
import type { CapacityChange, FloorChange, LostWork, Usage } from "./usage.ts";

/** Something that was metered, and what kind of thing it is. */
export type MeterRecord =
  | { readonly is: "usage"; readonly record: Usage }
  | { readonly is: "floor"; readonly record: FloorChange }
  | { readonly is: "capacity"; readonly record: CapacityChange }
  | { readonly is: "lost"; readonly record: LostWork };

/** More events than one row of the journal holds. */
const eventsPerRowMax = 1_000_000;

/**
 * What the events of one row of the journal have to do with money. Shown each event while the state is still without
 * it. A pure function of the journal, so what it found can be found again.
 */
export class Meter {
  readonly records: MeterRecord[] = [];
  readonly #rest = new RestWatch((stretch, state) => this.#left(state, stretch));
  #revision: number;

  constructor(seq: number) {
    this.#revision = seq * eventsPerRowMax;
  }

  see(event: Event, state: State): void {
    this.#rest.see(event, state);
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
        this.#used(state, state.leases.get(event.lease)!, event.at);
        return;
      case "lease-started":
      case "lease-stopping": {
        const lease = state.leases.get(event.lease)!;
        if (lease.state !== "stopping") this.#used(state, lease, event.at);
        return;
      }
      case "lease-ended":
        this.#ended(event, state);
        return;
    }
  }

  /** The batch is over: also what its last event changed is told. */
  finish(state: State): void {
    this.#rest.settle(state);
  }

  #left(state: State, stretch: RestStretch): void {
    this.records.push({ is: "usage", record: restUsage(state, stretch) });
  }

  #nodeChanged(event: NodeChanged, state: State): void {
    const node = state.fleet.node(event.node);
    const change = Number(takesPart(event.mode)) - Number(takesPart(node.mode));
    if (change !== 0) this.#capacity(node.facts, event.at, change);
  }

  #nodeRemoved(no: NodeNo, at: Instant, state: State): void {
    const node = state.fleet.node(no);
    if (takesPart(node.mode)) this.#capacity(node.facts, at, -1);
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

  #ended(event: LeaseEnded, state: State): void {
    const lease = state.leases.get(event.lease)!;
    this.#used(state, lease, event.at);
    const job = jobOf(state, lease.job);
    const cause = lostBy(job, event);
    if (cause === undefined || lease.gpus.length === 0 || lease.startedAt === undefined || lease.extra) return;
    const { account, model, gpus, unitsEach } = usageOf(state, job, lease, event.at);
    const { graceMs } = stopOrderOf(job.spec, "preempt", state.policy);
    const lostMs = lostMsOf(job, event.at);
    if (lostMs === 0) return;
    const about = { lease: lease.id, job: job.id, account, model, units: gpus.length * unitsEach };
    this.records.push({ is: "lost", record: { ...about, at: event.at, lostMs, graceMs, cause } });
  }

  #used(state: State, lease: Lease, toAt: Instant): void {
    if (toAt <= lease.since) return;
    for (const record of usagesOf(state, jobOf(state, lease.job), lease, toAt))
      this.records.push({ is: "usage", record });
  }
}

/** Work of a job that leaves for others, or that a node took with it; what ended well lost nothing. */
function lostBy({ stopCause }: Job, { result, exitCode }: LeaseEnded): LostWork["cause"] | undefined {
  if (result === "lost" || stopCause === "node-lost") return "node_lost";
  return stopCause === "preempt" && exitCode !== 0 ? "preempted" : undefined;
}

function takesPart(mode: NodeMode): boolean {
  return mode !== "down" && mode !== "maintenance";
}

/** What a device of a lease is metered as: what is being done to it comes before what its holder does. */
export function deviceState(
  { state, handover }: Lease,
  gpu: GpuNo,
): "starting" | "running" | "stopping" | "scrub" | "reshape" {
  if (state !== "starting" && state !== "prepared") return state;
  if (handover === undefined) return "starting";
  if (handover.scrub.length > 0) return handover.scrub.includes(gpu) ? "scrub" : "starting";
  return handover.reshape.includes(gpu) ? "reshape" : "starting";
}

/** The stretch of a lease, in parts where not all of its devices are in one state. */
function usagesOf(state: State, job: Job, lease: Lease, toAt: Instant, revision = 1): Usage[] {
  const whole = usageOf(state, job, lease, toAt, revision);
  if (lease.handover === undefined) return [whole];
  const states = [...new Set(lease.gpus.map((gpu) => deviceState(lease, gpu)))];
  return states.map((each, i) => ({
    ...whole,
    state: each,
    gpus: lease.gpus.filter((gpu) => deviceState(lease, gpu) === each).map((gpu) => state.fleet.gpuUuid[gpu]!),
    // Cores and memory are held once.
    ...(i > 0 && { cpusMilli: 0, memoryMiB: 0 }),
  }));
}

/** What was left of a GPU to the tenant that has its node to itself. */
function restUsage(state: State, { gpu, account, units, since, toAt }: RestStretch, revision = 1): Usage {
  const { fleet } = state;
  return {
    lease: restLease(state, gpu),
    state: "dedicated",
    fromAt: since,
    toAt,
    revision,
    job: "",
    account: accountOf(state, account).path,
    user: "",
    node: fleet.node(fleet.gpuNode[gpu] as NodeNo).facts.name,
    gpus: [fleet.gpuUuid[gpu]!],
    model: fleet.models[fleet.gpuModel[gpu]!]!,
    unitsEach: units,
    profile: "",
    isolation: "whole",
    topology: "",
    class: "guaranteed",
    cpusMilli: 0,
    memoryMiB: 0,
  };
}

/** Stands in for a lease where nobody holds the GPU, yet someone has it to himself. */
export function restLease({ fleet }: State, gpu: GpuNo): string {
  return `dedicated-${fleet.gpuUuid[gpu]}`;
}

/** The stretch from where a lease entered its state to `toAt`; `revision` 0 says that it may still go on. */
export function usageOf(state: State, job: Job, lease: Lease, toAt: Instant, revision = 1): Usage {
  const { fleet } = state;
  const [first] = lease.gpus;
  return {
    lease: lease.id,
    state: lease.state === "prepared" ? "starting" : lease.state,
    fromAt: lease.since,
    toAt,
    revision,
    job: job.id,
    account: accountOf(state, job.account).path,
    user: job.user,
    node: fleet.node(lease.node).facts.name,
    gpus: lease.gpus.map((gpu) => fleet.gpuUuid[gpu]!),
    model: first === undefined ? "" : fleet.models[fleet.gpuModel[first]!]!,
    unitsEach: lease.unitsEach,
    profile: lease.part?.profile ?? "",
    isolation: lease.part?.mode ?? "whole",
    topology: job.spec.topology?.required === true ? job.spec.topology.level : "",
    class: job.class,
    cpusMilli: lease.cpusMilli,
    memoryMiB: lease.memoryMiB,
  };
}

/** What the leases of one job have been doing since they entered their states. */
export function openUsageOf(state: State, job: Job, toAt: Instant): Usage[] {
  return job.leases.filter(({ since }) => toAt > since).flatMap((lease) => usagesOf(state, job, lease, toAt, 0));
}

/** What every lease has been doing up to now. */
export function openUsage(state: State, toAt: Instant): Usage[] {
  const open: Usage[] = [];
  for (const lease of state.leases.values()) {
    if (toAt > lease.since) open.push(...usagesOf(state, jobOf(state, lease.job), lease, toAt, 0));
  }
  for (const [gpu, rest] of state.rest) if (toAt > rest.since) open.push(restUsage(state, { ...rest, gpu, toAt }, 0));
  return open;
}
