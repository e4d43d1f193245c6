import { type LostWork, tenantOfPath } from "../meter/usage.ts";
import { shareOut } from "../money/amount.ts";
import type { InvoiceLine } from "../money/charge.ts";
import { type PriceVersion, rateFor } from "../money/price.ts";
import { burstPrice, costOf, type PriceTerms } from "../money/unit-price.ts";
import { innerMap } from "./inner-map.ts";
import { inInvoiceOrder, invoiceLine, noGpu, Quantities, type Rate, RateBook } from "./rate-book.ts";
import { addSum, fitting, sumAt, wide } from "./wide.ts";

/** Part of a tenant's invoice that cannot be computed from its own records, only from those of the whole fleet. */
export interface Shared {
  readonly kind: "lent" | "idle";
  readonly tenant: string;
  readonly model: string;
  readonly version: string;
  readonly perMille: number;
  readonly quantity: bigint;
  /** Only of `idle`: the tenant's share of the cost. */
  readonly micros?: bigint;
}

/** Lost work, and the terms at the time. */
interface Lost {
  readonly work: LostWork;
  readonly terms: PriceTerms;
}

/** Numbers of a tenant's GPU time of one model: the sum beyond the floor, then the sum of all. */
const usedRow = 2 * wide;

/**
 * The quantities of a span of time. Everything here can be added, so spans that meet at a full hour can be rated
 * separately: the lines of the sum are the same as if the whole had been rated at once.
 */
export class Totals {
  readonly quantities: Quantities;
  readonly #tenants = new Set<string>();
  readonly #lent = new Map<string, Shared & { quantity: bigint }>();
  readonly #lost: Lost[] = [];
  #used: Float64Array = new Float64Array(64 * usedRow);
  readonly #usedAt = new Map<string, Map<string, number>>();
  #usedCount = 0;
  readonly #promised = new Map<string, bigint>();
  readonly #unused = new Map<string, { readonly version: PriceVersion; readonly model: string; quantity: bigint }>();

  /** Totals can only be added if they share a rate book. */
  constructor(rates: RateBook) {
    this.quantities = new Quantities(rates);
  }

