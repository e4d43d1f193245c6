import { accountOf, type Event, type Job, type JobId, type Lease, type State, unitsPerGpu } from "@tessera/core";

/** What became of one job between two instants. */
export interface JobTale {
  readonly job: JobId;
  readonly name: string;
  readonly account: string;
  readonly gpus: number;
  /** All the time it stood in the queue. */
  waitMs: number;
  evictions: number;
  /** GPU time that it must do again. */
  lostGpuMs: number;
  /** GPU time that it held. */
  heldGpuMs: number;
  firstStartAt: number | undefined;
  endedAt: number | undefined;
}

/** What became of everybody between two instants. */
export interface Tallied {
  readonly tales: ReadonlyMap<JobId, JobTale>;
  readonly evictions: number;
  /** How often the GPUs of a member were cleared of another tenant's work, and how long the members waited for it in all. */
  readonly scrubs: { readonly count: number; readonly waitedMs: number };
  /** Unit-milliseconds that were held and not lost, by model. */
  readonly usefulOf: ReadonlyMap<string, bigint>;
}

/** Keeps the tale of each job while events go by; every event is shown before the state has it. */
export class Tally {
  readonly #from: number;
  readonly #tales = new Map<JobId, JobTale>();
  readonly #waitingSince = new Map<JobId, number>();
  readonly #usefulOf = new Map<string, bigint>();
  /** The model that each job held last. */
  readonly #modelOf = new Map<JobId, string>();
  #evictions = 0;
  readonly #scrubs = { count: 0, waitedMs: 0 };

  constructor(from: number, state: State) {
    this.#from = from;
    for (const { id, state: stands } of state.jobs.values()) if (stands === "waiting") this.#waitingSince.set(id, from);
  }

  see(event: Event, state: State): void {
    switch (event.kind) {
      case "job-placed":
        this.#placed(state.jobs.get(event.job)!, event.at, state);
        break;
      case "lease-scrubbed":
        this.#scrubs.count++;
        this.#scrubs.waitedMs += event.at - Math.max(this.#from, state.leases.get(event.lease)!.placedAt);
        break;
      case "lease-ended": {
        const lease = state.leases.get(event.lease)!;
        this.#held(lease, event.at, state);
        break;
      }
      case "job-requeued":
        this.#requeued(state.jobs.get(event.job)!, event.cause, event.at, state);
        break;
      case "job-ended": {
        const job = state.jobs.get(event.job)!;
        const tale = this.#taleOf(job, state);
        this.#stopWaiting(job, tale, event.at);
        tale.endedAt = event.at;
        break;
      }
      default:
        break;
    }
  }

  /** What is still on at the end counts up to it. */
  finish(state: State, to: number): Tallied {
    for (const job of state.jobs.values()) this.#stopWaiting(job, this.#taleOf(job, state), to);
    for (const lease of state.leases.values()) this.#held(lease, to, state);
    return { tales: this.#tales, evictions: this.#evictions, scrubs: this.#scrubs, usefulOf: this.#usefulOf };
  }

  #placed(job: Job, at: number, state: State): void {
    const tale = this.#taleOf(job, state);
    this.#stopWaiting(job, tale, at);
    tale.firstStartAt ??= at;
  }

  #stopWaiting(job: Job, tale: JobTale, at: number): void {
    if (job.state !== "waiting") return;
    tale.waitMs += at - Math.max(this.#from, this.#waitingSince.get(job.id) ?? job.submittedAt);
    this.#waitingSince.delete(job.id);
  }

  #held({ job: no, placedAt, gpus, unitsEach }: Lease, at: number, state: State): void {
    const tale = this.#taleOf(state.jobs.get(no)!, state);
    const unitMs = gpus.length * unitsEach * (at - Math.max(this.#from, placedAt));
    tale.heldGpuMs += unitMs / unitsPerGpu;
    if (gpus[0] === undefined) return;
    const model = state.fleet.models[state.fleet.gpuModel[gpus[0]]!]!;
    this.#modelOf.set(tale.job, model);
    this.#count(model, unitMs);
  }

  #requeued(job: Job, cause: string, at: number, state: State): void {
    this.#waitingSince.set(job.id, at);
    if (cause === "failed" || cause === "refused") return;
    const tale = this.#taleOf(job, state);
    if (cause === "preempted") {
      tale.evictions++;
      this.#evictions++;
    }
    if (job.startedAt === 0) return;
    const ranMs = at - Math.max(this.#from, job.startedAt);
    const everyMs = job.spec.checkpoint?.everyMs;
    const lostGpuMs = (everyMs === undefined ? ranMs : ranMs % everyMs) * tale.gpus;
    tale.lostGpuMs += lostGpuMs;
    const model = this.#modelOf.get(job.id);
    if (model !== undefined) this.#count(model, -lostGpuMs * unitsPerGpu);
  }

  #count(model: string, unitMs: number): void {
    this.#usefulOf.set(model, (this.#usefulOf.get(model) ?? 0n) + BigInt(Math.round(unitMs)));
  }

  #taleOf(job: Job, state: State): JobTale {
    const known = this.#tales.get(job.id);
    if (known !== undefined) return known;
    const { count, unitsEach } = job.spec.gpus[0]!;
    const tale: JobTale = {
      job: job.id,
      name: job.spec.name,
      account: accountOf(state, job.account).path,
      gpus: (count * unitsEach * job.spec.members.min) / unitsPerGpu,
      waitMs: 0,
      evictions: 0,
      lostGpuMs: 0,
      heldGpuMs: 0,
      firstStartAt: undefined,
      endedAt: undefined,
    };
    this.#tales.set(job.id, tale);
    return tale;
  }
}
