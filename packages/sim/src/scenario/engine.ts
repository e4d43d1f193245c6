import type { LeaseId } from "@tessera/core";
import type { LeaseOrder, StopOrder } from "@tessera/engine";
import { SimulatedEngine, type SimulatedFleet } from "@tessera/engine-simulated";

/** Members that use the whole grace when they are evicted, and leave at once for every other reason. */
export class ScenarioEngine extends SimulatedEngine {
  readonly #isEvicted: (lease: LeaseId) => boolean;

  constructor(fleet: SimulatedFleet, isEvicted: (lease: LeaseId) => boolean) {
    super(fleet);
    this.#isEvicted = isEvicted;
  }

  override bind(order: LeaseOrder): Promise<void> {
    return super.bind({ ...order, stop: { ...order.stop, graceMs: 0 } });
  }

  override stop(lease: LeaseId, how: StopOrder): Promise<void> {
    return super.stop(lease, this.#isEvicted(lease) ? how : { ...how, graceMs: 0 });
  }
}