  /** Adds the totals of another span of time. */
  addAll(other: Totals): void {
    this.quantities.addAll(other.quantities);
    for (const tenant of other.#tenants) this.#tenants.add(tenant);
    for (const { quantity, ...key } of other.#lent.values()) this.#addLent(key, quantity);
    this.#lost.push(...other.#lost);
    for (const [tenant, models] of other.#usedAt) {
      for (const [model, row] of models) this.use(this.usedRow(tenant, model), other.#used, row * usedRow);
    }
    for (const [tenant, quantity] of other.#promised) this.promise(tenant, quantity);
    for (const { version, model, quantity } of other.#unused.values()) this.leave(version, model, quantity);
  }

  /** Notes that a tenant holds or is guaranteed something. */
  note(tenant: string): void {
    this.#tenants.add(tenant);
  }

  lend(tenant: string, model: string, { version, perMille }: PriceTerms, quantity: bigint): void {
    this.#addLent({ kind: "lent", tenant, model, version: version.id, perMille }, quantity);
  }

  #addLent(key: Omit<Shared, "quantity">, quantity: bigint): void {
    const id = `${key.tenant}|${key.model}|${key.version}|${key.perMille}`;
    const sum = this.#lent.get(id);
    if (sum !== undefined) sum.quantity += quantity;
    else this.#lent.set(id, { ...key, quantity });
  }

  lose(work: LostWork, terms: PriceTerms): void {
    this.#lost.push({ work, terms });
  }

  /** The row of a tenant's GPU time of one model; added where it is missing. */
  usedRow(tenant: string, model: string): number {
    const models = innerMap(this.#usedAt, tenant);
    const known = models.get(model);
    if (known !== undefined) return known;
    const row = this.#usedCount++;
    this.#used = fitting(this.#used, this.#usedCount * usedRow);
    models.set(model, row);
    return row;
  }

  /** Adds two neighbouring sums of another column: GPU time beyond the floor, and all GPU time. */
  use(row: number, column: Float64Array, place: number): void {
    addSum(this.#used, row * usedRow, column, place);
    addSum(this.#used, row * usedRow + wide, column, place + wide);
  }

  promise(tenant: string, quantity: bigint): void {
    this.#promised.set(tenant, (this.#promised.get(tenant) ?? 0n) + quantity);
  }

  /** Adds GPU time that was neither guaranteed nor used. */
  leave(version: PriceVersion, model: string, quantity: bigint): void {
    const id = `${version.id}|${model}`;
    const sum = this.#unused.get(id);
    if (sum !== undefined) sum.quantity += quantity;
    else this.#unused.set(id, { version, model, quantity });
  }

  tenants(): string[] {
    return [...this.#tenants].sort();
  }

  /** The lines of a tenant from its own records, in invoice order. */
  linesOf(tenant: string): InvoiceLine[] {
    const own = linesIn(this.quantities, tenant);
    return inInvoiceOrder([...own, ...this.#lostLines(tenant, own)]);
  }

  /** What each tenant gets from the whole fleet: credits for lending, shares of idle capacity. */
  shared(): Shared[] {
    return [...this.#lent.values(), ...this.#idle()]
      .map((shared) => ({ shared, text: Object.values(shared).map(String).join("|") }))
      .sort((a, b) => (a.text < b.text ? -1 : 1))
      .map(({ shared }) => shared);
  }

  /** GPU time of a tenant within its floor, by model. */
  within(tenant: string): { model: string; quantity: bigint }[] {
    return [...(this.#usedAt.get(tenant) ?? [])]
      .map(([model, row]) => {
        const [over, held] = [sumAt(this.#used, row * usedRow), sumAt(this.#used, row * usedRow + wide)];
        return { model, quantity: held - over };
      })
      .filter(({ quantity }) => quantity > 0n)
      .sort((a, b) => (a.model < b.model ? -1 : 1));
  }

  /** GPU time that was neither guaranteed nor used, by model. */
  unused(): { model: string; quantity: bigint }[] {
    const sums = new Map<string, bigint>();
    for (const { model, quantity } of this.#unused.values()) sums.set(model, (sums.get(model) ?? 0n) + quantity);
    return [...sums].map(([model, quantity]) => ({ model, quantity })).sort((a, b) => (a.model < b.model ? -1 : 1));
  }

  /** Credits for lost work; of each model at most the GPU time that the account was charged for beyond its floor. */
  #lostLines(tenant: string, own: readonly InvoiceLine[]): InvoiceLine[] {
    const left = new Map<string, bigint>();
    for (const { kind, account, model, quantity } of own) {
      const id = `${account}|${model}`;
      if (kind === "burst") left.set(id, (left.get(id) ?? 0n) + quantity);
    }
    const credits = new Quantities(new RateBook());
    for (const { work, terms } of inTime(this.#lost.filter((each) => tenantOfPath(each.work.account) === tenant))) {
      if (terms.version.lostWorkPerMille === 0) continue;
      const id = `${work.account}|${work.model}`;
      const rest = left.get(id) ?? 0n;
      const asked = BigInt(work.units) * BigInt(Math.min(work.lostMs, work.graceMs));
      const quantity = asked < rest ? asked : rest;
      if (quantity === 0n) continue;
      left.set(id, rest - quantity);
      const { key, price, rounding } = lostRate(work, terms);
      credits.addAmount(credits.book.no(key, price, rounding), quantity);
    }
    return linesIn(credits, tenant);
  }

  /** The cost of unused capacity, shared by guarantee or by use. */
  #idle(): Shared[] {
    const found: Shared[] = [];
    const tenants = this.tenants();
    for (const { version, model, quantity } of this.#unused.values()) {
      const rate = rateFor(version.idle.gpus, model);
      if (version.idle.policy === "absorb" || rate === undefined || rate.micros === 0) continue;
      const weights = tenants.map((tenant) =>
        version.idle.policy === "by-quota" ? (this.#promised.get(tenant) ?? 0n) : this.#usedBy(tenant),
      );
      const price = { numerator: BigInt(rate.micros), denominator: 1n };
      const micros = shareOut(costOf("idle", quantity, price, version.rounding), weights);
      for (const [i, tenant] of tenants.entries()) {
        if (micros[i] === 0n) continue;
        const key = { kind: "idle", tenant, model, version: version.id, perMille: 1000 } as const;
        found.push({ ...key, quantity: 0n, micros: micros[i]! });
      }
    }
    return found;
  }

  #usedBy(tenant: string): bigint {
    let sum = 0n;
    for (const { quantity } of this.within(tenant)) sum += quantity;
    for (const no of this.quantities.of(tenant)) {
      if (this.quantities.book.rate(no).key.kind === "burst") sum += this.quantities.quantity(no);
    }
    return sum;
  }
}

function linesIn(quantities: Quantities, tenant: string): InvoiceLine[] {
  return quantities.of(tenant).map((no) => invoiceLine(quantities.book.rate(no), quantities.quantity(no)));
}

function lostRate({ account, model, pool, poolPerMille }: LostWork, terms: PriceTerms): Rate {
  const { version, perMille } = terms;
  const plain = { ...noGpu, kind: "lost-work", account, model, version: version.id, perMille } as const;
  const key = pool === undefined ? plain : { ...plain, pool, poolPerMille };
  const full = burstPrice(terms, key);
  const numerator = full.numerator * BigInt(version.lostWorkPerMille);
  return { key, price: { numerator, denominator: full.denominator * 1000n }, rounding: version.rounding };
}

/** In order of time; repeated records count once. */
function inTime(lost: readonly Lost[]): Lost[] {
  const once = new Map(lost.map((each) => [each.work.lease, each]));
  return [...once.values()].sort((a, b) => a.work.at - b.work.at || (a.work.lease < b.work.lease ? -1 : 1));
}
