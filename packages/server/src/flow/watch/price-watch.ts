import { day, hour, type Instant } from "@tessera/core";
import type { Clock } from "@tessera/engine";
import { windowsBetween } from "../bill/periods.ts";
import type { Asker, ControlPlane } from "../control.ts";
import { Lookout } from "./lookout.ts";

/** How far ahead the core is told what times of day cost, and how much of it may be used up before it is told again. */
const aheadMs = 8 * day;
const leastMs = 7 * day;
const system: Asker = { actor: { user: "system" }, request: "price-watch" };

type Watched = Pick<ControlPlane, "state" | "now" | "ask">;

/** Tells the core, which knows no zones, what the times of day of price lists are as instants. */
export class PriceWatch extends Lookout {
  readonly #control: Watched;

  constructor(control: Watched, clock: Clock) {
    super(clock, hour);
    this.#control = control;
  }

  override start(): void {
    void this.look().catch(() => {}); // jobs with a max_price wait until prices are known
    super.start();
  }

  async look(): Promise<Instant> {
    await foreseePrices(this.#control);
    return this.#control.now() + hour;
  }
}

/** Tells the core the price windows ahead; `again` repeats it after a price list was added. */
export async function foreseePrices(control: Watched, again = false): Promise<void> {
  const { versions, ahead } = control.state.books;
  if (!versions.some(({ timesOfDay }) => timesOfDay.length > 0)) return;
  const fromAt = control.now();
  if (!again && ahead.toAt - fromAt >= leastMs && ahead.fromAt <= fromAt) return;
  const toAt = fromAt + aheadMs;
  const windows = windowsBetween(versions, fromAt, toAt);
  await control.ask({ kind: "price.foresee", ahead: { fromAt, toAt, windows } }, system);
}
