import { modelMatches } from "../model/gpu-name.ts";
import { shareOut } from "../money/amount.ts";
import { countRow, ofUsed, type Payers, type TenantPayer } from "./payers.ts";
import { addProduct, clearSum, fitting, isZero, sumAt, wide } from "./wide.ts";

/** Shares of a lender are followed in parts of this. */
const scale = 2 ** 20;

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
  /** What was lent, and what nobody was promised or used. */
  readonly sums: Float64Array;
  /** Those who ever had something to lend, by path. */
  readonly lenders: TenantPayer[];
  /** Numbers of each tenant: what of its floor is idle, the share when that last changed, and its weight since. */
  rows: Float64Array;
}

const ofLent = 0;
const ofUnused = wide;

const lenderRow = 5;
const ofIdle = 0;
const ofSeen = 1;
const ofWeight = 2;
const ofIsLender = 4;

/** What a tenant counts for in each pool, by the number of the pool. */
interface Standing {
  /** As many pools as there were when the entries of its floor were given to pools. */
  pools: number;
  /** The pool of each entry of its floor. */
  poolOf: readonly number[];
  /** What it was worked out from. */
  floorNo: number;
  used: Float64Array;
  seenBorrowed: Float64Array;
  borrowed: Float64Array;
  promised: Float64Array;
  idle: Float64Array;
}

/** What a tenant lent of a model in an hour or less. */
export interface Lent {
  readonly tenant: TenantPayer;
  readonly model: string;
  readonly quantity: bigint;
}

const anyModel = 0;
const noNumbers = new Float64Array();

/**
 * Who lends: what is borrowed counts as taken from unguaranteed capacity first, then from idle floors in proportion,
 * per model and instant. Floors of any model (`*`) come last. A change costs the same however many tenants lend:
 * each lender's share is worked out only when its own idle floor changes, and at the end of the hour.
 */
export class Lending {
  readonly #pools: Pool[] = [poolOf("*")];
  readonly #poolNo = new Map<string, number>([["*", anyModel]]);
  /** By number of the tenant. */
  readonly #standings: Standing[] = [];
  #at: number;
  readonly #payers: Payers;
  /** As many pools as there were when entries of floors were last given to pools. */
  #pooled = 1;
  /** By number of the model. */
  readonly #poolByModel: number[] = [];

  constructor(at: number, payers: Payers) {
    this.#at = at;
    this.#payers = payers;
  }

  /** Brings the time up to `at`, at the rates of now. */
  settle(at: number): void {
    const elapsed = at - this.#at;
    if (elapsed <= 0) return;
    this.#at = at;
    for (const pool of this.#pools) {
      const { lent, sums } = pool;
      if (lent > 0) {
        pool.share += Math.floor((lent * scale) / pool.idle) * elapsed;
        addProduct(sums, ofLent, lent, elapsed);
      }
      const free = Math.max(0, pool.capacity - pool.promised) - (pool.borrowed - lent);
      if (free > 0) addProduct(sums, ofUnused, free, elapsed);
    }
  }

  capacity(model: string, unitsAdded: number): void {
    this.#pools[this.#noOf(model)]!.capacity += unitsAdded;
    this.#repool();
    this.#weigh();
  }

  /** What a tenant borrows of each model, and what of its floor is idle. Time has been settled. */
  set(tenant: TenantPayer): void {
    // Before the sums are taken: a model that is borrowed for the first time makes a pool.
    for (let no = 0; no < tenant.borrowed.length; no++) if (tenant.borrowed[no]! > 0) this.#poolOfModel(no);
    this.#count(tenant);
    this.#repool();
    this.#weigh();
  }

  /** Where there is a pool more, entries of floors may fall under another one. */
  #repool(): void {
    if (this.#pooled === this.#pools.length) return;
    this.#pooled = this.#pools.length;
    for (const tenant of this.#payers.tenants) if (tenant.no < this.#standings.length) this.#count(tenant);
  }

  #count(tenant: TenantPayer): void {
    const standing = this.#standingOf(tenant);
    if (this.#isAsBefore(tenant, standing)) return;
    const { borrowed, promised, idle } = standing;
    for (let no = 0; no < this.#pools.length; no++) {
      const pool = this.#pools[no]!;
      pool.borrowed -= borrowed[no]!;
      pool.promised -= promised[no]!;
    }
    borrowed.fill(0);
    promised.fill(0);
    idle.fill(0);
    for (let no = 0; no < tenant.borrowed.length; no++) {
      const units = tenant.borrowed[no]!;
      if (units > 0) borrowed[this.#poolOfModel(no)]! += units;
    }
    addFloor(tenant, standing);
    for (let no = 0; no < this.#pools.length; no++) {
      const pool = this.#pools[no]!;
      pool.borrowed += borrowed[no]!;
      pool.promised += promised[no]!;
      setIdle(pool, tenant, idle[no]!);
    }
  }

  /** Whether nothing has changed that a tenant lends or borrows by; notes what there is now. */
  #isAsBefore({ row, floor, borrowed }: TenantPayer, standing: Standing): boolean {
    const { counts } = this.#payers;
    let same = true;
    if (standing.used.length !== floor.length + 1 || standing.seenBorrowed.length !== borrowed.length) {
      standing.used = new Float64Array(floor.length + 1);
      standing.seenBorrowed = new Float64Array(borrowed.length);
      same = false;
    }
    for (let group = 0; group <= floor.length; group++) {
      const used = counts[(row + group) * countRow + ofUsed]!;
      if (standing.used[group] !== used) same = false;
      standing.used[group] = used;
    }
    for (let no = 0; no < borrowed.length; no++) {
      if (standing.seenBorrowed[no] !== borrowed[no]) same = false;
      standing.seenBorrowed[no] = borrowed[no]!;
    }
    return same;
  }

  /** What each tenant lent since the last time, in whole unit-milliseconds that add up. */
  take(): Lent[] {
    const found: Lent[] = [];
    for (const pool of this.#pools) {
      if (!isZero(pool.sums, ofLent)) found.push(...takeLent(pool));
      for (const { no } of pool.lenders) pool.rows[no * lenderRow + ofSeen] = 0;
      pool.share = 0;
      clearSum(pool.sums, ofLent);
    }
    return found;
  }

  /** Unit-ms of each model that nobody was promised and nobody used, since the last time. */
  takeUnused(): { model: string; quantity: bigint }[] {
    const found: { model: string; quantity: bigint }[] = [];
    for (const { model, sums } of this.#pools) {
      if (isZero(sums, ofUnused)) continue;
      found.push({ model, quantity: sumAt(sums, ofUnused) });
      clearSum(sums, ofUnused);
    }
    return found.sort((a, b) => (a.model < b.model ? -1 : 1));
  }

  #poolOfModel(no: number): number {
    this.#poolByModel[no] ??= this.#noOf(this.#payers.models[no]!);
    return this.#poolByModel[no];
  }

