import {
  type Event,
  type Job,
  type JobClass,
  type JobId,
  type JobNo,
  type Refusal,
  type State,
  unitsPerGpu,
} from "@tessera/core";
import type { CommitListener } from "@tessera/server";

export type StoryKind =
  | "started"
  | "ended"
  | "evicted"
  | "shrunk"
  | "grown"
  | "moved"
  | "promoted"
  | "demoted"
  | "refused";

/** One event of a job, in the words of the scenario format. */
export interface StoryEvent {
  /** Milliseconds from the start of the scenario. */
  readonly at: number;
  readonly kind: StoryKind;
  readonly job: string;
  readonly nodes: readonly string[];
  /** GPUs that it holds, or held. */
  readonly gpus: number;
  readonly reason: string | null;
  /** The claimant, where there is one. */
  readonly for: string | null;
}

/** Causes of a requeue that are told as a move: what happened to the node, not to the job. */
const movedBy: ReadonlySet<string> = new Set(["node_lost", "node_fault", "neighbour_fault", "drain"]);

interface Standing {
  readonly attempt: number;
  readonly class: JobClass;
}

/** Follows committed events and reports them by job names. */
export class Story implements CommitListener {
  readonly events: StoryEvent[] = [];
  /** The status of jobs that will not run any more: refused or ended. */
  readonly over = new Map<string, string>();
  readonly #startAt: number;
  readonly #nameOf: (id: JobId) => string;
  readonly #standing = new Map<JobNo, Standing>();
  /** The claimant for each victim of the last claim. */
  #claims = new Map<JobNo, string>();
  #claimant: string | undefined;
  /** The claimant for each job that is being moved, and the reason that its user sees. */
  readonly #moves = new Map<JobNo, { readonly claimant: string; why: string }>();

  constructor(startAt: number, nameOf: (id: JobId) => string) {
    this.#startAt = startAt;
    this.#nameOf = nameOf;
  }

  /** A submission, or a cancel, was refused. */
  refused(name: string, refusal: Refusal, at: number, isSubmission: boolean): void {
    const reason = `${refusal.refused}: ${refusal.field === "" ? "" : `${refusal.field} `}${refusal.detail}`;
    if (isSubmission) this.over.set(name, `refused (${reason})`);
    this.events.push({ at: at - this.#startAt, kind: "refused", job: name, nodes: [], gpus: 0, reason, for: null });
  }

  before(event: Event, state: State): void {
    switch (event.kind) {
      case "job-claimed": {
        const claimant = this.#nameOf(state.jobs.get(event.job)!.id);
        this.#claimant = claimant;
        this.#claims = new Map(event.victims.map((victim) => [victim, claimant]));
        for (const mover of event.moves ?? []) this.#moves.set(mover, { claimant, why: "move" });
        return;
      }
      case "lease-stopping": {
        const job = state.jobs.get(state.leases.get(event.lease)!.job)!;
        if (event.cause === "shrink") {
          this.#tell(event.at, "shrunk", job, state, null, this.#claimant);
          return;
        }
        const move = event.cause === "move" ? this.#moves.get(job.no) : undefined;
        if (move !== undefined) move.why = event.why ?? event.cause;
        // One event for each member: only the first is reported.
        if (event.cause !== "preempt" || job.stopCause === "preempt") return;
        this.#tell(event.at, "evicted", job, state, event.why ?? event.cause, this.#claims.get(job.no));
        return;
      }
      case "job-requeued":
        if (movedBy.has(event.cause)) {
          this.#tell(event.at, "moved", state.jobs.get(event.job)!, state, event.cause);
        } else if (event.cause === "moved") {
          const { why, claimant } = this.#moves.get(event.job)!;
          this.#tell(event.at, "moved", state.jobs.get(event.job)!, state, why, claimant);
        }
        return;
      case "job-ended": {
        const job = state.jobs.get(event.job)!;
        this.over.set(this.#nameOf(job.id), `ended (${event.outcome})`);
        this.#tell(event.at, "ended", job, state, event.outcome);
        return;
      }
    }
  }

  /** Classes are compared after each batch, because they change by several kinds of events. */
  after({ at, events }: { readonly at: number; readonly events: readonly Event[] }, state: State): void {
    for (const event of events) {
      if (event.kind !== "job-placed" && event.kind !== "job-grown") continue;
      const job = state.jobs.get(event.job);
      if (job === undefined) continue;
      if (event.kind === "job-placed") this.#tell(event.at, "started", job, state, job.class);
      else this.#tell(event.at, "grown", job, state, null);
    }
    for (const no of [...this.#standing.keys()]) if (!state.jobs.has(no)) this.#standing.delete(no);
    for (const job of state.jobs.values()) {
      if (job.seats.length === 0) continue;
      const { attempt } = job;
      const now: Standing = { attempt, class: job.class };
      for (const kind of changes(this.#standing.get(job.no), now)) this.#tell(at, kind, job, state, null);
      this.#standing.set(job.no, now);
    }
  }

  #tell(at: number, kind: StoryKind, job: Job, state: State, reason: string | null, claimant?: string): void {
    const nodes = new Set(job.seats.map((seat) => state.fleet.nodes[seat.node]?.facts.name ?? ""));
    const each = job.spec.gpus[job.choice]!.unitsEach;
    const units = job.seats.reduce((sum, seat) => sum + (seat.part?.compute ?? each * seat.gpus.length), 0);
    const gpus = units / unitsPerGpu;
    const name = this.#nameOf(job.id);
    const where = { nodes: [...nodes].sort(), gpus };
    this.events.push({ at: at - this.#startAt, kind, job: name, ...where, reason, for: claimant ?? null });
  }
}

/** How the class of a job changed during one attempt. */
export function changes(before: Standing | undefined, now: Standing): StoryKind[] {
  if (before === undefined || before.attempt !== now.attempt) return [];
  const kinds: StoryKind[] = [];
  if (before.class !== now.class) kinds.push(now.class === "guaranteed" ? "promoted" : "demoted");
  return kinds;
}
