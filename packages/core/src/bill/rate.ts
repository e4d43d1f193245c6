import type { CapacityChange, FloorChange, Usage } from "../meter/usage.ts";
import { hour, type Instant } from "../model/units.ts";
import { Beyond } from "./beyond.ts";
import { Changes } from "./changes.ts";
import { Lending, type Lent } from "./lending.ts";
import { type Payer, Payers, type TenantPayer } from "./payers.ts";
import { floorParts } from "./reserve.ts";
import { Stretches } from "./stretches.ts";

/** What seldom changes: a floor, or how much there is of a model. */
type Term = { readonly floor: FloorChange } | { readonly capacity: CapacityChange };

/** What came together since the last border: an hour, or the beginning of a price. */
export interface Cut {
  readonly fromAt: Instant;
  readonly toAt: Instant;
}

/** Is shown quantities as they are cut. Slots keep what came together until they are settled. */
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
 * Follows who holds what beyond which floor, at every instant of a period, and cuts it at hours and at the borders of
 * prices. Changes may be given in any order as long as they lie ahead of what was rated already; `advance` rates up to
 * an instant. It knows quantities only; what they cost is worked out by `PeriodRating`.
 */
export class Rater {
  readonly payers = new Payers();
  readonly lending: Lending;
  readonly #changes: Changes;
  readonly #stretches = new Stretches();
  readonly #cutter: Cutter;
  readonly #floors = new Map<TenantPayer, { readonly parts: readonly FloorCut[]; since: Instant }>();
  readonly #beyond = new Beyond(this.payers);
  /** Tenants of whom something changed at the present instant, so many of them; what comes after is of before. */
  readonly #dirty: TenantPayer[] = [];
  #dirtyCount = 0;
  /** By time, from `#nextTerm` on; sorted when they are first needed. */
  readonly #terms: { readonly at: Instant; readonly term: Term }[] = [];
  #nextTerm = 0;
  #termAt: Instant = Number.POSITIVE_INFINITY;
  #termsSorted = true;
  readonly #toAt: Instant;
  readonly #see = (withinHour: number, no: number) => this.#take(withinHour, no);
  #hourAt: Instant = 0;
  /** Where the present cut began. */
  #cutAt: Instant;

  constructor({ fromAt, toAt }: Cut, cutter: Cutter) {
    this.payers.slots.clock[0] = fromAt;
    this.#cutAt = fromAt;
    this.#toAt = toAt;
    this.#changes = new Changes(fromAt);
    this.lending = new Lending(fromAt, this.payers);
    this.#cutter = cutter;
  }

  /** Everything before this instant is rated. */
  get ratedUntil(): Instant {
    return this.#at;
  }

