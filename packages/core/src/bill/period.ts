import { type LostWork, type Metered, tenantOfPath, type Usage } from "../meter/usage.ts";
import { hour, type Instant } from "../model/units.ts";
import type { Charge, InvoiceLine, LineKey } from "./charge.ts";
import {
  burstPrice,
  corePrice,
  costOf,
  lentPrice,
  memoryPrice,
  type PriceTerms,
  reservedPrice,
  type UnitPrice,
} from "./cost.ts";
import type { Period } from "./invoice.ts";
import type { Lent } from "./lending.ts";
import { shareOut } from "./money.ts";
import { innerOf } from "./nested.ts";
import type { Slot } from "./payers.ts";
import { type Contract, type PriceBook, type PriceVersion, type PriceWindow, rateFor, versionAt } from "./price.ts";
import { type Cut, type FloorCut, Rater } from "./rate.ts";
import { Tally } from "./tally.ts";

/** A line while its quantity still grows. */
interface OpenLine {
  readonly key: LineKey;
  readonly price: UnitPrice;
  readonly rounding: PriceVersion["rounding"];
  readonly quantity: Tally;
  /** Where hours are shown: what was shown so far. */
  shown: bigint;
}

/** A line whose quantity is known. */
interface Priced extends Pick<OpenLine, "key" | "price" | "rounding"> {
  quantity: bigint;
}

/** The lines that a slot is charged on; there is none until something is. */
interface SlotLines {
  burst?: OpenLine;
  cpu?: OpenLine;
  memory?: OpenLine;
}

/** What a tenant has no records of its own for: told by whoever sees the whole fleet. */
export interface Shared {
  readonly kind: "lent" | "idle";
  readonly tenant: string;
  readonly model: string;
  readonly version: string;
  readonly perMille: number;
  readonly quantity: bigint;
  /** Of `idle`, whose price is shared out and not multiplied. */
  readonly micros?: bigint;
}

export interface RatingOptions {
  readonly period: Period;
  readonly book: PriceBook;
  /** Times of day of all versions, as instants. */
  readonly windows: readonly PriceWindow[];
  /** Is shown each hour of each line, priced. */
  readonly onCharge?: (charge: Charge) => void;
}

/** The price book applied to what was metered in a period, as far as time has come. */
export class PeriodRating {
  readonly rater: Rater;
  readonly #options: RatingOptions;
  readonly #borders: readonly Instant[];
  /** The first of them that still lies ahead. */
  #border = 0;
  /** By tenant, then by key and price. */
  readonly #lines = new Map<string, Map<string, OpenLine>>();
  readonly #lent = new Map<string, Shared & { quantity: bigint }>();
  readonly #lost: LostWork[] = [];
  /** Each terms that held, by contract: equal ones are the same. */
  readonly #terms = new Map<Contract | undefined, PriceTerms[]>();
  /** Where hours are shown: what each slot had come to at the end of the last, since the price changed. */
  readonly #shown = new Map<Slot, { readonly [Kind in keyof SlotLines]-?: bigint }>();
  readonly #slotLines = new Map<PriceTerms, Map<Slot, SlotLines>>();
  /** GPU time, and that of it beyond floors, by tenant and model. */
  readonly #used = new Map<string, Map<string, { readonly held: Tally; readonly over: Tally }>>();
  readonly #promised = new Map<string, bigint>();
  readonly #unused = new Map<string, { version: PriceVersion; model: string; quantity: bigint }>();

  constructor(options: RatingOptions) {
    this.#options = options;
    const { period, book, windows } = options;
    const borders = [
      ...book.versions.map((version) => version.fromAt),
      ...book.contracts.flatMap(({ fromAt, toAt }) => [fromAt, toAt]),
      ...windows.flatMap(({ fromAt, toAt }) => [fromAt, toAt]),
    ];
    this.#borders = [...new Set(borders)].filter((at) => at > period.fromAt && at < period.toAt).sort((a, b) => a - b);
    this.rater = new Rater(period.fromAt, {
      cut: (cut, lent) => this.#cut(cut, lent),
      reserved: (span, floors) => this.#reserve(span, floors),
    });
  }

