import type { CapacityChange, FloorChange, Usage } from "../meter/usage.ts";
import { hour, type Instant } from "../model/units.ts";
import { Beyond } from "./beyond.ts";
import { Changes } from "./changes.ts";
import { Lending, type Lent } from "./lending.ts";
import { type Payer, Payers, type Slot, settleBeyond, settleHeld, type TenantPayer } from "./payers.ts";
import { floorParts } from "./reserve.ts";

interface Held {
  readonly slot: Slot;
  readonly units: number;
  readonly cpus: number;
  readonly memory: number;
}

type Change = Held | { readonly floor: FloorChange } | { readonly capacity: CapacityChange };

/** What came together since the last border: an hour, or the beginning of a price. */
export interface Cut {
  readonly fromAt: Instant;
  readonly toAt: Instant;
}

/** Is shown quantities as they are cut. Slots keep what came together until their price ends. */
export interface Cutter {
  /** At the end of each hour, and wherever a price changes: what came together since the last time. */
  cut(cut: Cut, lent: readonly Lent[]): void;
  /** Floors that were the same all the time, when they change or their price does. */
  reserved(span: Cut, floors: readonly FloorCut[]): void;
}

/** One account's own part of a floor, and how many units it is. */
export interface FloorCut {
  readonly payer: Payer;
  readonly entry: string;
  readonly units: number;
}

/**
 * Follows who holds what beyond which floor, at every instant, and cuts it at hours and at the borders of prices.
 * Changes may be given in any order as long as they lie ahead of what was rated already; `advance` rates up to an
 * instant. It knows quantities only; what they cost is worked out by `PeriodRating`.
 */
export class Rater {
  readonly payers: Payers;
  readonly lending: Lending;
  readonly #changes = new Changes<Change>();
  readonly #cutter: Cutter;
  readonly #floors = new Map<TenantPayer, { readonly parts: readonly FloorCut[]; since: Instant }>();
  readonly #beyond = new Beyond();
  readonly #dirty: TenantPayer[] = [];
  #at: Instant;
  /** Where the present cut began. */
  #cutAt: Instant;

  constructor(from: Instant, cutter: Cutter) {
    this.#at = from;
    this.#cutAt = from;
    this.payers = new Payers();
    this.lending = new Lending(from, this.payers.models);
    this.#cutter = cutter;
  }

  /** Everything before this instant is rated. */
  get ratedUntil(): Instant {
    return this.#at;
  }

  /** One stretch of a lease. What was before the first instant counts from then. */
  use(usage: Usage): void {
    if (usage.toAt <= Math.max(usage.fromAt, this.#at)) return;
    const units = usage.gpus.length * usage.unitsEach;
    const held = { slot: this.payers.slot(usage), units, cpus: usage.cpusMilli, memory: usage.memoryMiB };
    this.#put(usage.fromAt, held, false);
    this.#put(usage.toAt, held, true);
  }

  promise(floor: FloorChange): void {
    this.#put(floor.at, { floor }, false);
  }

  provide(capacity: CapacityChange): void {
    this.#put(capacity.at, { capacity }, false);
  }

  #put(at: Instant, change: Change, ends: boolean): void {
    this.#changes.put(Math.max(at, this.#at), change, ends);
  }

  /** Rates up to `to`, an end of hours and prices being cut on the way by whoever calls: see `cut`. */
  advance(to: Instant): void {
    for (let end = nextHour(this.#at); ; end = nextHour(end)) {
      const until = Math.min(end, to);
      this.#changes.takeBefore(until, (at, change, ends) => this.#take(at, change, ends));
      this.#redivide();
      this.#at = Math.max(this.#at, until);
      if (until === end) this.cut();
      if (until >= to) return;
    }
  }

  /** Ends the present cut here and shows it. */
  cut(): void {
    const at = this.#at;
    if (at === this.#cutAt) return;
    this.lending.settle(at);
    const cut = { fromAt: this.#cutAt, toAt: at };
    this.#cutter.cut(cut, this.lending.take());
    this.#cutAt = at;
  }

  /** Brings every slot that held anything up to now; those that hold nothing any more need no look from then on. */
  settle(see?: (slot: Slot) => void): void {
    for (const tenant of this.payers.tenants) {
      let kept = 0;
      for (const slot of tenant.live) {
        settleHeld(slot, this.#at);
        settleBeyond(slot, this.#at);
        see?.(slot);
        if (!slot.isDue) {
          slot.isDue = true;
          tenant.due.push(slot);
        }
        slot.isLive = slot.units > 0 || slot.cpusMilli > 0 || slot.memoryMiB > 0;
        if (slot.isLive) tenant.live[kept++] = slot;
      }
      tenant.live.length = kept;
    }
  }

  /** Ends the present price here: the cut, and all floors. */
  endPrice(): void {
    this.cut();
    this.settle();
    for (const tenant of this.payers.tenants) this.#endFloors(tenant);
  }

  /** The floors of now, divided among the accounts that they belong to. */
  floorsOf(tenant: TenantPayer): readonly FloorCut[] {
    return this.#floors.get(tenant)?.parts ?? [];
  }

  #endFloors(tenant: TenantPayer): void {
    const floors = this.#floors.get(tenant);
    if (floors === undefined || floors.since === this.#at) return;
    this.#cutter.reserved({ fromAt: floors.since, toAt: this.#at }, floors.parts);
    floors.since = this.#at;
  }

  #take(at: Instant, change: Change, ends: boolean): void {
    if (at > this.#at) {
      this.#redivide();
      this.#at = at;
    }
    if ("slot" in change) {
      this.#hold(change, ends ? -1 : 1);
    } else if ("floor" in change) {
      const { tenant } = this.payers.at(change.floor.account);
      this.#touch(tenant);
      this.#endFloors(tenant);
      this.payers.promise(change.floor, at);
      this.#floors.set(tenant, { parts: floorParts(tenant), since: at });
    } else {
      this.lending.settle(at);
      this.lending.capacity(change.capacity.model, change.capacity.unitsAdded);
    }
  }

  #hold({ slot, units, cpus, memory }: Held, sign: 1 | -1): void {
    const { tenant } = slot.payer;
    this.#touch(tenant);
    if (!slot.isLive) {
      slot.isLive = true;
      tenant.live.push(slot);
    }
    settleHeld(slot, this.#at);
    slot.cpusMilli += sign * cpus;
    slot.memoryMiB += sign * memory;
    this.payers.count(slot, sign * units, this.#at);
  }

  #touch(tenant: TenantPayer): void {
    if (tenant.dirty) return;
    tenant.dirty = true;
    this.#dirty.push(tenant);
  }

  /** After all changes of one instant: who is beyond what, and who lends. */
  #redivide(): void {
    if (this.#dirty.length === 0) return;
    this.lending.settle(this.#at);
    for (const tenant of this.#dirty) {
      this.#beyond.divide(tenant, this.#at);
      this.lending.set(tenant);
      tenant.dirty = false;
    }
    this.#dirty.length = 0;
  }
}

function nextHour(at: Instant): Instant {
  return (Math.floor(at / hour) + 1) * hour;
}
