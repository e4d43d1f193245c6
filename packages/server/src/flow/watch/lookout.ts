import type { Instant } from "@tessera/core";
import type { Clock } from "@tessera/engine";

/** Looks at something again and again, each time when the look before has said; a look that fails is repeated. */
export abstract class Lookout {
  readonly #clock: Clock;
  readonly #everyMs: number;
  #cancel: () => void = () => {};
  #stopped = false;

  /** `everyMs` is the longest time between two looks. */
  constructor(clock: Clock, everyMs: number) {
    this.#clock = clock;
    this.#everyMs = everyMs;
  }

  /** Looks once; answers when it should look again. */
  abstract look(): Promise<Instant>;

  start(): void {
    this.#later(this.#clock.now() + this.#everyMs);
  }

  stop(): void {
    this.#stopped = true;
    this.#cancel();
  }

  #later(at: Instant): void {
    if (this.#stopped) return;
    this.#cancel = this.#clock.at(at, () => {
      const begun = this.#clock.now();
      const soonest = () => restUntil(begun, this.#clock.now());
      this.look()
        .then((next) => this.#later(Math.max(Math.min(next, begun + this.#everyMs), soonest())))
        .catch(() => this.#later(Math.max(this.#clock.now() + this.#everyMs, soonest())));
    });
  }
}

/** Looks are taken on the thread that answers requests: they take at most a twentieth of the time. */
function restUntil(begun: Instant, ended: Instant): Instant {
  return ended + 19 * (ended - begun);
}
