import { modelMatches } from "../submit/gpus.ts";
import { shareOut } from "./money.ts";
import type { TenantPayer } from "./payers.ts";
import { Tally } from "./tally.ts";

/** Shares of a lender are followed in parts of this. */
const scale = 2 ** 20;

interface Lender {
  idle: number;
  seen: number;
  weight: bigint;
}

/** GPUs of one model; or, as `*`, floors that are not of one model. */
interface Pool {
  readonly model: string;
  capacity: number;
  promised: number;
  borrowed: number;
  idle: number;
  /** How much of the idle floors is lent now. */
  lent: number;
  /** Grows by `lent / idle` of `scale` a millisecond. */
  share: number;
  lentUnitMs: number;
  readonly unused: Tally;
  readonly lenders: Map<TenantPayer, Lender>;
}

/** What a tenant lent of a model in an hour or less. */
export interface Lent {
  readonly tenant: TenantPayer;
  readonly model: string;
  readonly quantity: bigint;
}

/**
 * Who lends: what is borrowed counts as taken from unguaranteed capacity first, then from idle floors in proportion,
 * per model and instant. Floors of any model (`*`) come last. A change costs the same however many tenants lend:
 * each lender's share is worked out only when its own idle floor changes, and at the end of the hour.
 */
export class Lending {
  readonly #pools = new Map<string, Pool>([["*", poolOf("*")]]);
  #at: number;

  constructor(at: number) {
    this.#at = at;
  }

  /** Brings the time up to `at`, at the rates of now. */
  settle(at: number): void {
    const elapsed = at - this.#at;
    if (elapsed <= 0) return;
    this.#at = at;
    for (const pool of this.#pools.values()) {
      if (pool.lent > 0) {
        pool.share += Math.floor((pool.lent * scale) / pool.idle) * elapsed;
        pool.lentUnitMs += pool.lent * elapsed;
      }
      const free = Math.max(0, pool.capacity - pool.promised) - (pool.borrowed - pool.lent);
      if (free > 0) pool.unused.add(free * elapsed);
    }
  }

  capacity(model: string, unitsAdded: number): void {
    this.#pool(model).capacity += unitsAdded;
    this.#weigh();
  }

  /** What a tenant borrows of each model, and what of its floor is idle, by entry. Time has been settled. */
  set(tenant: TenantPayer): void {
    const borrowed = new Map<string, number>();
    for (const slot of tenant.live) {
      if (slot.beyond > 0) borrowed.set(slot.model, (borrowed.get(slot.model) ?? 0) + slot.beyond);
    }
    const { promised, idle } = this.#floorOf(tenant);
    const last = this.#last.get(tenant);
    for (const [model, units] of last?.borrowed ?? []) this.#pool(model).borrowed -= units;
    for (const [model, units] of last?.promised ?? []) this.#pool(model).promised -= units;
    for (const [model, units] of borrowed) this.#pool(model).borrowed += units;
    for (const [model, units] of promised) this.#pool(model).promised += units;
    for (const model of new Set([...(last?.idle.keys() ?? []), ...idle.keys()])) {
      this.#setIdle(this.#pool(model), tenant, idle.get(model) ?? 0);
    }
    this.#last.set(tenant, { borrowed, promised, idle });
    this.#weigh();
  }

  /** What each tenant lent since the last time, in whole unit-milliseconds that add up. */
  take(): Lent[] {
    const found: Lent[] = [];
    for (const pool of this.#pools.values()) {
      const lenders = [...pool.lenders].sort(([a], [b]) => (a.path < b.path ? -1 : 1));
      for (const [, lender] of lenders) follow(pool, lender);
      const followed = lenders.map(([, lender]) => lender.weight);
      // Where so little was lent that no share could be followed, what is idle now decides.
      const weights = followed.some((weight) => weight > 0n) ? followed : lenders.map(([, { idle }]) => BigInt(idle));
      const parts = shareOut(BigInt(pool.lentUnitMs), weights);
      for (const [i, [tenant, lender]] of lenders.entries()) {
        if (parts[i]! > 0n) found.push({ tenant, model: pool.model, quantity: parts[i]! });
        lender.weight = 0n;
        lender.seen = 0;
      }
      pool.share = 0;
      pool.lentUnitMs = 0;
    }
    return found;
  }

