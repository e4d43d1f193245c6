import { chancesOf, type Largest } from "./chances.ts";
import { FleetWorth, type RoomCounts, type Unplaced } from "./fleet-worth.ts";
import { Mix } from "./mix.ts";
import type { ArrivalShape } from "./shape.ts";

/** Worth is computed again when the arrivals have grown by this factor. */
const growth = 1.25;
const arrivalsBetweenMin = 20;
const arrivalsBetweenMax = 4096;
/** The change of the allocated share of the fleet after which it is computed again. */
const allocatedShare = 0.02;

/** The fleet at one moment. */
export interface FleetView {
  readonly models: number;
  readonly largest: Largest;
  readonly capacityUnits: number;
  readonly allocatedUnits: number;
  readonly rooms: () => RoomCounts;
}

/** Learns what arrives, and computes the worth of room from it when enough has changed. */
export class WorthLearner {
  readonly mix = new Mix();
  readonly #unplaced: Unplaced;
  #worth: FleetWorth | undefined;
  #arrivals = 0;
  #nextAt = 0;
  #allocatedUnits = 0;

  constructor(unplaced: Unplaced) {
    this.#unplaced = unplaced;
  }

  arrive(shape: ArrivalShape): void {
    this.mix.add(shape);
    this.#arrivals++;
  }

  /** The present worth of room; the same object while little has changed, so that callers can cache costs. */
  worth(fleet: FleetView): FleetWorth {
    const allocated = Math.abs(fleet.allocatedUnits - this.#allocatedUnits);
    const due = this.#arrivals >= this.#nextAt || allocated > allocatedShare * fleet.capacityUnits;
    if (this.#worth !== undefined && !due) return this.#worth;
    if (this.#arrivals >= this.#nextAt) {
      const more = Math.max(Math.floor((growth - 1) * this.#arrivals), arrivalsBetweenMin);
      this.#nextAt = this.#arrivals + Math.min(more, arrivalsBetweenMax);
    }
    this.#allocatedUnits = fleet.allocatedUnits;
    const fill = fleet.capacityUnits === 0 ? 0 : fleet.allocatedUnits / fleet.capacityUnits;
    this.#worth = FleetWorth.weigh(
      chancesOf(this.mix, fleet.largest, fill),
      fleet.models,
      fleet.rooms(),
      this.#unplaced,
    );
    return this.#worth;
  }
}
