/** How many requests may come at once, and how many each second after that. */
export interface Rate {
  readonly burst: number;
  readonly perSecond: number;
}

interface Bucket {
  tokens: number;
  at: number;
}

const forgetEveryMs = 60_000;

/** A token bucket for each caller, in memory. Buckets that are full again are forgotten. */
export class RateLimit {
  readonly #rate: Rate;
  readonly #buckets = new Map<string, Bucket>();
  #forgottenAt = 0;

  constructor(rate: Rate) {
    this.#rate = rate;
  }

  /** Takes one; answers 0, or after how many milliseconds there will be one. `now` is monotonic. */
  take(caller: string, now: number): number {
    const { burst, perSecond } = this.#rate;
    let bucket = this.#buckets.get(caller);
    if (bucket === undefined) {
      bucket = { tokens: burst, at: now };
      this.#buckets.set(caller, bucket);
    }
    bucket.tokens = Math.min(burst, bucket.tokens + ((now - bucket.at) / 1000) * perSecond);
    bucket.at = now;
    if (now - this.#forgottenAt > forgetEveryMs) this.#forget(now);
    if (bucket.tokens < 1) return Math.ceil(((1 - bucket.tokens) / perSecond) * 1000);
    bucket.tokens--;
    return 0;
  }

  get size(): number {
    return this.#buckets.size;
  }

  #forget(now: number): void {
    const fullAfterMs = (this.#rate.burst / this.#rate.perSecond) * 1000;
    for (const [caller, bucket] of this.#buckets) if (now - bucket.at >= fullAfterMs) this.#buckets.delete(caller);
    this.#forgottenAt = now;
  }
}
