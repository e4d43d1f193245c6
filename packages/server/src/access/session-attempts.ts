/** Wrong passwords that cost nothing yet, and how long the wait may get after more of them. */
const freeAttempts = 5;
const waitMsMax = 15 * 60_000;
const forgetMs = 60 * 60_000;
const namesMax = 10_000;

interface Failures {
  count: number;
  at: number;
}

/**
 * Wrong passwords by login name and address: each beyond the fifth doubles the wait before the next try. The address
 * counts too, so that guessing from elsewhere cannot lock a user out. Unknown names are treated alike.
 */
export class SignInAttempts {
  readonly #failures = new Map<string, Failures>();

  /** 0, or how long to wait before the next attempt counts. `now` is monotonic. */
  waitMs(name: string, address: string, now: number): number {
    const failed = this.#failures.get(`${address} ${name}`);
    if (failed === undefined || failed.count < freeAttempts) return 0;
    const wait = Math.min(waitMsMax, 1000 * 2 ** (failed.count - freeAttempts));
    return Math.max(0, Math.ceil(failed.at + wait - now));
  }

  failed(name: string, address: string, now: number): void {
    const key = `${address} ${name}`;
    const count = (this.#failures.get(key)?.count ?? 0) + 1;
    // Put last again: the map is in the order of the last failure, oldest first.
    this.#failures.delete(key);
    this.#failures.set(key, { count, at: now });
    for (const [oldest, { at }] of this.#failures) {
      if (this.#failures.size <= namesMax && now - at < forgetMs) break;
      this.#failures.delete(oldest);
    }
  }

  /** The wait begins with the answer, which may have taken a while. */
  answered(name: string, address: string, now: number): void {
    const failed = this.#failures.get(`${address} ${name}`);
    if (failed !== undefined) failed.at = now;
  }

  succeeded(name: string, address: string): void {
    this.#failures.delete(`${address} ${name}`);
  }

  get size(): number {
    return this.#failures.size;
  }
}

/** Passwords that are checked at the same time: each takes 64 MiB and some tenths of a second of a core. */
const checksAtOnce = 2;
const checksWaitingMax = 32;

/** Lets few passwords be checked at once and a few more wait; beyond that there is no room. */
export class CheckQueue {
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  /** The answer, or undefined when too many wait already. */
  async run<Answer>(act: () => Promise<Answer>): Promise<Answer | undefined> {
    if (this.#running >= checksAtOnce) {
      if (this.#waiting.length >= checksWaitingMax) return undefined;
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    } else this.#running++;
    try {
      return await act();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#running--;
      else next();
    }
  }
}
