import type { Event, Job, JobNo, Lease, LeaseId, ReportWhat, State } from "@tessera/core";
import type { SimulatedClock } from "@tessera/engine-simulated";
import type { Kernel } from "./kernel.ts";

/** How an attempt ends when nothing interrupts it. */
export interface OwnEnd {
  /** All the work of the job; Infinity where it is not known to end. */
  readonly runMs: number;
  readonly code: number;
}

/** The progress of a job. */
interface Work {
  /** The part of its run time that need not be done again. */
  savedMs: number;
  readonly end: OwnEnd;
  readonly checkpointMs: number;
  readonly attempt: number;
  readonly leases: LeaseId[];
  startedAt: number | undefined;
  /** Cancels its next event. */
  callOff: () => void;
  stopping: boolean;
}

export interface DirectEnginePorts {
  /** From being placed to running, on GPUs that need no scrub and are not cut otherwise. */
  readonly startMs: number;
  /** How long a scrub or a cut takes; what the policy plans with when absent. */
  readonly handoverMs?: { readonly scrub?: number | undefined; readonly reshape?: number | undefined };
  /** How the next attempt of a job truly ends. */
  readonly endOf: (job: Job) => OwnEnd;
  /** How long a job works on after it is signalled to stop; all of its grace period when absent. */
  readonly leaveMs?: (job: JobNo, graceMs: number) => number;
  /** Called when an attempt is interrupted, with the work that must be done again. */
  readonly onLost: (job: JobNo, lostMs: number) => void;
}

/**
 * An engine without machines: it follows the core's decisions at once and reports on the simulated clock. It replaces
 * the driver and the engine of the server at the cost of a few steps per job.
 */
export class DirectEngine {
  readonly #kernel: Pick<Kernel, "put">;
  readonly #clock: SimulatedClock;
  readonly #ports: DirectEnginePorts;
  readonly #works = new Map<JobNo, Work>();
  readonly #sequences = new Map<LeaseId, number>();

  constructor(kernel: Pick<Kernel, "put" | "clock">, ports: DirectEnginePorts) {
    this.#kernel = kernel;
    this.#clock = kernel.clock;
    this.#ports = ports;
  }

  /** Carries out an event that is already applied to `state`. */
  obey(event: Event, state: State): void {
    switch (event.kind) {
      case "job-placed":
        this.#place(state.jobs.get(event.job), state);
        break;
      case "job-grown":
        this.#grow(state.jobs.get(event.job), state);
        break;
      case "lease-stopping":
        if (event.sequence === 0) this.#stop(event.lease, event.graceMs, event.cause === "shrink", state);
        break;
      case "lease-ended":
        this.#sequences.delete(event.lease);
        if (event.result === "lost") this.#interrupt(event.lease);
        break;
      case "job-edited": {
        const work = this.#works.get(event.job);
        if (event.as === undefined || work === undefined) break;
        this.#works.delete(event.job);
        this.#works.set(event.as, work);
        break;
      }
      case "job-ended":
        this.#works.delete(event.job);
        break;
      default:
        break;
    }
  }

  #place(job: Job | undefined, state: State): void {
    if (job === undefined) return; // placed and ended in one batch
    const work = this.#begin(job, this.#works.get(job.no)?.savedMs ?? 0);
    const handovers = job.leases.filter(({ handover }) => handover !== undefined);
    for (const lease of job.leases) if (lease.handover === undefined) this.#sayPrepared(lease.id);
    const handoverMs = Math.max(0, ...handovers.map((lease) => this.#handoverMs(lease, state)));
    const begin = () => {
      for (const lease of handovers) this.#sayHandedOver(lease);
      this.#startAfter(this.#ports.startMs, work);
    };
    if (handoverMs === 0) begin();
    else work.callOff = this.#clock.at(this.#clock.now() + handoverMs, begin);
  }

  #startAfter(delayMs: number, work: Work): void {
    if (delayMs === 0) this.#start(work);
    else work.callOff = this.#clock.at(this.#clock.now() + delayMs, () => this.#start(work));
  }

