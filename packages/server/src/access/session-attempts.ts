import { networksOf } from "./networks.ts";

/** One attempt to sign in with a password. */
export interface Attempt {
  readonly name: string;
  readonly address: string;
  /** A browser in which this user has signed in before. */
  readonly device: string | undefined;
}

interface Budget {
  /** Wrong passwords that cost nothing; each beyond doubles the wait, up to `waitMsMax`. */
  readonly free: number;
  readonly waitMsMax: number;
  /** One failure is forgotten after this long. */
  readonly forgivenMs: number;
}

const second = 1_000;
const minute = 60 * second;

/** For one name from one network, or in one known browser: a person who mistypes. */
const pairBudget: Budget = { free: 5, waitMsMax: 15 * minute, forgivenMs: 15 * minute };
/** For all names from one network: a program that tries one password on many names. */
const nearBudget: Budget = { free: 30, waitMsMax: minute, forgivenMs: minute };
const wideBudget: Budget = { free: 100, waitMsMax: minute, forgivenMs: 20 * second };
/** For one name from all networks: a program that has many addresses. */
const nameBudget: Budget = { free: 200, waitMsMax: minute, forgivenMs: 30 * second };
/** So many failures for a name from all networks, and a network that is new to it has one free attempt and not five. */
const crowdedAt = 20;
const crowdedBudget: Budget = { ...pairBudget, free: 1 };

const keysMax = 10_000;

interface Failures {
  count: number;
  at: number;
}

/** Failures by key, which fade. In the order of the last failure, oldest first. */
class Tally {
  readonly #failures = new Map<string, Failures>();

  count(key: string, { forgivenMs }: Budget, now: number): number {
    const failed = this.#failures.get(key);
    return failed === undefined ? 0 : Math.max(0, failed.count - Math.floor((now - failed.at) / forgivenMs));
  }

  waitMs(key: string, budget: Budget, now: number): number {
    const count = this.count(key, budget, now);
    if (count < budget.free) return 0;
    const wait = Math.min(budget.waitMsMax, second * 2 ** Math.min(30, count - budget.free));
    return Math.max(0, Math.ceil((this.#failures.get(key)?.at ?? now) + wait - now));
  }

  add(key: string, budget: Budget, now: number): void {
    const count = this.count(key, budget, now) + 1;
    this.#failures.delete(key);
    this.#failures.set(key, { count, at: now });
    if (this.#failures.size > keysMax) this.#failures.delete(this.#failures.keys().next().value ?? key);
  }

  /** The wait begins with the answer, which may have taken a while. */
  touch(key: string, now: number): void {
    const failed = this.#failures.get(key);
    if (failed !== undefined) failed.at = now;
  }

  clear(key: string): void {
    this.#failures.delete(key);
  }

  get size(): number {
    return this.#failures.size;
  }
}

/**
 * Wrong passwords by name, by network and by both. A browser in which the user has signed in before has a budget of its
 * own, which nothing from elsewhere uses up; unknown names are treated alike.
 */
export class SignInAttempts {
  readonly #pairs = new Tally();
  readonly #near = new Tally();
  readonly #wide = new Tally();
  readonly #names = new Tally();

  /** 0, or how long to wait before the next attempt counts. `now` is monotonic. */
  waitMs(attempt: Attempt, now: number): number {
    const pair = pairOf(attempt);
    if (attempt.device !== undefined) return this.#pairs.waitMs(pair, pairBudget, now);
    const { near, wide } = networksOf(attempt.address);
    const isCrowded = this.#names.count(attempt.name, nameBudget, now) >= crowdedAt;
    return Math.max(
      this.#pairs.waitMs(pair, isCrowded ? crowdedBudget : pairBudget, now),
      this.#near.waitMs(near, nearBudget, now),
      this.#wide.waitMs(wide, wideBudget, now),
      this.#names.waitMs(attempt.name, nameBudget, now),
    );
  }

  failed(attempt: Attempt, now: number): void {
    this.#pairs.add(pairOf(attempt), pairBudget, now);
    if (attempt.device !== undefined) return;
    const { near, wide } = networksOf(attempt.address);
    this.#near.add(near, nearBudget, now);
    this.#wide.add(wide, wideBudget, now);
    this.#names.add(attempt.name, nameBudget, now);
  }

  answered(attempt: Attempt, now: number): void {
    this.#pairs.touch(pairOf(attempt), now);
  }

  /** Only the pair is cleared: one's own password must not pay for guessing those of others. */
  succeeded(attempt: Attempt): void {
    this.#pairs.clear(pairOf(attempt));
  }

  get size(): number {
    return Math.max(this.#pairs.size, this.#near.size, this.#wide.size, this.#names.size);
  }
}

function pairOf({ name, address, device }: Attempt): string {
  return device === undefined ? `${networksOf(address).near} ${name}` : `device ${device} ${name}`;
}

/** Passwords that are checked at the same time: each takes 64 MiB and some tenths of a second of a core. */
const checksAtOnce = 2;
const checksWaitingMax = 32;
const waitingPerNetworkMax = 4;

interface Turn {
  readonly network: string;
  readonly start: () => void;
}

/**
 * Lets few passwords be checked at once and a few more wait; beyond that there is no room. Known browsers go first and
 * have places of their own, and one network takes few, so that a flood does not keep anyone out.
 */
export class CheckQueue {
  #running = 0;
  readonly #known: Turn[] = [];
  readonly #others: Turn[] = [];

  /** The answer, or undefined when too many wait already. */
  async run<Answer>(
    { address, device }: Pick<Attempt, "address" | "device">,
    act: () => Promise<Answer>,
  ): Promise<Answer | undefined> {
    const network = device ?? networksOf(address).near;
    const line = device === undefined ? this.#others : this.#known;
    if (this.#running >= checksAtOnce) {
      const same = line.filter((turn) => turn.network === network).length;
      if (line.length >= checksWaitingMax || same >= waitingPerNetworkMax) return undefined;
      await new Promise<void>((start) => line.push({ network, start }));
    } else this.#running++;
    try {
      return await act();
    } finally {
      const next = this.#known.shift() ?? this.#others.shift();
      if (next === undefined) this.#running--;
      else next.start();
    }
  }
}
