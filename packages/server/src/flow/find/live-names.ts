import type { Event, Job, JobArray, JobNo, ReadonlyState } from "@tessera/core";
import type { ControlPlane } from "../control.ts";

/** Live jobs and arrays by name, oldest first, so that looking one up does not walk through all of them. */
export class LiveNames {
  readonly #state: ReadonlyState;
  readonly #byName = new Map<string, JobNo[]>();
  readonly stop: () => void;

  constructor(control: ControlPlane) {
    this.#state = control.state;
    const tops = [...control.state.arrays.values(), ...control.state.jobs.values()].filter((job) => !isElement(job));
    for (const { no, spec } of tops.sort((a, b) => a.no - b.no)) this.#add(spec.name, no);
    this.stop = control.follow({ before: (event, state) => this.#see(event, state) });
  }

  /** Live jobs and arrays of this name, newest first; elements of arrays have no name of their own. */
  *named(name: string): Generator<Job | JobArray> {
    const numbers = this.#byName.get(name) ?? [];
    for (let i = numbers.length - 1; i >= 0; i--) {
      const job = this.#state.jobs.get(numbers[i]!) ?? this.#state.arrays.get(numbers[i]!);
      if (job !== undefined) yield job;
    }
  }

  names(): Iterable<string> {
    return this.#byName.keys();
  }

  #see(event: Event, state: ReadonlyState): void {
    if (event.kind === "job-submitted") this.#add(event.spec.name, event.job);
    if (event.kind === "job-edited" && event.as !== undefined) {
      this.#drop(event.spec.name, event.job);
      this.#add(event.spec.name, event.as);
    }
    if (event.kind !== "job-ended") return;
    const job = state.jobs.get(event.job);
    if (job === undefined) return;
    if (job.array === undefined) this.#drop(job.spec.name, job.no);
    else if (state.arrays.get(job.array)?.live === 1) this.#drop(job.spec.name, job.array);
  }

  #add(name: string, no: JobNo): void {
    const numbers = this.#byName.get(name);
    if (numbers === undefined) this.#byName.set(name, [no]);
    else numbers.push(no);
  }

  #drop(name: string, no: JobNo): void {
    const numbers = this.#byName.get(name);
    const at = numbers?.lastIndexOf(no) ?? -1;
    if (at < 0) return;
    if (numbers!.length === 1) this.#byName.delete(name);
    else numbers!.splice(at, 1);
  }
}

function isElement(job: Job | JobArray): boolean {
  return "array" in job && job.array !== undefined;
}
