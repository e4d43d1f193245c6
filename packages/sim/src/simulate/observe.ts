import {
  type Event,
  type Input,
  type Job,
  type JobNo,
  type JobPlaced,
  type Refusal,
  type State,
  unitsPerGpu,
} from "@tessera/core";
import type { JobRun, Result, Sample } from "./result.ts";
import type { Arrival, Setting } from "./setting.ts";

const progressEvery = 500;

/** Records what happens to each arriving job, and the state of the fleet at regular instants. */
export class Observer {
  readonly #setting: Setting;
  readonly #state: State;
  readonly #runs: JobRun[];
  readonly #runOf = new Map<JobNo, JobRun>();
  readonly #samples: Sample[] = [];
  #nextSampleAt: number;
  #evictions = 0;
  #evictionsSampled = 0;
  #over = 0;
  #decisions = 0;

  constructor(setting: Setting, state: State) {
    this.#setting = setting;
    this.#state = state;
    const { arrivals, sampleMs = 1 } = setting;
    const from = arrivals[0]?.submitAt ?? Number.POSITIVE_INFINITY;
    // Whole steps, so that samples of several runs are taken at the same instants.
    this.#nextSampleAt = Math.ceil(from / sampleMs) * sampleMs;
    this.#runs = setting.arrivals.map((arrival) => ({
      arrival,
      gpus: gpusOf(arrival),
      stints: [],
      endedAt: Number.NaN,
      outcome: "waiting",
      evictions: 0,
      moves: 0,
      lostGpuMs: 0,
    }));
  }

  arrivalOf(job: Job): Arrival {
    return this.#runOf.get(job.no)!.arrival;
  }

  /** Whether all jobs have arrived and ended. */
  isDone(submitted: number): boolean {
    return submitted === this.#runs.length && this.#over === submitted;
  }

  see(event: Event): void {
    switch (event.kind) {
      case "job-submitted":
        this.#runOf.set(event.job, this.#runs[Number.parseInt(event.id.slice("job_".length), 36)]!);
        break;
      case "job-claimed":
        this.#decisions++;
        break;
      case "job-placed":
        this.#decisions++;
        this.#placed(event);
        break;
      case "job-requeued": {
        const run = this.#runOf.get(event.job)!;
        run.stints.at(-1)!.endedAt = event.at;
        if (event.cause === "moved") run.moves++;
        else {
          run.evictions++;
          this.#evictions++;
        }
        break;
      }
      case "job-ended": {
        const run = this.#runOf.get(event.job)!;
        const stint = run.stints.at(-1);
        if (stint !== undefined && Number.isNaN(stint.endedAt)) stint.endedAt = event.at;
        this.#runOf.delete(event.job);
        this.#end(run, event.at, event.outcome);
        break;
      }
      default:
        break;
    }
  }

  #placed({ job, at, seats }: JobPlaced): void {
    const { fleet } = this.#state;
    this.#runOf.get(job)!.stints.push({
      seats: seats.map(({ node: no, gpus }) => {
        const node = fleet.node(no);
        return { node: node.facts.name, devices: gpus.map((gpu) => gpu - node.firstGpu) };
      }),
      placedAt: at,
      endedAt: Number.NaN,
    });
  }

  lost(job: JobNo, lostMs: number): void {
    const run = this.#runOf.get(job)!;
    run.lostGpuMs += lostMs * run.gpus;
  }

  refused(input: Input, { detail }: Refusal): void {
    if (input.kind !== "command" || input.command.kind !== "job.submit") throw new Error(detail);
    const run = this.#runs[Number.parseInt(input.command.id.slice("job_".length), 36)]!;
    this.#end(run, run.arrival.submitAt, "refused");
  }

  #end(run: JobRun, at: number, outcome: string): void {
    run.endedAt = at;
    run.outcome = outcome;
    if (++this.#over % progressEvery === 0) this.#setting.progress?.(this.#over, false);
  }

  /** Takes the samples that are due before `at`: until then nothing changes. */
  sampleUntil(at: number): void {
    const { sampleMs } = this.#setting;
    if (sampleMs === undefined || this.#nextSampleAt >= at) return;
    const now = this.#look();
    for (; this.#nextSampleAt < at; this.#nextSampleAt += sampleMs) {
      const evictions = this.#evictions - this.#evictionsSampled;
      this.#evictionsSampled = this.#evictions;
      this.#samples.push({ at: this.#nextSampleAt, ...now, evictions });
    }
  }

  #look(): Omit<Sample, "at" | "evictions"> {
    const { fleet, usage, waiting } = this.#state;
    let gpusFreeInParts = 0;
    for (const node of fleet.nodes) {
      if (node === undefined || node.mode !== "up") continue;
      const free = fleet.nodeFreeGpus[node.no]!;
      if (free < node.facts.gpus.length) gpusFreeInParts += free;
    }
    return { gpusHeld: usage[0]!.units / unitsPerGpu, gpusFreeInParts, jobsWaiting: waiting.size };
  }

  result(batches: number, wallMs: number): Result {
    this.#setting.progress?.(this.#over, true);
    let endedAt = 0;
    for (const run of this.#runs) if (run.endedAt > endedAt) endedAt = run.endedAt;
    return {
      jobs: this.#runs,
      samples: this.#samples,
      gpus: this.#state.fleet.gpus,
      startedAt: this.#setting.arrivals[0]?.submitAt ?? 0,
      endedAt,
      decisions: this.#decisions,
      batches,
      wallMs,
    };
  }
}

/** GPUs of the first alternative of all members, parts rounded to thousandths. */
function gpusOf({ spec }: Arrival): number {
  const { count, unitsEach } = spec.gpus[0]!;
  return (count * unitsEach * spec.members.min) / unitsPerGpu;
}
