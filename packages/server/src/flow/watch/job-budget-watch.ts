import { accountOf, hour, type Instant, type Job } from "@tessera/core";
import type { Clock } from "@tessera/engine";
import { costOfJob } from "../bill/job-cost.ts";
import type { Asker, ControlPlane } from "../control.ts";
import { Lookout } from "./lookout.ts";

const everyMs = 5_000;
const soonestMs = 50;
const system: Asker = { actor: { user: "system" }, request: "job-budget-watch" };

type Watched = Pick<ControlPlane, "state" | "reader" | "now" | "ask">;

/**
 * Follows what jobs with a budget of their own cost, and tells the core when one has used it up. It looks again when
 * that will be at the rate of now, so what is spent beyond it is what the job uses until it has left.
 */
export class JobBudgetWatch extends Lookout {
  readonly #control: Watched;

  constructor(control: Watched, clock: Clock) {
    super(clock, everyMs);
    this.#control = control;
  }

  async look(): Promise<Instant> {
    const { state } = this.#control;
    let next = this.#control.now() + everyMs;
    for (const job of [...state.priced]) {
      if (isOpen(job)) next = Math.min(next, await this.#lookAt(job, BigInt(job.spec.budgetMicros!)));
    }
    return next;
  }

  async #lookAt(job: Job, budgetMicros: bigint): Promise<Instant> {
    const { state, reader } = this.#control;
    const now = this.#control.now();
    const about = { id: job.id, account: accountOf(state, job.account).path, live: job };
    const cost = await costOfJob(reader, state, about, now);
    if (cost === undefined) return now + everyMs;
    const left = budgetMicros - cost.micros;
    if (left <= 0n) {
      await this.#control.ask({ kind: "job.overspend", job: job.id, spentMicros: String(cost.micros) }, system);
      return now + everyMs;
    }
    if (cost.perHourMicros <= 0n) return now + everyMs;
    return now + Math.max(soonestMs, Number((left * BigInt(hour)) / cost.perHourMicros) + 1);
  }
}

/** It has a budget, has cost something, and was not told yet. */
function isOpen({ spec, attempt, leases, stopCause, state }: Job): boolean {
  if (spec.budgetMicros === undefined || stopCause === "spent") return false;
  return leases.length > 0 || (state === "waiting" && attempt > 1);
}
