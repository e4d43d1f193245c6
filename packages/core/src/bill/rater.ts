import type { CapacityChange, FloorChange, Usage } from "../meter/usage.ts";
import { hour, type Instant } from "../model/units.ts";
import { BurstSplit } from "./burst-split.ts";
import { Changes } from "./changes.ts";
import { Lending, type Lent } from "./lending.ts";
import type { TenantPayer } from "./payer.ts";
import { Payers } from "./payers.ts";
import { type FloorPart, floorParts } from "./reserve.ts";
import { UsagePool } from "./usage-pool.ts";

/** A change of a floor or of capacity; both are rare. */
type Term = { readonly floor: FloorChange } | { readonly capacity: CapacityChange };

/** A span that is rated as one: it ends at a full hour, or where a price changes. */
export interface Cut {
  readonly fromAt: Instant;
  readonly toAt: Instant;
}

/** Receives quantities as they are cut. The sums of holdings stay where they are until `Rater.settle`. */
export interface Cutter {
  /** Called at the end of each hour and wherever a price changes, with what tenants lent since the last cut. */
  cut(cut: Cut, lent: readonly Lent[]): void;
  /** Called when a floor or its price changes, with the parts of the floor that held throughout `span`. */
  reserved(span: Cut, floors: readonly FloorPart[]): void;
}

/**
 * Computes how much each account holds beyond its floor at every instant of a period, cut at full hours and where
 * prices change. Usage and changes may come in any order, as long as they are later than what was rated already;
 * `advance` rates up to an instant. The rater knows quantities only; `PeriodRating` prices them.
 */
export class Rater {
  readonly payers = new Payers();
  readonly lending: Lending;
  readonly #changes: Changes;
  readonly #usages = new UsagePool();
  readonly #cutter: Cutter;
  readonly #floors = new Map<TenantPayer, { readonly parts: readonly FloorPart[]; since: Instant }>();
  readonly #burstSplit = new BurstSplit(this.payers);
  /** The first `#dirtyCount` entries are the tenants with a change at the present instant; the others are stale. */
  readonly #dirty: TenantPayer[] = [];
  #dirtyCount = 0;
  /** Changes of floors and capacity; those from `#nextTerm` on lie ahead. Sorted by time when they are first needed. */
  readonly #terms: { readonly at: Instant; readonly term: Term }[] = [];
  #nextTerm = 0;
  #termAt: Instant = Number.POSITIVE_INFINITY;
  #termsSorted = true;
  readonly #toAt: Instant;
  readonly #see = (withinHour: number, no: number) => this.#take(withinHour, no);
  #hourAt: Instant = 0;
  /** When the present cut began. */
  #cutAt: Instant;

  constructor({ fromAt, toAt }: Cut, cutter: Cutter) {
    this.payers.holdings.clock[0] = fromAt;
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
    return this.payers.holdings.clock[0]!;
  }

  set #at(at: Instant) {
    this.payers.holdings.clock[0] = at;
  }

  /** Adds a usage. The part before `ratedUntil` does not count. */
  use(usage: Usage): void {
    const begins = Math.max(usage.fromAt, this.#at);
    if (usage.toAt <= begins) return;
    const units = usage.gpus.length * usage.unitsEach;
    const no = this.#usages.add(this.payers.holdingFor(usage), units, usage.cpusMilli, usage.memoryMiB);
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

  /** Rates up to `to` and cuts at each full hour on the way. */
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

  /** Ends the present cut at `ratedUntil`. */
  cut(): void {
    const at = this.#at;
    if (at === this.#cutAt) return;
    this.lending.settle(at);
    const cut = { fromAt: this.#cutAt, toAt: at };
    this.#cutAt = at;
    this.#cutter.cut(cut, this.lending.take());
  }

  /** Completes and shows every holding of a tenant that was not empty since the last call, then clears its sums. */
  settle(tenant: TenantPayer, see: (holding: number) => void): void {
    const { holdings } = this.payers;
    let kept = 0;
    for (const holding of tenant.live) {
      holdings.settleHeld(holding);
      holdings.settleBurst(holding);
      see(holding);
      holdings.clearSums(holding);
      const live = holdings.holdsAnything(holding);
      holdings.setLive(holding, live);
      if (live) tenant.live[kept++] = holding;
    }
    tenant.live.length = kept;
  }

  /** Reports all floors up to `ratedUntil`. */
  endFloors(): void {
    for (const tenant of this.payers.tenants) this.#endFloors(tenant);
  }

  #endFloors(tenant: TenantPayer): void {
    const floors = this.#floors.get(tenant);
    if (floors === undefined || floors.since === this.#at) return;
    this.#cutter.reserved({ fromAt: floors.since, toAt: this.#at }, floors.parts);
    floors.since = this.#at;
  }

  /** A usage begins (even number) or ends (odd number). */
  #take(withinHour: number, no: number): void {
    const at = this.#hourAt + withinHour;
    if (at > this.#at) {
      if (this.#termAt <= at) this.#takeTerms(at);
      this.#redivide();
      this.#at = at;
    }
    const usages = this.#usages;
    const usage = no >>> 1;
    const holding = usages.holding(usage);
    const sign = (no & 1) === 0 ? 1 : -1;
    this.#hold(holding, sign * usages.units(usage), sign * usages.cpusMilli(usage), sign * usages.memoryMiB(usage));
    if (sign < 0) usages.drop(usage);
  }

  /** Applies changes of floors and capacity up to and including `last`. */
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

  #hold(holding: number, units: number, cpusMilli: number, memoryMiB: number): void {
    const { holdings } = this.payers;
    const tenant = holdings.tenants[holding]!;
    this.#touch(tenant);
    if (!holdings.isLive(holding)) {
      holdings.setLive(holding, true);
      tenant.live.push(holding);
    }
    holdings.settleHeld(holding);
    holdings.addHeld(holding, cpusMilli, memoryMiB);
    this.payers.count(holding, units);
  }

  #touch(tenant: TenantPayer): void {
    if (tenant.isDirty) return;
    tenant.isDirty = true;
    this.#dirty[this.#dirtyCount++] = tenant;
  }

  /** Call after all changes of one instant: updates the excess of the changed tenants, and what is lent. */
  #redivide(): void {
    if (this.#dirtyCount === 0) return;
    this.lending.settle(this.#at);
    for (let i = 0; i < this.#dirtyCount; i++) {
      const tenant = this.#dirty[i]!;
      this.#burstSplit.divide(tenant);
      this.lending.set(tenant);
      tenant.isDirty = false;
    }
    this.#dirtyCount = 0;
  }
}

function nextHour(at: Instant): Instant {
  return (Math.floor(at / hour) + 1) * hour;
}
