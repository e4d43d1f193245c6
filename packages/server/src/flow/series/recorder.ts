import { accountOf, type Event, hour, type Instant, jobOf, minute, type ReadonlyState } from "@tessera/core";
import type { CommitListener, Committed } from "../commits.ts";
import { Slices } from "../slices.ts";
import { forEachAbove, sampleGauges } from "./gauges.ts";
import type { RollUps } from "./roll-ups.ts";
import { slotOf } from "./waits.ts";

/**
 * Makes series from commits. Counts go into the minute of their event; gauges are read from the state at each full minute.
 * The result depends on the journal alone.
 */
export class Recorder implements CommitListener {
  readonly #rollUps: RollUps;

  constructor(rollUps: RollUps) {
    this.#rollUps = rollUps;
  }

  /** Samples the state before the row is applied. */
  beforeRow(at: Instant, state: ReadonlyState): Promise<void> {
    return this.sampleUntil(at, state);
  }

  before(event: Event, state: ReadonlyState): void {
    switch (event.kind) {
      case "job-placed": {
        const job = jobOf(state, event.job);
        this.#count(state, job.account, "starts", "");
        if (event.attempt === 1)
          this.#count(
            state,
            job.account,
            "waits",
            String(slotOf(event.at - Math.max(job.submittedAt, job.notBeforeAt))),
          );
        return;
      }
      case "job-ended":
        this.#count(state, jobOf(state, event.job).account, "ends", event.outcome);
        return;
      case "job-requeued":
        this.#count(state, jobOf(state, event.job).account, "preemptions", event.cause);
        return;
      case "account-deleted": {
        const { id, parent } = accountOf(state, event.account);
        this.#rollUps.add("former", accountOf(state, parent).id, id, 1);
      }
    }
  }

  after({ seq }: Committed): void {
    this.#rollUps.took(seq);
  }

  /**
   * Samples gauges at each full minute up to an instant, pausing for questions. All earlier rows must have been applied,
   * and the state must not change meanwhile.
   */
  async sampleUntil(at: Instant, state: ReadonlyState): Promise<void> {
    const rollUps = this.#rollUps;
    if (rollUps.sampledUntil === 0) rollUps.begin(at);
    while (rollUps.sampledUntil + minute <= at) {
      const next = rollUps.sampledUntil + minute;
      const silentHours = next % hour === 0 ? Math.floor((at - next) / hour) : 0;
      const standing = await sampleGauges(state, next, new Slices());
      rollUps.endMinute(next, silentHours, (sink) => {
        for (const { name, account, key, value } of standing) sink.add(name, account, key, value);
      });
    }
  }

  #count(
    state: ReadonlyState,
    account: Parameters<typeof forEachAbove>[1],
    name: "starts" | "ends" | "preemptions" | "waits",
    key: string,
  ): void {
    forEachAbove(state, account, (id) => this.#rollUps.add(name, id, key, 1));
  }
}
