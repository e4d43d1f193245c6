import type { ControlPlane } from "../control.ts";
import { Slices } from "../slices.ts";
import type { Reasons } from "./reasons.ts";
import { type Tally, tally } from "./tally.ts";

/** Counting again waits for this many times as long as counting took: it never takes more than a tenth of a thread. */
const restTimes = 9;

/** The newest count, shared by all that ask: however many look, the state is counted once. */
export class Tallies {
  readonly #control: Pick<ControlPlane, "state" | "now">;
  readonly #reasons: Reasons;
  readonly #columnsMax: number;
  #counting: Promise<Tally> | undefined;
  #freshUntil = 0;

  constructor(control: Pick<ControlPlane, "state" | "now">, reasons: Reasons, columnsMax: number) {
    this.#control = control;
    this.#reasons = reasons;
    this.#columnsMax = columnsMax;
  }

  newest(): Promise<Tally> {
    if (this.#counting === undefined || performance.now() >= this.#freshUntil) this.#counting = this.#count();
    return this.#counting;
  }

  async #count(): Promise<Tally> {
    this.#freshUntil = Number.POSITIVE_INFINITY; // the count under way serves all that ask meanwhile
    const slices = new Slices();
    try {
      return await tally(this.#control.state, this.#control.now(), this.#reasons, slices, this.#columnsMax);
    } finally {
      this.#freshUntil = performance.now() + restTimes * slices.spentMs;
    }
  }
}
