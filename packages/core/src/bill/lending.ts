import { modelMatches } from "../submit/gpus.ts";
import { shareOut } from "./money.ts";
import type { TenantPayer } from "./payers.ts";
import { Tally } from "./tally.ts";

/** Shares of a lender are followed in parts of this. */
const scale = 2 ** 20;

interface Lender {
  readonly tenant: TenantPayer;
  idle: number;
  seen: number;
  readonly weight: Tally;
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
  /** By path; empty until it is asked for, and whenever there is a new one. */
  byPath: Lender[];
}

/** What a tenant counts for in each pool, by the number of the pool. */
interface Standing {
  /** As many pools as there were when the entries of its floor were given to pools. */
  pools: number;
  /** The pool of each entry of its floor. */
  poolOf: readonly number[];
  floor: TenantPayer["guarantee"] | undefined;
  borrowed: number[];
  promised: number[];
  idle: number[];
}

/** What a tenant lent of a model in an hour or less. */
export interface Lent {
  readonly tenant: TenantPayer;
  readonly model: string;
  readonly quantity: bigint;
}

const anyModel = 0;

/**
 * Who lends: what is borrowed counts as taken from unguaranteed capacity first, then from idle floors in proportion,
 * per model and instant. Floors of any model (`*`) come last. A change costs the same however many tenants lend:
 * each lender's share is worked out only when its own idle floor changes, and at the end of the hour.
 */
export class Lending {
  readonly #pools: Pool[] = [poolOf("*")];
  readonly #poolNo = new Map<string, number>([["*", anyModel]]);
  readonly #standings = new Map<TenantPayer, Standing>();
  #at: number;
  #borrowed: number[] = [];
  #promised: number[] = [];
  #idle: number[] = [];

  readonly #models: readonly string[];
  /** By number of the model. */
  readonly #poolByModel: number[] = [];

  constructor(at: number, models: readonly string[]) {
    this.#at = at;
    this.#models = models;
  }

  /** Brings the time up to `at`, at the rates of now. */
  settle(at: number): void {
    const elapsed = at - this.#at;
    if (elapsed <= 0) return;
    this.#at = at;
    for (const pool of this.#pools) {
      if (pool.lent > 0) {
        pool.share += Math.floor((pool.lent * scale) / pool.idle) * elapsed;
        pool.lentUnitMs += pool.lent * elapsed;
      }
      const free = Math.max(0, pool.capacity - pool.promised) - (pool.borrowed - pool.lent);
      if (free > 0) pool.unused.add(free * elapsed);
    }
  }

  capacity(model: string, unitsAdded: number): void {
    this.#pools[this.#noOf(model)]!.capacity += unitsAdded;
    this.#weigh();
  }

  /** What a tenant borrows of each model, and what of its floor is idle. Time has been settled. */
  set(tenant: TenantPayer): void {
    const standing = this.#standingOf(tenant);
    // Before the sums are taken: a model that is borrowed for the first time makes a pool.
    for (let no = 0; no < tenant.borrowed.length; no++) if ((tenant.borrowed[no] ?? 0) > 0) this.#poolOfModel(no);
    const count = this.#pools.length;
    const [borrowed, promised, idle] = [this.#borrowed, this.#promised, this.#idle];
    for (let no = 0; no < count; no++) {
      borrowed[no] = 0;
      promised[no] = 0;
      idle[no] = 0;
    }
    for (let no = 0; no < tenant.borrowed.length; no++) {
      const units = tenant.borrowed[no] ?? 0;
      if (units > 0) borrowed[this.#poolOfModel(no)]! += units;
    }
    floorOf(tenant, standing, promised, idle);
    for (let no = 0; no < count; no++) {
      const pool = this.#pools[no]!;
      pool.borrowed += borrowed[no]! - (standing.borrowed[no] ?? 0);
      pool.promised += promised[no]! - (standing.promised[no] ?? 0);
      if (idle[no] !== (standing.idle[no] ?? 0)) setIdle(pool, tenant, idle[no]!);
    }
    // What was in use before is filled with the next tenant's.
    this.#borrowed = standing.borrowed;
    this.#promised = standing.promised;
    this.#idle = standing.idle;
    standing.borrowed = borrowed;
    standing.promised = promised;
    standing.idle = idle;
    this.#weigh();
  }

  /** What each tenant lent since the last time, in whole unit-milliseconds that add up. */
  take(): Lent[] {
    const found: Lent[] = [];
    for (const pool of this.#pools) {
      if (pool.lentUnitMs > 0) found.push(...takeLent(pool));
      for (const lender of pool.lenders.values()) lender.seen = 0;
      pool.share = 0;
      pool.lentUnitMs = 0;
    }
    return found;
  }

  /** Unit-ms of each model that nobody was promised and nobody used, since the last time. */
  takeUnused(): { model: string; quantity: bigint }[] {
    return this.#pools
      .filter((pool) => !pool.unused.isEmpty)
      .map((pool) => ({ model: pool.model, quantity: pool.unused.take() }))
      .sort((a, b) => (a.model < b.model ? -1 : 1));
  }

  #poolOfModel(no: number): number {
    this.#poolByModel[no] ??= this.#noOf(this.#models[no]!);
    return this.#poolByModel[no];
  }

  #noOf(model: string): number {
    const known = this.#poolNo.get(model);
    if (known !== undefined) return known;
    this.#poolNo.set(model, this.#pools.length);
    return this.#pools.push(poolOf(model)) - 1;
  }

