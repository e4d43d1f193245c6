import type { LeaseId } from "@tessera/core";

/** Runs what concerns one lease one after the other, so that no two calls see it half changed. */
export class Turns {
  readonly #last = new Map<LeaseId, Promise<void>>();

  async run(lease: LeaseId, act: () => Promise<void>): Promise<void> {
    const turn = (this.#last.get(lease) ?? Promise.resolve()).catch(() => {}).then(act);
    this.#last.set(lease, turn);
    try {
      await turn;
    } finally {
      if (this.#last.get(lease) === turn) this.#last.delete(lease);
    }
  }

  /** Waits for the calls that are under way, however they end. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#last.values());
  }
}