  /** How long the GPUs of this lease take to be cleared and cut. */
  #handoverMs({ handover }: Lease, { policy }: State): number {
    const known = this.#ports.handoverMs;
    const scrubMs = handover?.scrub.length ? (known?.scrub ?? policy.scrubMs ?? 0) : 0;
    const reshapeMs = handover?.reshape.length ? (known?.reshape ?? policy.reshapeMs ?? 0) : 0;
    return scrubMs + reshapeMs;
  }

  /** A lease whose GPUs must be cleared is prepared only after the report that they were (S4). */
  #sayHandedOver({ id, handover }: Lease): void {
    if (handover?.scrub.length) this.#say(id, { kind: "scrubbed", how: "simulated" });
    if (handover?.reshape.length) this.#say(id, { kind: "reshaped", how: "simulated" });
    this.#sayPrepared(id);
  }

  #sayPrepared(id: LeaseId): void {
    this.#say(id, { kind: "prepared", engineId: id, enforcement: {} });
  }

  #begin(job: Job, savedMs: number): Work {
    const work: Work = {
      savedMs,
      end: this.#ports.endOf(job),
      checkpointMs: job.spec.checkpoint?.everyMs ?? 0,
      attempt: job.attempt,
      leases: job.leases.map(({ id }) => id),
      startedAt: undefined,
      callOff: () => {},
      stopping: false,
    };
    this.#works.set(job.no, work);
    return work;
  }

  #start(work: Work): void {
    for (const lease of work.leases) this.#say(lease, { kind: "started" });
    this.#run(work, this.#clock.now());
  }

  #run(work: Work, startedAt: number): void {
    work.startedAt = startedAt;
    const endAt = endAtOf(work);
    if (endAt === Number.POSITIVE_INFINITY) return;
    work.callOff = this.#clock.at(Math.max(this.#clock.now(), endAt), () => {
      work.savedMs = 0;
      // Its work is complete, also if it was asked to leave meanwhile.
      const { code } = work.end;
      for (const lease of work.leases) this.#say(lease, { kind: "exited", ran: true, code, done: code === 0 });
    });
  }

  /** Takes over the running jobs of `state`; jobs that are starting start at once, and stopping jobs end at once. */
  adopt(state: State, savedMsOf: (job: Job) => number): void {
    for (const job of state.jobs.values()) {
      if (job.leases.length === 0) continue;
      for (const lease of job.leases) this.#sequences.set(lease.id, lease.reportSequence);
      const work = this.#begin(job, savedMsOf(job));
      const started = job.leases[0]!.startedAt;
      if (job.state === "stopping") this.#goAway(job.no, work, started);
      else if (started === undefined) this.#adoptStarting(job.leases, work);
      else this.#run(work, started);
    }
  }

  #goAway(job: JobNo, work: Work, startedAt: number | undefined): void {
    work.stopping = true;
    work.startedAt = startedAt;
    this.#sayGone(job, work);
  }

  #adoptStarting(leases: readonly Lease[], work: Work): void {
    for (const lease of leases) {
      if (lease.state === "starting") this.#sayHandedOver(lease);
      if (lease.state !== "running") this.#say(lease.id, { kind: "started" });
    }
    this.#run(work, this.#clock.now());
  }

  /** Members beyond the minimum make a job neither faster nor slower here; they leave with it. */
  #grow(job: Job | undefined, state: State): void {
    const work = job === undefined ? undefined : this.#works.get(job.no);
    if (work === undefined) return;
    for (const lease of job!.leases) {
      if (work.leases.includes(lease.id)) continue;
      work.leases.push(lease.id);
      const begin = () => {
        if (!work.leases.includes(lease.id) || work.stopping) return; // it had to leave meanwhile
        this.#sayHandedOver(lease);
        this.#say(lease.id, { kind: "started" });
      };
      const handoverMs = this.#handoverMs(lease, state);
      if (handoverMs === 0) begin();
      else this.#clock.at(this.#clock.now() + handoverMs, begin);
    }
  }

  #stop(id: LeaseId, graceMs: number, alone: boolean, state: State): void {
    const lease = state.leases.get(id);
    const work = lease === undefined ? undefined : this.#works.get(lease.job);
    if (work === undefined) return;
    if (alone) {
      work.leases.splice(work.leases.indexOf(id), 1);
      this.#say(id, { kind: "exited", ran: true, signal: "SIGTERM" });
    } else if (!work.stopping) {
      work.stopping = true;
      const leaveMs = this.#ports.leaveMs?.(lease!.job, graceMs) ?? graceMs;
      this.#leave(lease!, work, this.#clock.now() + leaveMs);
    }
  }

  /** It works on until then, unless it ends by itself before. */
  #leave({ job }: Lease, work: Work, at: number): void {
    if (work.startedAt !== undefined && endAtOf(work) <= at) return;
    work.callOff();
    if (at <= this.#clock.now()) this.#sayGone(job, work);
    else work.callOff = this.#clock.at(at, () => this.#sayGone(job, work));
  }

  #sayGone(job: JobNo, work: Work): void {
    const ran = work.startedAt !== undefined;
    this.#save(job, work);
    for (const lease of work.leases)
      this.#say(lease, ran ? { kind: "exited", ran, signal: "SIGTERM" } : { kind: "exited", ran });
  }

  #interrupt(lease: LeaseId): void {
    for (const [no, work] of this.#works) {
      if (!work.leases.includes(lease)) continue;
      work.callOff();
      work.leases.splice(work.leases.indexOf(lease), 1);
      if (work.startedAt !== undefined) this.#save(no, work);
    }
  }

  /** Work since the last checkpoint is lost; a job without checkpoints starts from the beginning. */
  #save(job: JobNo, work: Work): void {
    if (work.startedAt === undefined) return;
    const ran = this.#clock.now() - work.startedAt;
    const kept = work.checkpointMs === 0 ? 0 : ran - (ran % work.checkpointMs);
    work.savedMs = work.checkpointMs === 0 ? 0 : work.savedMs + kept;
    work.startedAt = undefined;
    this.#ports.onLost(job, ran - kept);
  }

  #say(lease: LeaseId, what: ReportWhat): void {
    const sequence = (this.#sequences.get(lease) ?? 0) + 1;
    this.#sequences.set(lease, sequence);
    const at = this.#clock.now();
    this.#kernel.put({
      kind: "report",
      v: 1,
      engine: "simulated",
      report: { lease, sequence, bootId: "boot", at, what },
    });
  }
}

function endAtOf({ startedAt, end, savedMs }: Work): number {
  return startedAt! + end.runMs - savedMs;
}
