import {
  buildInvoice,
  type CapacityChange,
  type Charge,
  type Extract,
  extractOf,
  type FloorChange,
  type Instant,
  type Invoice,
  type InvoiceLine,
  type LostWork,
  type Metered,
  openUsage,
  type Period,
  PeriodRating,
  type PriceBook,
  type State,
  type Usage,
} from "@tessera/core";
import type { StoreReader } from "../store/port.ts";
import { windowsBetween } from "./bill-periods.ts";

type BookReader = Pick<StoreReader, "books">;

/** The price book of now. */
export function bookOf({ books }: State): PriceBook {
  return { versions: books.versions, contracts: [...books.contracts.values()] };
}

/** The zone in which months are billed: that of the newest price list. */
export function billingZone({ books }: State): string {
  return books.versions.at(-1)?.zone ?? "UTC";
}

/** Everything that was metered in a period, what still goes on included. Where the store is ahead of the state, it counts. */
export async function meteredIn(reader: BookReader, state: State, period: Period, now: Instant): Promise<Metered> {
  const { fromAt, toAt } = period;
  const open = openUsage(state, Math.min(now, toAt));
  const read = async <Record>(kind: string, from?: Instant): Promise<Record[]> => {
    const rows = await reader.books({ kind, toAt, ...(from !== undefined && { fromAt: from }) });
    return rows.map(({ doc }) => JSON.parse(doc) as Record);
  };
  return {
    usage: [...(await read<Usage>("usage", fromAt)), ...open],
    floors: await read<FloorChange>("floor"),
    capacity: await read<CapacityChange>("capacity"),
    lost: await read<LostWork>("lost", fromAt),
  };
}

/** A period that has been rated, and what it was rated from. */
export interface Rated {
  readonly period: Period;
  readonly book: PriceBook;
  readonly windows: ReturnType<typeof windowsBetween>;
  readonly metered: Metered;
  readonly rating: PeriodRating;
}

/** Rates a period by a price book, up to its end or to now. */
export async function ratePeriod(
  reader: BookReader,
  state: State,
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
  return { period: until, book, windows, metered, rating };
}

/** Whether a tenant owes what it is shown. */
export function modeOf({ books }: State, tenant: string): Invoice["mode"] {
  return books.tenants.get(tenant)?.mode ?? "chargeback";
}

/** The invoice of a tenant for a rated period; undefined where no price list holds. */
export function invoiceOf(
  rated: Rated,
  tenant: string,
  mode: Invoice["mode"],
  corrections: readonly InvoiceLine[] = [],
): Invoice | undefined {
  const { period, book, windows, rating } = rated;
  const shared = rating.shared();
  return buildInvoice({ tenant, period, mode, book, windows, lines: rating.lines(tenant), shared, corrections });
}

/** What that invoice follows from. */
export function extractFor(
  rated: Rated,
  tenant: string,
  mode: Invoice["mode"],
  corrections: readonly InvoiceLine[] = [],
): Extract {
  const { period, book, windows, metered, rating } = rated;
  return extractOf({ tenant, period, mode, book, windows, ...metered, shared: rating.shared(), corrections });
}
