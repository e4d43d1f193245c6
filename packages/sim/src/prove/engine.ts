import {
  type Event,
  type Input,
  type Instant,
  type Job,
  type JobNo,
  type Lease,
  type LeaseId,
  parseLeaseId,
  type ReportWhat,
  type State,
} from "@tessera/core";

interface Due {
  readonly at: Instant;
  readonly lease: LeaseId;
  readonly what: ReportWhat;
}

/** How the jobs of one trial behave. */
export interface Behaviour {
  /** How long a job runs; infinite = until it is stopped. */
  readonly runsMs: (job: Job) => number;
  /** How long a member that is evicted takes to leave. */
  readonly graceMs: number;
}

/**
 * An engine that follows each order at once: members start when they are placed and leave when their grace is over.
 * Its reports are due at an instant and are taken from it in order.
 */
export class InstantEngine {
  readonly #behaviour: Behaviour;
  readonly #sequence = new Map<LeaseId, number>();
  #due: Due[] = [];

  constructor(behaviour: Behaviour) {
    this.#behaviour = behaviour;
  }

  get nextAt(): Instant {
    return this.#due[0]?.at ?? Number.POSITIVE_INFINITY;
  }

  /** Carries out an event of the core. */
  obey(event: Event, state: State): void {
    if (event.kind === "job-placed") {
      const job = state.jobs.get(event.job)!;
      for (const lease of job.leases) this.#start(job, lease, event.at);
    } else if (event.kind === "lease-stopping" && event.sequence === 0) {
      const evicted = event.cause === "preempt" || event.cause === "move" || event.cause === "drain";
      // Every second job saves and exits with 0: that it was asked to leave decides, not its code [L1].
      const polite = (state.leases.get(event.lease)?.job ?? 0) % 2 === 0;
      const how = polite ? { code: 0 } : { signal: "SIGTERM" };
      const at = event.at + (evicted ? this.#behaviour.graceMs : 0);
      this.#add(event.lease, at, { kind: "exited", ran: true, ...how });
    }
  }

  #start(job: Job, lease: Lease, at: Instant): void {
    this.#add(lease.id, at, { kind: "prepared", engineId: lease.id, enforcement: {} });
    this.#add(lease.id, at, { kind: "started" });
    const runsMs = this.#behaviour.runsMs(job);
    if (!Number.isFinite(runsMs)) return;
    this.#add(lease.id, at + runsMs, { kind: "exited", ran: true, code: 0, done: true });
  }

  #add(lease: LeaseId, at: Instant, what: ReportWhat): void {
    let place = this.#due.length;
    while (place > 0 && this.#due[place - 1]!.at > at) place--;
    this.#due.splice(place, 0, { at, lease, what });
  }

  /** Reports that are due at `now`, and which jobs end by themselves in them. */
  take(now: Instant, state: State): { readonly inputs: Input[]; readonly ended: JobNo[] } {
    const count = this.#due.findIndex((each) => each.at > now);
    const due = this.#due.splice(0, count < 0 ? this.#due.length : count);
    const inputs: Input[] = [];
    const ended: JobNo[] = [];
    const over = new Set<LeaseId>();
    for (const { at, lease, what } of due) {
      const job = state.jobById.get(parseLeaseId(lease)!.job);
      if (!state.leases.has(lease) || over.has(lease)) continue;
      if (what.kind === "exited") over.add(lease);
      if (what.kind === "exited" && what.done === true) ended.push(job!.no);
      const sequence = (this.#sequence.get(lease) ?? 0) + 1;
      this.#sequence.set(lease, sequence);
      inputs.push({ kind: "report", v: 1, engine: "instant", report: { lease, sequence, bootId: "boot", at, what } });
    }
    return { inputs, ended };
  }
}
