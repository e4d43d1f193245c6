import { type JobId, type ReadonlyState, second } from "@tessera/core";
import type { LeaseOrder } from "@tessera/engine";
import type { Behaviour } from "@tessera/engine-simulated";

const startMs = 20 * second;
/** Of a hundred jobs, how many fail by themselves. */
const failOfHundred = 4;

/** How long each job really takes, and where it stands: what it had saved before it was interrupted is not done twice. */
export class Members {
  readonly #runMs = new Map<JobId, number>();
  readonly #state: ReadonlyState;

  constructor(state: ReadonlyState) {
    this.#state = state;
  }

  add(id: JobId, runMs: number): void {
    this.#runMs.set(id, runMs);
  }

  behaviourOf({ job: id }: Pick<LeaseOrder, "job">): Behaviour {
    const job = this.#state.jobById.get(id);
    const every = job?.spec.checkpoint?.everyMs ?? 0;
    const ranMs = (job?.attempts ?? []).map(({ startedAt, endedAt }) => (startedAt === 0 ? 0 : endedAt - startedAt));
    const savedMs = every === 0 ? 0 : ranMs.reduce((sum, ms) => sum + ms - (ms % every), 0);
    const runMs = Math.max(minRunMs, (this.#runMs.get(id) ?? 0) - savedMs);
    return { startMs, runMs, exitCode: spread(id) % 100 < failOfHundred ? 1 : 0, ignoresSignal: false };
  }
}

const minRunMs = 5 * second;

/** A number from 0 to 479 that follows from the job. */
function spread(id: JobId): number {
  return (Number.parseInt(id.slice(-6), 36) * 7919) % 480;
}
