import {
  type CommandInput,
  type Event,
  type Job,
  type JobId,
  type Lease,
  type LeaseEnded,
  type LeaseId,
  type State,
  writeSnapshot,
} from "@tessera/core";
import type { OwnEnd } from "@tessera/sim";
import type { Recorded } from "./journal.ts";

/** What a part of the journal says happened from outside: what was asked, and how long the work really takes. */
export interface History {
  readonly from: number;
  readonly to: number;
  /** The state at `from`, as a snapshot. */
  readonly snapshot: string;
  readonly commands: readonly { readonly at: number; readonly input: CommandInput }[];
  /** Of each job, the ends that were its own, in order. A job without any is not known to end. */
  readonly ends: ReadonlyMap<JobId, readonly OwnEnd[]>;
  /** Of jobs that were interrupted before `from`, the work that they need not do again. */
  readonly saved: ReadonlyMap<JobId, number>;
  /** The usual time between being placed and running, without scrubs and cuts. */
  readonly startMs: number;
  /** The usual time of a scrub and of a cut; undefined where none was recorded. */
  readonly handoverMs: { readonly scrub: number | undefined; readonly reshape: number | undefined };
  /** How long jobs that were told to leave took for it; `leaveMs` is what is usual. */
  readonly leaves: ReadonlyMap<JobId, number>;
  readonly leaveMs: number | undefined;
}

/** Work that a job need not do again, and the end of the attempt that is on. */
interface Progress {
  savedMs: number;
  end: OwnEnd | undefined;
}

/** Gathers a history while the batches of a journal go by. */
export class HistoryBook {
  readonly #from: number;
  readonly #commands: { at: number; input: CommandInput }[] = [];
  readonly #ends = new Map<JobId, OwnEnd[]>();
  readonly #progress = new Map<JobId, Progress>();
  /** Leases that were told to go; those that the engine stopped at a limit came to their own end. */
  readonly #sentAway = new Map<LeaseId, number>();
  readonly #leaves = new Map<JobId, number>();
  readonly #delays: number[] = [];
  readonly #handovers = { scrub: [] as number[], reshape: [] as number[] };
  /** Leases whose GPUs were cleared or cut: since when they are ready to be prepared. */
  readonly #readyAt = new Map<LeaseId, number>();
  #saved: ReadonlyMap<JobId, number> = new Map();
  #snapshot: string | undefined;
  #to: number;

  constructor(from: number) {
    this.#from = from;
    this.#to = from;
  }

  /** A batch that is about to be written into `state`. */
  begin({ at, inputs }: Recorded, state: State): void {
    if (at < this.#from) return;
    if (this.#snapshot === undefined) {
      this.#snapshot = writeSnapshot(state);
      this.#saved = new Map([...this.#progress].map(([job, { savedMs }]) => [job, savedMs]));
    }
    this.#to = at;
    for (const input of inputs) {
      if (input.kind !== "command" || input.command.kind === "epoch.begin") continue;
      if (input.command.kind !== "audit.note") this.#commands.push({ at, input });
    }
  }

  /** An event that is about to be written into `state`. */
  see(event: Event, state: State): void {
    switch (event.kind) {
      case "lease-scrubbed":
      case "lease-reshaped":
        this.#handovers[event.kind === "lease-scrubbed" ? "scrub" : "reshape"].push(
          event.at - this.#readySince(event, state),
        );
        this.#readyAt.set(event.lease, event.at);
        break;
      case "lease-started":
        this.#delays.push(event.at - this.#readySince(event, state));
        this.#readyAt.delete(event.lease);
        break;
      case "lease-stopping":
        if (event.sequence === 0) this.#sentAway.set(event.lease, event.at);
        break;
      case "lease-ended": {
        const lease = state.leases.get(event.lease)!;
        const ranMs = lease.startedAt === undefined ? 0 : event.at - lease.startedAt;
        const job = state.jobs.get(lease.job)!;
        if (event.result === "exited") this.#exited(lease, job, ranMs, event);
        const sentAwayAt = this.#sentAway.get(event.lease);
        if (sentAwayAt !== undefined) this.#leaves.set(job.id, event.at - sentAwayAt);
        this.#sentAway.delete(event.lease);
        this.#readyAt.delete(event.lease);
        break;
      }
      case "job-requeued":
      case "job-ended":
        this.#close(state.jobs.get(event.job)!.id, event.kind === "job-ended");
        break;
      default:
        break;
    }
  }

  finish(last: State): History {
    return {
      from: this.#from,
      to: this.#to,
      snapshot: this.#snapshot ?? writeSnapshot(last),
      commands: this.#commands,
      ends: this.#ends,
      saved: this.#saved,
      startMs: middle(this.#delays) ?? 0,
      handoverMs: { scrub: middle(this.#handovers.scrub), reshape: middle(this.#handovers.reshape) },
      leaves: this.#leaves,
      leaveMs: middle([...this.#leaves.values()]),
    };
  }

  #readySince({ lease }: { readonly lease: LeaseId }, state: State): number {
    return this.#readyAt.get(lease) ?? state.leases.get(lease)!.placedAt;
  }

  #exited(lease: Lease, job: Job, ranMs: number, { exitCode: code = 1, done }: LeaseEnded): void {
    const progress = this.#progress.get(job.id) ?? { savedMs: 0, end: undefined };
    this.#progress.set(job.id, progress);
    if (this.#sentAway.has(lease.id) && done !== true) {
      const everyMs = job.spec.checkpoint?.everyMs;
      if (lease.rank === 0 && everyMs !== undefined) progress.savedMs += ranMs - (ranMs % everyMs);
      return;
    }
    const runMs = Math.max(progress.end?.runMs ?? 0, progress.savedMs + ranMs);
    progress.end = { runMs, code: done === true ? 0 : progress.end?.code || code };
  }

  #close(job: JobId, forGood: boolean): void {
    const progress = this.#progress.get(job);
    if (progress?.end !== undefined) {
      const ends = this.#ends.get(job) ?? [];
      ends.push(progress.end);
      this.#ends.set(job, ends);
      progress.savedMs = 0;
      progress.end = undefined;
    }
    if (forGood) this.#progress.delete(job);
  }
}

function middle(values: readonly number[]): number | undefined {
  return values.toSorted((a, b) => a - b)[values.length >> 1];
}