  #standingOf(tenant: TenantPayer): Standing {
    let standing = this.#standings.get(tenant);
    if (standing === undefined) {
      standing = { pools: 0, poolOf: [], floor: undefined, borrowed: [], promised: [], idle: [] };
      this.#standings.set(tenant, standing);
    }
    if (standing.floor !== tenant.guarantee || standing.pools !== this.#pools.length) {
      standing.floor = tenant.guarantee;
      standing.pools = this.#pools.length;
      standing.poolOf = tenant.entries.map((entry) => this.#poolFor(entry));
    }
    return standing;
  }

  /** The pool of an entry: its own model, the only model of its family, or `*`. */
  #poolFor(entry: string): number {
    const own = this.#poolNo.get(entry);
    if (own !== undefined) return own;
    const models = this.#pools.filter(({ model }) => model !== "*" && modelMatches(entry, model));
    return models.length === 1 ? this.#poolNo.get(models[0]!.model)! : anyModel;
  }

  /** How much of the idle floors is lent, from now on. */
  #weigh(): void {
    const any = this.#pools[anyModel]!;
    let free = -any.promised;
    let borrowed = 0;
    let named = 0;
    for (let no = 1; no < this.#pools.length; no++) {
      const pool = this.#pools[no]!;
      free += pool.capacity - pool.promised;
      borrowed += pool.borrowed;
      pool.lent = Math.min(pool.idle, Math.max(0, pool.borrowed - Math.max(0, pool.capacity - pool.promised)));
      named += pool.lent;
    }
    any.lent = Math.min(any.idle, Math.max(0, borrowed - Math.max(0, free) - named));
  }
}

/** By pool: what a tenant is promised, and what of that may be lent now. */
function floorOf(tenant: TenantPayer, { poolOf }: Standing, promised: number[], idle: number[]): void {
  const { entries, guarantee, used, lendable } = tenant;
  let overflow = used[entries.length] ?? 0;
  let left = Number.POSITIVE_INFINITY;
  if (lendable !== undefined) {
    left = 0;
    for (const entry in lendable) left += lendable[entry]!;
  }
  for (let group = 0; group < entries.length; group++) {
    const units = guarantee[entries[group]!]!;
    const held = used[group] ?? 0;
    const pool = poolOf[group]!;
    const free = Math.min(left, Math.max(0, units - held));
    left -= free;
    promised[pool]! += units;
    idle[pool]! += free;
    overflow += Math.max(0, held - units);
  }
  const any = guarantee["*"] ?? 0;
  promised[anyModel]! += any;
  idle[anyModel]! += Math.min(left, Math.max(0, any - overflow));
}

function setIdle(pool: Pool, tenant: TenantPayer, idle: number): void {
  let lender = pool.lenders.get(tenant);
  if (lender === undefined) {
    lender = { tenant, idle: 0, seen: pool.share, weight: new Tally() };
    pool.lenders.set(tenant, lender);
    pool.byPath = [];
  }
  follow(pool, lender);
  pool.idle += idle - lender.idle;
  lender.idle = idle;
}

function takeLent(pool: Pool): Lent[] {
  if (pool.byPath.length === 0) {
    pool.byPath = [...pool.lenders.values()].sort((a, b) => (a.tenant.path < b.tenant.path ? -1 : 1));
  }
  const lenders = pool.byPath;
  for (const lender of lenders) follow(pool, lender);
  const followed = lenders.map(({ weight }) => weight.take());
  // Where so little was lent that no share could be followed, what is idle now decides.
  const weights = followed.some((weight) => weight > 0n) ? followed : lenders.map(({ idle }) => BigInt(idle));
  const parts = shareOut(BigInt(pool.lentUnitMs), weights);
  const found: Lent[] = [];
  for (const [i, lender] of lenders.entries()) {
    if (parts[i]! > 0n) found.push({ tenant: lender.tenant, model: pool.model, quantity: parts[i]! });
  }
  return found;
}

function poolOf(model: string): Pool {
  return {
    ...{ model, capacity: 0, promised: 0, borrowed: 0, idle: 0, lent: 0, share: 0, lentUnitMs: 0 },
    ...{ unused: new Tally(), lenders: new Map(), byPath: [] },
  };
}

function follow(pool: Pool, lender: Lender): void {
  const grown = pool.share - lender.seen;
  if (grown > 0 && lender.idle > 0) lender.weight.addProduct(lender.idle, grown);
  lender.seen = pool.share;
}