  /** Unit-ms of each model that nobody was promised and nobody used, since the last time. */
  takeUnused(): { model: string; quantity: bigint }[] {
    return [...this.#pools.values()]
      .filter((pool) => !pool.unused.isEmpty)
      .map((pool) => ({ model: pool.model, quantity: pool.unused.take() }))
      .sort((a, b) => (a.model < b.model ? -1 : 1));
  }

  readonly #last = new Map<
    TenantPayer,
    {
      readonly borrowed: Map<string, number>;
      readonly promised: Map<string, number>;
      readonly idle: Map<string, number>;
    }
  >();

  #pool(model: string): Pool {
    let pool = this.#pools.get(model);
    if (pool === undefined) {
      pool = poolOf(model);
      this.#pools.set(model, pool);
    }
    return pool;
  }

  /** By pool: what a tenant is promised, and what of that may be lent now. */
  #floorOf(tenant: TenantPayer): { promised: Map<string, number>; idle: Map<string, number> } {
    const promised = new Map<string, number>();
    const idle = new Map<string, number>();
    let overflow = tenant.used[tenant.entries.length] ?? 0;
    let lendable = Number.POSITIVE_INFINITY;
    if (tenant.lendable !== undefined) {
      lendable = 0;
      for (const entry in tenant.lendable) lendable += tenant.lendable[entry]!;
    }
    const lend = (entry: string, units: number, free: number): void => {
      const pool = this.#poolFor(entry);
      promised.set(pool, (promised.get(pool) ?? 0) + units);
      const may = Math.min(free, lendable);
      lendable -= may;
      if (may > 0) idle.set(pool, (idle.get(pool) ?? 0) + may);
    };
    for (const [group, entry] of tenant.entries.entries()) {
      const units = tenant.guarantee[entry]!;
      const used = tenant.used[group] ?? 0;
      lend(entry, units, Math.max(0, units - used));
      overflow += Math.max(0, used - units);
    }
    const any = tenant.guarantee["*"] ?? 0;
    if (any > 0) lend("*", any, Math.max(0, any - overflow));
    return { promised, idle };
  }

  /** The pool of an entry: its own model, the only model of its family, or `*`. */
  #poolFor(entry: string): string {
    if (entry === "*" || this.#pools.has(entry)) return entry;
    const models = [...this.#pools.keys()].filter((model) => model !== "*" && modelMatches(entry, model));
    return models.length === 1 ? models[0]! : "*";
  }

  #setIdle(pool: Pool, tenant: TenantPayer, idle: number): void {
    let lender = pool.lenders.get(tenant);
    if (lender === undefined) {
      if (idle === 0) return;
      lender = { idle: 0, seen: pool.share, weight: 0n };
      pool.lenders.set(tenant, lender);
    }
    follow(pool, lender);
    pool.idle += idle - lender.idle;
    lender.idle = idle;
  }

  /** How much of the idle floors is lent, from now on. */
  #weigh(): void {
    const any = this.#pools.get("*")!;
    let [free, borrowed, named] = [-any.promised, 0, 0];
    for (const pool of this.#pools.values()) {
      if (pool === any) continue;
      free += pool.capacity - pool.promised;
      borrowed += pool.borrowed;
      pool.lent = Math.min(pool.idle, Math.max(0, pool.borrowed - Math.max(0, pool.capacity - pool.promised)));
      named += pool.lent;
    }
    any.lent = Math.min(any.idle, Math.max(0, borrowed - Math.max(0, free) - named));
  }
}

function poolOf(model: string): Pool {
  return {
    ...{ model, capacity: 0, promised: 0, borrowed: 0, idle: 0, lent: 0, share: 0, lentUnitMs: 0 },
    ...{ unused: new Tally(), lenders: new Map() },
  };
}

function follow(pool: Pool, lender: Lender): void {
  const grown = pool.share - lender.seen;
  if (grown > 0 && lender.idle > 0) lender.weight += BigInt(lender.idle) * BigInt(grown);
  lender.seen = pool.share;
}
