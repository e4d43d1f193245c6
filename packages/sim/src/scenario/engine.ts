import type { LeaseId } from "@tessera/core";
import type { LeaseOrder, StopOrder } from "@tessera/engine";
import { SimulatedEngine, type SimulatedFleet } from "@tessera/engine-simulated";

/** Members that leave when the scenario says: `graceMs` after they are asked to, and at once at their time limit. */
export class ScenarioEngine extends SimulatedEngine {
  readonly #graceMs: (lease: LeaseId) => number;

  constructor(fleet: SimulatedFleet, graceMs: (lease: LeaseId) => number) {
    super(fleet);
    this.#graceMs = graceMs;
  }

  override bind(order: LeaseOrder): Promise<void> {
    return super.bind({ ...order, stop: { ...order.stop, graceMs: 0 } });
  }

  override stop(lease: LeaseId, how: StopOrder): Promise<void> {
    return super.stop(lease, { ...how, graceMs: this.#graceMs(lease) });
  }
}
