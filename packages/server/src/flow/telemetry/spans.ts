/** A stretch without samples is not measured: a sample stands for this many intervals at most. */
const intervalsMax = 3;
const forgottenMs = 60 * 60_000;

interface Last {
  at: number;
}

/** When each GPU, instance and member was last sampled, and so how long a sample stands for. */
export class Spans {
  readonly #everyMs: number;
  readonly #last = new Map<string, Last>();
  #sweptAt = 0;

  constructor(everyMs: number) {
    this.#everyMs = everyMs;
  }

  /** Since the sample before; undefined for a sample that is known already. */
  of(name: string, at: number): number | undefined {
    const last = this.#last.get(name);
    if (last === undefined) {
      this.#last.set(name, { at });
      return this.#everyMs;
    }
    if (at <= last.at) return undefined;
    const span = Math.min(at - last.at, intervalsMax * this.#everyMs);
    last.at = at;
    return span;
  }

  /** Leases and instances come and go; their names are not kept for ever. */
  forgetOld(now: number): void {
    if (now < this.#sweptAt + forgottenMs) return;
    this.#sweptAt = now;
    for (const [name, { at }] of this.#last) if (at < now - forgottenMs) this.#last.delete(name);
  }
}
