import { isRefusal, type LeaseId, type Refusal, type Report } from "@tessera/core";
import type { Done } from "../control.ts";

const againMs = 1_000;

/**
 * Hands the reports of engines to the writer, each lease's in their order, and again while the disk is full: an engine
 * must not forget what nobody has written down.
 */
export class Reports {
  readonly #put: (report: Report) => Promise<Done | Refusal>;
  readonly #sleep: (ms: number) => Promise<void>;
  readonly #last = new Map<LeaseId, Promise<unknown>>();

  constructor(put: (report: Report) => Promise<Done | Refusal>, sleep: (ms: number) => Promise<void>) {
    this.#put = put;
    this.#sleep = sleep;
  }

  /** Resolves when what it led to is durable. */
  put(report: Report): Promise<Done | Refusal> {
    const before = this.#last.get(report.lease);
    const put = before === undefined ? this.#putUntilTaken(report) : before.then(() => this.#putUntilTaken(report));
    const settled = put.catch(() => {});
    this.#last.set(report.lease, settled);
    void settled.then(() => {
      if (this.#last.get(report.lease) === settled) this.#last.delete(report.lease);
    });
    return put;
  }

  async #putUntilTaken(report: Report): Promise<Done | Refusal> {
    for (;;) {
      const answer = await this.#put(report);
      if (!isRefusal(answer) || answer.refused !== "no-space") return answer;
      await this.#sleep(againMs);
    }
  }
}