  /** Takes in everything that was metered, in any order, told any number of times. */
  take(metered: Metered): void {
    const { period } = this.#options;
    const inTime = <Change extends { readonly at: Instant; readonly revision: number }>(changes: readonly Change[]) =>
      changes.filter(({ at }) => at < period.toAt).sort((a, b) => a.at - b.at || a.revision - b.revision);
    for (const change of inTime(metered.capacity)) this.rater.provide(change);
    for (const change of inTime(metered.floors)) this.rater.promise(change);
    for (const usage of latestOf(metered.usage)) this.use(usage);
    for (const lost of metered.lost) this.lose(lost);
  }

  /** One stretch, which is known to be told for the last time. */
  use(usage: Usage): void {
    const { fromAt, toAt } = this.#options.period;
    if (usage.fromAt < toAt && usage.toAt > fromAt) this.rater.use(usage);
  }

  lose(lost: LostWork): void {
    const { fromAt, toAt } = this.#options.period;
    if (lost.at >= fromAt && lost.at < toAt) this.#lost.push(lost);
  }

  /**
   * Rates up to the last full hour before `to`, or to the end of the period: what is cut elsewhere would depend on
   * when someone looked.
   */
  advance(to: Instant): void {
    const { toAt } = this.#options.period;
    const end = to >= toAt ? toAt : Math.max(this.rater.ratedUntil, to - (to % hour));
    for (; this.#border < this.#borders.length && this.#borders[this.#border]! <= end; this.#border++) {
      this.rater.advance(this.#borders[this.#border]!);
      this.#endPrice();
    }
    this.rater.advance(end);
    if (end === toAt) this.#endPrice();
  }

  /** The lines of a tenant from its own records, in the order of an invoice; whole once the period is. */
  lines(tenant: string): InvoiceLine[] {
    const own = [...(this.#lines.get(tenant)?.values() ?? [])];
    return [
      ...own.map((line) => closed({ ...line, quantity: line.quantity.sum })),
      ...this.#lostLines(tenant, own),
    ].sort(byKey);
  }

  /** What came to each tenant from looking at the whole fleet, by tenant. */
  shared(): Shared[] {
    return [...this.#lent.values(), ...this.#idle()].sort((a, b) => (sortText(a) < sortText(b) ? -1 : 1));
  }

  tenants(): string[] {
    return this.rater.payers.tenants.map(({ path }) => path);
  }

  /** GPU time of a tenant that its floor held, by model. */
  within(tenant: string): { model: string; quantity: bigint }[] {
    return [...(this.#used.get(tenant) ?? [])]
      .map(([model, { held, over }]) => ({ model, quantity: held.sum - over.sum }))
      .filter(({ quantity }) => quantity > 0n)
      .sort((a, b) => (a.model < b.model ? -1 : 1));
  }

  /** GPU time that nobody was promised and nobody used, by model. */
  unused(): { model: string; quantity: bigint }[] {
    const sums = new Map<string, bigint>();
    for (const { model, quantity } of this.#unused.values()) sums.set(model, (sums.get(model) ?? 0n) + quantity);
    return [...sums].map(([model, quantity]) => ({ model, quantity })).sort((a, b) => (a.model < b.model ? -1 : 1));
  }

  #termsAt(at: Instant, tenant: string): PriceTerms | undefined {
    const { book, windows } = this.#options;
    const found = termsAt(book, windows, at, tenant);
    if (found === undefined) return undefined;
    const { version, contract, perMille } = found;
    const alike = this.#terms.get(contract) ?? [];
    const known = alike.find((each) => each.version === version && each.perMille === perMille);
    if (known !== undefined) return known;
    this.#terms.set(contract, [...alike, found]);
    return found;
  }

  #cut(cut: Cut, lent: readonly Lent[]): void {
    const terms = lent.length === 0 ? undefined : this.#termsAt(cut.fromAt, "");
    for (const { tenant, model, quantity } of terms === undefined ? [] : lent) {
      const { version, perMille } = terms!;
      const id = `${tenant.path}|${model}|${version.id}|${perMille}`;
      const sum = this.#lent.get(id);
      if (sum !== undefined) sum.quantity += quantity;
      else {
        const key = { kind: "lent", tenant: tenant.path, model, version: version.id, perMille } as const;
        this.#lent.set(id, { ...key, quantity });
      }
    }
    if (this.#options.onCharge !== undefined) this.#show(cut);
  }

  /** Shows the hour of every line. */
  #show(cut: Cut): void {
    this.rater.settle((slot) => {
      const terms = this.#termsAt(cut.fromAt, slot.payer.tenant.path);
      if (terms === undefined || !isBilled(slot, terms)) return;
      const before = this.#shown.get(slot) ?? { burst: 0n, cpu: 0n, memory: 0n };
      const now = { burst: slot.over.sum, cpu: slot.cpu.sum, memory: slot.memory.sum };
      this.#shown.set(slot, now);
      for (const kind of ["burst", "cpu", "memory"] as const) {
        const quantity = now[kind] - before[kind];
        if (quantity > 0n) this.#showLine(this.#slotLine(kind, slot, terms), quantity, cut);
      }
    });
  }

  #showLine(line: OpenLine, quantity: bigint, cut: Cut): void {
    const before = costOf(line.key.kind, line.shown, line.price, line.rounding);
    line.shown += quantity;
    const micros = costOf(line.key.kind, line.shown, line.price, line.rounding) - before;
    this.#options.onCharge!({ ...line.key, ...cut, quantity, micros });
  }

  #endPrice(): void {
    this.rater.endPrice();
    const at = this.rater.ratedUntil - 1;
    for (const tenant of this.rater.payers.tenants) {
      const terms = this.#termsAt(at, tenant.path);
      for (const slot of tenant.due) this.#endSlot(slot, terms);
      tenant.due.length = 0;
    }
    const version = versionAt(this.#options.book, at);
    for (const { model, quantity } of this.rater.lending.takeUnused()) {
      if (version === undefined) continue;
      const id = `${version.id}|${model}`;
      const sum = this.#unused.get(id);
      if (sum !== undefined) sum.quantity += quantity;
      else this.#unused.set(id, { version, model, quantity });
    }
  }

  #endSlot(slot: Slot, terms: PriceTerms | undefined): void {
    slot.isDue = false;
    this.#shown.delete(slot);
    const { held, over, cpu, memory } = slot;
    const models = innerOf(this.#used, slot.payer.tenant.path);
    let used = models.get(slot.model);
    if (used === undefined) {
      used = { held: new Tally(), over: new Tally() };
      models.set(slot.model, used);
    }
    used.held.addAll(held);
    used.over.addAll(over);
    if (terms !== undefined && isBilled(slot, terms)) {
      if (!over.isEmpty) this.#slotLine("burst", slot, terms).quantity.addAll(over);
      if (!cpu.isEmpty) this.#slotLine("cpu", slot, terms).quantity.addAll(cpu);
      if (!memory.isEmpty) this.#slotLine("memory", slot, terms).quantity.addAll(memory);
    }
    held.clear();
    over.clear();
    cpu.clear();
    memory.clear();
  }

  #slotLine(kind: keyof SlotLines, slot: Slot, terms: PriceTerms): OpenLine {
    const ofTerms = innerOf(this.#slotLines, terms);
    let lines = ofTerms.get(slot);
    if (lines === undefined) {
      lines = {};
      ofTerms.set(slot, lines);
    }
    lines[kind] ??= this.#newSlotLine(kind, slot, terms);
    return lines[kind];
  }

  #newSlotLine(kind: keyof SlotLines, slot: Slot, terms: PriceTerms): OpenLine {
    const account = slot.payer.path;
    const version = terms.version.id;
    if (kind !== "burst") {
      const price = kind === "cpu" ? corePrice(terms) : memoryPrice(terms);
      return this.#line({ ...noGpu, kind, account, version }, price, terms);
    }
    const { model, profile, isolation, topology } = slot;
    const stranded = slot.state === "stranded" ? ("stranded" as const) : kind;
    const { perMille } = terms;
    const key = { kind: stranded, account, model, profile, isolation, topology, version, perMille };
    return this.#line(key, burstPrice(terms, slot), terms);
  }

  #reserve(span: Cut, floors: readonly FloorCut[]): void {
    for (const { payer, entry, units } of floors) {
      const terms = this.#termsAt(span.fromAt, payer.tenant.path);
      const quantity = BigInt(units) * BigInt(span.toAt - span.fromAt);
      add(this.#promised, payer.tenant.path, quantity);
      if (terms === undefined) continue;
      const key = { ...noGpu, kind: "reserved", account: payer.path, model: entry, version: terms.version.id } as const;
      const line = this.#line(key, reservedPrice(terms, entry), terms);
      line.quantity.addProduct(units, span.toAt - span.fromAt);
      if (this.#options.onCharge !== undefined) this.#showLine(line, quantity, span);
    }
  }

  /** A line is one key at one price: where a contract changes the price within a period, it is two. */
  #line(key: LineKey, price: UnitPrice, { version }: PriceTerms): OpenLine {
    const id = `${key.kind}|${key.account}|${key.model}|${key.profile}|${key.isolation}|${key.topology}|${key.version}|${key.perMille}|${price.numerator}|${price.denominator}`;
    const tenant = tenantOfPath(key.account);
    const lines = innerOf(this.#lines, tenant);
    let line = lines.get(id);
    if (line === undefined) {
      line = { key, price, rounding: version.rounding, quantity: new Tally(), shown: 0n };
      lines.set(id, line);
    }
    return line;
  }

  /** Credits for lost work: never more GPU time of a model than the account was charged for beyond its floor. */
  #lostLines(tenant: string, own: readonly OpenLine[]): InvoiceLine[] {
    const left = new Map<string, bigint>();
    for (const { key, quantity } of own) {
      if (key.kind === "burst") add(left, `${key.account}|${key.model}`, quantity.sum);
    }
    const credits = new Map<string, Priced>();
    const lost = this.#lost.filter(({ account }) => tenantOfPath(account) === tenant);
    for (const each of latestLost(lost)) {
      const terms = this.#termsAt(each.at, tenant);
      if (terms === undefined || terms.version.lostWorkPerMille === 0) continue;
      const id = `${each.account}|${each.model}`;
      const asked = BigInt(each.units) * BigInt(Math.min(each.lostMs, each.graceMs));
      const quantity = asked < (left.get(id) ?? 0n) ? asked : (left.get(id) ?? 0n);
      if (quantity === 0n) continue;
      add(left, id, -quantity);
      const { account, model } = each;
      const { version } = terms;
      const key = {
        ...noGpu,
        kind: "lost-work",
        account,
        model,
        version: version.id,
        perMille: terms.perMille,
      } as const;
      const full = burstPrice(terms, key);
      const price = {
        numerator: full.numerator * BigInt(version.lostWorkPerMille),
        denominator: full.denominator * 1000n,
      };
      const lineId = `${id}|${version.id}|${terms.perMille}|${price.numerator}|${price.denominator}`;
      const line = credits.get(lineId) ?? { key, price, rounding: version.rounding, quantity: 0n };
      line.quantity += quantity;
      credits.set(lineId, line);
    }
    return [...credits.values()].map(closed);
  }

  /** The cost of what nobody used, shared by what tenants were promised or by what they used. */
  #idle(): Shared[] {
    const found: Shared[] = [];
    for (const { version, model, quantity } of this.#unused.values()) {
      const rate = rateFor(version.idle.gpus, model);
      if (version.idle.policy === "absorb" || rate === undefined || rate.micros === 0) continue;
      const tenants = this.tenants();
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
    for (const { key, quantity } of this.#lines.get(tenant)?.values() ?? []) {
      if (key.kind === "burst") sum += quantity.sum;
    }
    return sum;
  }
}

/** The list, the contract and the time of day that hold for a tenant at an instant. */
export function termsAt(
  book: PriceBook,
  windows: readonly PriceWindow[],
  at: Instant,
  tenant: string,
): PriceTerms | undefined {
  const version = versionAt(book, at);
  if (version === undefined) return undefined;
  const contract = book.contracts.findLast((each) => each.tenant === tenant && each.fromAt <= at && at < each.toAt);
  const window = windows.find((each) => each.fromAt <= at && at < each.toAt);
  return { version, contract, perMille: window?.perMille ?? 1000 };
}

/** Of several tellings of one stretch the last. */
export function latestOf(usage: readonly Usage[]): Usage[] {
  const latest: Usage[] = [];
  // The stretches of a lease are few: a chain of places is followed instead of spelling a key for each of them.
  const lastOf = new Map<string, number>();
  const before = new Int32Array(usage.length);
  for (const each of usage) {
    const last = lastOf.get(each.lease) ?? -1;
    let place = last;
    while (place >= 0 && !(latest[place]!.fromAt === each.fromAt && latest[place]!.state === each.state)) {
      place = before[place]!;
    }
    if (place >= 0) {
      if (latest[place]!.revision < each.revision) latest[place] = each;
      continue;
    }
    before[latest.length] = last;
    lastOf.set(each.lease, latest.push(each) - 1);
  }
  return latest;
}

function latestLost(lost: readonly LostWork[]): LostWork[] {
  const once = new Map(lost.map((each) => [each.lease, each]));
  return [...once.values()].sort((a, b) => a.at - b.at || (a.lease < b.lease ? -1 : 1));
}

/** The price of a lent GPU-hour in the terms of a shared record. */
export function lentLine(shared: Shared, terms: PriceTerms): InvoiceLine {
  const { tenant, model, version, perMille, quantity } = shared;
  const key = { ...noGpu, kind: "lent", account: tenant, model, version, perMille } as const;
  return closed({ key, price: lentPrice(terms, model), rounding: terms.version.rounding, quantity });
}

const noGpu = { model: "", profile: "", isolation: "", topology: "", perMille: 1000 } as const;
const credits: ReadonlySet<string> = new Set(["lent", "lost-work"]);

function closed({ key, price, rounding, quantity }: Priced): InvoiceLine {
  const micros = costOf(key.kind, quantity, price, rounding);
  return { ...key, ...price, quantity, micros: credits.has(key.kind) ? -micros : micros };
}

function isBilled(slot: Slot, { version }: PriceTerms): boolean {
  return !(version.unbilled as readonly string[]).includes(slot.state);
}

function add(sums: Map<string, bigint>, key: string, amount: bigint): void {
  sums.set(key, (sums.get(key) ?? 0n) + amount);
}

function sortText(key: object): string {
  return Object.values(key).map(String).join("|");
}

/** The order of the lines of an invoice: by account, then by what they are for. */
export function byKey(a: InvoiceLine, b: InvoiceLine): number {
  const [left, right] = [textOf(a), textOf(b)];
  return left < right ? -1 : left > right ? 1 : 0;
}

function textOf(line: InvoiceLine): string {
  const { account, kind, model, profile, isolation, topology, version, perMille, numerator, denominator } = line;
  return [account, kind, model, profile, isolation, topology, version, perMille, numerator, denominator].join("\t");
}