  #noOf(model: string): number {
    const known = this.#poolNo.get(model);
    if (known !== undefined) return known;
    this.#poolNo.set(model, this.#pools.length);
    return this.#pools.push(poolOf(model)) - 1;
  }

  #standingOf(tenant: TenantPayer): Standing {
    const { no } = tenant;
    while (this.#standings.length <= no) this.#standings.push(newStanding());
    const standing = this.#standings[no]!;
    if (standing.floorNo !== tenant.floorNo || standing.pools !== this.#pools.length) {
      standing.floorNo = tenant.floorNo;
      standing.pools = this.#pools.length;
      standing.poolOf = tenant.entries.map((entry) => this.#poolFor(entry));
      standing.used = noNumbers;
      standing.borrowed = longer(standing.borrowed, standing.pools);
      standing.promised = longer(standing.promised, standing.pools);
      standing.idle = longer(standing.idle, standing.pools);
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
function addFloor(tenant: TenantPayer, { poolOf, promised, idle, used }: Standing): void {
  const { floor, anyFloor, lendable } = tenant;
  let overflow = used[floor.length]!;
  let left = Number.POSITIVE_INFINITY;
  if (lendable !== undefined) {
    left = 0;
    for (const entry in lendable) left += lendable[entry]!;
  }
  for (let group = 0; group < floor.length; group++) {
    const units = floor[group]!;
    const held = used[group]!;
    const pool = poolOf[group]!;
    const free = Math.min(left, Math.max(0, units - held));
    left -= free;
    promised[pool]! += units;
    idle[pool]! += free;
    overflow += Math.max(0, held - units);
  }
  promised[anyModel]! += anyFloor;
  idle[anyModel]! += Math.min(left, Math.max(0, anyFloor - overflow));
}

function setIdle(pool: Pool, tenant: TenantPayer, idle: number): void {
  const place = tenant.no * lenderRow;
  pool.rows = fitting(pool.rows, place + lenderRow);
  const before = pool.rows[place + ofIdle]!;
  if (before === idle) return;
  if (pool.rows[place + ofIsLender] === 0) addLender(pool, tenant);
  follow(pool, tenant.no);
  pool.idle += idle - before;
  pool.rows[place + ofIdle] = idle;
}

function addLender({ lenders, rows }: Pool, tenant: TenantPayer): void {
  rows[tenant.no * lenderRow + ofIsLender] = 1;
  const place = lenders.findIndex(({ path }) => path > tenant.path);
  lenders.splice(place < 0 ? lenders.length : place, 0, tenant);
}

function takeLent({ model, lenders, rows, sums, ...pool }: Pool): Lent[] {
  const followed: bigint[] = [];
  for (const { no } of lenders) {
    follow({ rows, share: pool.share }, no);
    followed.push(sumAt(rows, no * lenderRow + ofWeight));
    clearSum(rows, no * lenderRow + ofWeight);
  }
  // Where so little was lent that no share could be followed, what is idle now decides.
  const weights = followed.some((weight) => weight > 0n)
    ? followed
    : lenders.map(({ no }) => BigInt(rows[no * lenderRow + ofIdle]!));
  const parts = shareOut(sumAt(sums, ofLent), weights);
  const found: Lent[] = [];
  for (const [i, tenant] of lenders.entries()) {
    if (parts[i]! > 0n) found.push({ tenant, model, quantity: parts[i]! });
  }
  return found;
}

function follow({ rows, share }: Pick<Pool, "rows" | "share">, no: number): void {
  const place = no * lenderRow;
  const grown = share - rows[place + ofSeen]!;
  if (grown > 0) addProduct(rows, place + ofWeight, rows[place + ofIdle]!, grown);
  rows[place + ofSeen] = share;
}

function poolOf(model: string): Pool {
  return {
    ...{ model, capacity: 0, promised: 0, borrowed: 0, idle: 0, lent: 0, share: 0 },
    ...{ sums: new Float64Array(2 * wide), lenders: [], rows: new Float64Array(16 * lenderRow) },
  };
}

function newStanding(): Standing {
  return {
    ...{ pools: 0, poolOf: [], floorNo: -1, used: noNumbers, seenBorrowed: noNumbers },
    ...{ borrowed: noNumbers, promised: noNumbers, idle: noNumbers },
  };
}

function longer(column: Float64Array, length: number): Float64Array {
  const next = new Float64Array(length);
  next.set(column.subarray(0, length));
  return next;
}