  get #at(): Instant {
    return this.payers.slots.clock[0]!;
  }

  set #at(at: Instant) {
    this.payers.slots.clock[0] = at;
  }

  /** One stretch of a lease. What was before the first instant counts from then. */
  use(usage: Usage): void {
    const begins = Math.max(usage.fromAt, this.#at);
    if (usage.toAt <= begins) return;
    const units = usage.gpus.length * usage.unitsEach;
    const no = this.#stretches.add(this.payers.slot(usage), units, usage.cpusMilli, usage.memoryMiB);
    this.#changes.put(begins, 2 * no);
    if (usage.toAt < this.#toAt) this.#changes.put(usage.toAt, 2 * no + 1);
  }

  promise(floor: FloorChange): void {
    this.#putTerm(floor.at, { floor });
  }

  provide(capacity: CapacityChange): void {
    this.#putTerm(capacity.at, { capacity });
  }

  #putTerm(at: Instant, term: Term): void {
    const from = Math.max(at, this.#at);
    this.#terms.push({ at: from, term });
    this.#termAt = Math.min(this.#termAt, from);
    this.#termsSorted = false;
  }

  /** Rates up to `to`; hours are cut on the way. */
  advance(to: Instant): void {
    for (let end = nextHour(this.#at); ; end = nextHour(end)) {
      const until = Math.min(end, to);
      this.#hourAt = end - hour;
      this.#changes.takeBefore(until, this.#see);
      this.#takeTerms(until - 1);
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
    this.#cutAt = at;
    this.#cutter.cut(cut, this.lending.take());
  }

  /** Shows every slot of a tenant that held anything since the last time, with all that came together; nothing is left. */
  settle(tenant: TenantPayer, see: (slot: number) => void): void {
    const { slots } = this.payers;
    let kept = 0;
    for (const slot of tenant.live) {
      slots.settleHeld(slot);
      slots.settleBeyond(slot);
      see(slot);
      slots.clearSums(slot);
      const live = slots.holdsAnything(slot);
      slots.setLive(slot, live);
      if (live) tenant.live[kept++] = slot;
    }
    tenant.live.length = kept;
  }

  /** Shows what floors came to, up to here. */
  endFloors(): void {
    for (const tenant of this.payers.tenants) this.#endFloors(tenant);
  }

  #endFloors(tenant: TenantPayer): void {
    const floors = this.#floors.get(tenant);
    if (floors === undefined || floors.since === this.#at) return;
    this.#cutter.reserved({ fromAt: floors.since, toAt: this.#at }, floors.parts);
    floors.since = this.#at;
  }

  /** One change of who holds what: a stretch begins (even) or ends (odd). */
  #take(withinHour: number, no: number): void {
    const at = this.#hourAt + withinHour;
    if (at > this.#at) {
      if (this.#termAt <= at) this.#takeTerms(at);
      this.#redivide();
      this.#at = at;
    }
    const stretches = this.#stretches;
    const stretch = no >>> 1;
    const slot = stretches.slot(stretch);
    const sign = (no & 1) === 0 ? 1 : -1;
    this.#hold(
      slot,
      sign * stretches.units(stretch),
      sign * stretches.cpusMilli(stretch),
      sign * stretches.memoryMiB(stretch),
    );
    if (sign < 0) stretches.drop(stretch);
  }

  /** Floors and capacity that change up to `last`, which is included. */
  #takeTerms(last: Instant): void {
    if (!this.#termsSorted) this.#sortTerms();
    for (; this.#nextTerm < this.#terms.length && this.#terms[this.#nextTerm]!.at <= last; this.#nextTerm++) {
      const { at, term } = this.#terms[this.#nextTerm]!;
      if (at > this.#at) {
        this.#redivide();
        this.#at = at;
      }
      if ("floor" in term) {
        const { tenant } = this.payers.at(term.floor.account);
        this.#touch(tenant);
        this.#endFloors(tenant);
        this.payers.promise(term.floor);
        this.#floors.set(tenant, { parts: floorParts(tenant), since: at });
      } else {
        this.lending.settle(at);
        this.lending.capacity(term.capacity.model, term.capacity.unitsAdded);
      }
    }
    this.#termAt = this.#terms[this.#nextTerm]?.at ?? Number.POSITIVE_INFINITY;
  }

  #sortTerms(): void {
    this.#terms.splice(0, this.#nextTerm);
    this.#nextTerm = 0;
    this.#terms.sort((a, b) => a.at - b.at);
    this.#termsSorted = true;
  }

  #hold(slot: number, units: number, cpusMilli: number, memoryMiB: number): void {
    const { slots } = this.payers;
    const tenant = slots.tenants[slot]!;
    this.#touch(tenant);
    if (!slots.isLive(slot)) {
      slots.setLive(slot, true);
      tenant.live.push(slot);
    }
    slots.settleHeld(slot);
    slots.addHeld(slot, cpusMilli, memoryMiB);
    this.payers.count(slot, units);
  }

  #touch(tenant: TenantPayer): void {
    if (tenant.isDirty) return;
    tenant.isDirty = true;
    this.#dirty[this.#dirtyCount++] = tenant;
  }

  /** After all changes of one instant: who is beyond what, and who lends. */
  #redivide(): void {
    if (this.#dirtyCount === 0) return;
    this.lending.settle(this.#at);
    for (let i = 0; i < this.#dirtyCount; i++) {
      const tenant = this.#dirty[i]!;
      this.#beyond.divide(tenant);
      this.lending.set(tenant);
      tenant.isDirty = false;
    }
    this.#dirtyCount = 0;
  }
}

function nextHour(at: Instant): Instant {
  return (Math.floor(at / hour) + 1) * hour;
}
