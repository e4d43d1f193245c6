import {
  buildInvoice,
  type CapacityChange,
  type Charge,
  type Extract,
  extractOf,
  type FloorChange,
  holdersOf,
  type Instant,
  type Invoice,
  type InvoiceLine,
  type LostWork,
  type Metered,
  openUsage,
  type Period,
  PeriodRating,
  type PriceBook,
  type ReadonlyState,
  type Shared,
  type Totals,
  type Usage,
} from "@tessera/core";
import type { BookQuery, StoreReader } from "../../store/port.ts";
import { windowsBetween } from "./periods.ts";

type BookReader = Pick<StoreReader, "books">;

/** The price book of now. */
export function bookOf({ books }: ReadonlyState): PriceBook {
  return { versions: books.versions, contracts: [...books.contracts.values()] };
}

/** The zone in which months are billed: that of the newest price list. */
export function billingZone({ books }: ReadonlyState): string {
  return books.versions.at(-1)?.zone ?? "UTC";
}

/** Everything that was metered in a period, what still goes on included. Where the store is ahead of the state, it counts. */
export async function meteredIn(
  reader: BookReader,
  state: ReadonlyState,
  period: Period,
  now: Instant,
): Promise<Metered> {
  const open = openUsage(state, Math.min(now, period.toAt));
  const { usage, lost } = await readUsage(reader, period);
  return { usage: [...usage, ...open], lost, ...(await readTerms(reader, period.toAt)) };
}

/** What was used in a period, as far as it is over, and work that was lost in it. */
export async function readUsage(reader: BookReader, { fromAt, toAt }: Pick<Period, "fromAt" | "toAt">) {
  return {
    usage: await read<Usage>(reader, { kind: "usage", fromAt, toAt }),
    lost: await readLost(reader, fromAt, toAt),
  };
}

/** Work that was lost in a span. */
export function readLost(reader: BookReader, fromAt: Instant, toAt: Instant): Promise<LostWork[]> {
  return read<LostWork>(reader, { kind: "lost", fromAt, toAt });
}

/** Floors and capacity, all changes up to an instant. */
export async function readTerms(reader: BookReader, toAt?: Instant): Promise<Pick<Metered, "floors" | "capacity">> {
  const until = toAt === undefined ? {} : { toAt };
  return {
    floors: await read<FloorChange>(reader, { kind: "floor", ...until }),
    capacity: await read<CapacityChange>(reader, { kind: "capacity", ...until }),
  };
}

async function read<Record>(reader: BookReader, query: BookQuery): Promise<Record[]> {
  const rows = await reader.books(query);
  return rows.map(({ doc }) => JSON.parse(doc) as Record);
}

/** A period that has been rated. */
export interface RatedPeriod {
  readonly period: Period;
  readonly book: PriceBook;
  readonly windows: ReturnType<typeof windowsBetween>;
  readonly totals: Totals;
  /** What its totals say of all tenants together. */
  readonly shared: readonly Shared[];
}

/** And what it was rated from. */
export interface Rated extends RatedPeriod {
  readonly metered: Metered;
}

/** Rates a period by a price book, up to its end or to now. */
export async function ratePeriod(
  reader: BookReader,
  state: ReadonlyState,
  period: Period,
  now: Instant,
  book: PriceBook = bookOf(state),
  onCharge?: (charge: Charge) => void,
): Promise<Rated> {
  const until = { ...period, toAt: Math.max(period.fromAt, Math.min(period.toAt, now)) };
  const metered = await meteredIn(reader, state, until, now);
  const windows = windowsBetween(book.versions, until.fromAt, until.toAt);
  const rating = new PeriodRating({ period: until, book, windows, ...(onCharge !== undefined && { onCharge }) });
  rating.take(metered);
  rating.advance(until.toAt);
  const { totals } = rating;
  return { period: until, book, windows, metered, totals, shared: totals.shared() };
}

/** Whether the tenant that has this name now owes what it is shown. */
export function modeOf(state: ReadonlyState, tenant: string): Invoice["mode"] {
  return holdersOf(state, tenant).at(-1)!.mode;
}

/** The invoice of a tenant for a rated period; undefined where no price list holds. */
export function invoiceOf(
  rated: RatedPeriod,
  tenant: string,
  mode: Invoice["mode"],
  corrections: readonly InvoiceLine[] = [],
): Invoice | undefined {
  const { period, book, windows, totals, shared } = rated;
  return buildInvoice({ tenant, period, mode, book, windows, lines: totals.linesOf(tenant), shared, corrections });
}

/** What that invoice follows from. Guarantees from before `sinceAt` were those of another tenant with the same name. */
export function extractFor(
  rated: Rated,
  tenant: string,
  mode: Invoice["mode"],
  corrections: readonly InvoiceLine[] = [],
  sinceAt: Instant = 0,
): Extract {
  const { period, book, windows, metered, shared } = rated;
  const floors = metered.floors.filter(({ at }) => at >= sinceAt);
  return extractOf({ tenant, period, mode, book, windows, ...metered, floors, shared, corrections });
}
