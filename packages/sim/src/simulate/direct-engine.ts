import type { Event, Input, Job, JobNo, Lease, LeaseId, ReportWhat, State } from "@tessera/core";
import type { SimulatedClock } from "@tessera/engine-simulated";

/** How a job stands with its work. */
interface Work {
  /** Of its run time, what need not be done again. */
  savedMs: number;
  readonly runMs: number;
  readonly checkpointMs: number;
  readonly attempt: number;
  readonly leases: LeaseId[];
  startedAt: number | undefined;
  /** Calls off what would happen to it next. */
  callOff: () => void;
  stopping: boolean;
}

export interface DirectEnginePorts {
  /** From being placed to running. */
  readonly startMs: number;
  /** The true run time of a job. */
  readonly runMsOf: (job: Job) => number;
  readonly put: (input: Input) => void;
  /** Told when an attempt is interrupted, and how much of its work must be done again. */
  readonly onLost: (job: JobNo, lostMs: number) => void;
}

/**
 * An engine without machines: it does at once what the core has decided, and says on the clock what becomes of it. It
 * stands where driver and engine stand in the server, at the cost of a few steps a job.
 */
export class DirectEngine {
  readonly #clock: SimulatedClock;
  readonly #ports: DirectEnginePorts;
  readonly #works = new Map<JobNo, Work>();
  readonly #sequences = new Map<LeaseId, number>();

  constructor(clock: SimulatedClock, ports: DirectEnginePorts) {
    this.#clock = clock;
    this.#ports = ports;
  }

  /** Does what an event asks for; `state` has it already. */
  obey(event: Event, state: State): void {
    switch (event.kind) {
      case "job-placed":
        this.#place(state.jobs.get(event.job));
        break;
      case "job-grown":
        this.#grow(state.jobs.get(event.job));
        break;
      case "lease-stopping":
        if (event.sequence === 0) this.#stop(event.lease, event.graceMs, event.cause === "shrink", state);
        break;
      case "lease-ended":
        this.#sequences.delete(event.lease);
        if (event.result === "lost") this.#interrupt(event.lease);
        break;
      case "job-ended":
        this.#works.delete(event.job);
        break;
      default:
        break;
    }
  }

  #place(job: Job | undefined): void {
    if (job === undefined) return; // placed and ended in one batch
    const known = this.#works.get(job.no);
    const work: Work = {
      savedMs: known?.savedMs ?? 0,
      runMs: known?.runMs ?? this.#ports.runMsOf(job),
      checkpointMs: job.spec.checkpoint?.everyMs ?? 0,
      attempt: job.attempt,
      leases: job.leases.map(({ id }) => id),
      startedAt: undefined,
      callOff: () => {},
      stopping: false,
    };
    this.#works.set(job.no, work);
    for (const lease of work.leases) this.#say(lease, { kind: "prepared", engineId: lease, enforcement: {} });
    if (this.#ports.startMs === 0) this.#start(work);
    else work.callOff = this.#clock.at(this.#clock.now() + this.#ports.startMs, () => this.#start(work));
  }

  #start(work: Work): void {
    const now = this.#clock.now();
    work.startedAt = now;
    for (const lease of work.leases) this.#say(lease, { kind: "started" });
    work.callOff = this.#clock.at(now + work.runMs - work.savedMs, () => {
      for (const lease of work.leases) this.#say(lease, { kind: "exited", ran: true, code: 0 });
    });
  }

  /** Members beyond the minimum make a job neither faster nor slower here; they leave with it. */
  #grow(job: Job | undefined): void {
    const work = job === undefined ? undefined : this.#works.get(job.no);
    if (work === undefined) return;
    for (const { id } of job!.leases) {
      if (work.leases.includes(id)) continue;
      work.leases.push(id);
      this.#say(id, { kind: "prepared", engineId: id, enforcement: {} });
      this.#say(id, { kind: "started" });
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
      this.#leave(lease!, work, this.#clock.now() + graceMs);
    }
  }

  /** It works on until its grace is over, unless it comes to its own end before. */
  #leave({ job }: Lease, work: Work, at: number): void {
    if (work.startedAt !== undefined && work.startedAt + work.runMs - work.savedMs <= at) return;
    work.callOff();
    const leave = () => {
      const ran = work.startedAt !== undefined;
      this.#save(job, work);
      for (const lease of work.leases)
        this.#say(lease, ran ? { kind: "exited", ran, signal: "SIGTERM" } : { kind: "exited", ran });
    };
    if (at <= this.#clock.now()) leave();
    else work.callOff = this.#clock.at(at, leave);
  }

  #interrupt(lease: LeaseId): void {
    for (const [no, work] of this.#works) {
      if (!work.leases.includes(lease)) continue;
      work.callOff();
      work.leases.splice(work.leases.indexOf(lease), 1);
      if (work.startedAt !== undefined) this.#save(no, work);
    }
  }

  /** What was done since the last checkpoint is lost; a job that keeps none begins anew. */
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
    this.#ports.put({
      kind: "report",
      v: 1,
      engine: "simulated",
      report: { lease, sequence, bootId: "boot", at, what },
    });
  }
}
