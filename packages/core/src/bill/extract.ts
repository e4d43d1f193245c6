import { canonicalJson } from "../journal/canonical.ts";
import { type FloorChange, type LostWork, tenantOfPath, type Usage } from "../meter/usage.ts";
import type { InvoiceLine } from "../money/charge.ts";
import type { Invoice, Period, SpelledLine } from "../money/invoice.ts";
import type { Contract, PriceBook, PriceVersion, PriceWindow } from "../money/price.ts";
import { buildInvoice, readLine, spelled } from "./invoice.ts";
import { latestOf } from "./latest.ts";
import { PeriodRating } from "./period.ts";
import type { Shared } from "./totals.ts";

/** Everything that one tenant's invoice is a function of, and nothing of anybody else. */
export interface Extract {
  readonly tenant: string;
  readonly period: Period;
  readonly mode: Invoice["mode"];
  readonly versions: readonly PriceVersion[];
  readonly contracts: readonly Contract[];
  readonly windows: readonly PriceWindow[];
  readonly usage: readonly Usage[];
  readonly floors: readonly FloorChange[];
  readonly lost: readonly LostWork[];
  readonly shared: readonly Shared[];
  readonly corrections: readonly InvoiceLine[];
}

/** Cuts what concerns one tenant out of what a period was rated from. */
export function extractOf(whole: Omit<Extract, "versions" | "contracts"> & { readonly book: PriceBook }): Extract {
  const { tenant, period, mode, book, windows, corrections } = whole;
  const own = <Each extends { readonly account: string }>(list: readonly Each[]) =>
    list.filter(({ account }) => tenantOfPath(account) === tenant);
  return {
    ...{ tenant, period, mode, windows, corrections },
    versions: book.versions.filter(({ fromAt }) => fromAt < period.toAt),
    contracts: book.contracts.filter((contract) => contract.tenant === tenant && contract.fromAt < period.toAt),
    usage: latestOf(own(whole.usage)).filter(({ fromAt, toAt }) => fromAt < period.toAt && toAt > period.fromAt),
    floors: own(whole.floors).filter(({ at }) => at < period.toAt),
    lost: own(whole.lost).filter(({ at }) => at >= period.fromAt && at < period.toAt),
    shared: whole.shared.filter((shared) => shared.tenant === tenant),
  };
}

/** The invoice that follows from an extract. */
export function recompute(extract: Extract): Invoice | undefined {
  const { tenant, period, mode, windows, usage, floors, lost, shared, corrections } = extract;
  const book: PriceBook = { versions: extract.versions, contracts: extract.contracts };
  const rating = new PeriodRating({ period, book, windows });
  rating.take({ usage, floors, lost, capacity: [] });
  rating.advance(period.toAt);
  return buildInvoice({ tenant, period, mode, book, windows, lines: rating.lines(tenant), shared, corrections });
}

const lists = ["versions", "contracts", "windows", "floors", "usage", "lost", "shared", "corrections"] as const;

/** An extract as lines of canonical JSON in a fixed order, each naming what it is; the first says whose and when. */
export function extractLines(extract: Extract): string[] {
  const { tenant, period, mode } = extract;
  const lines = [canonicalJson({ is: "heading", tenant, period, mode })];
  for (const list of lists) {
    const written = extract[list].map((each) => canonicalJson({ is: list, ...(spelled(each) as object) }));
    lines.push(...written.sort());
  }
  return lines;
}

/** The extract that `extractLines` wrote. */
export function extractFrom(lines: readonly string[]): Extract {
  const found: Record<string, unknown[]> = Object.fromEntries(lists.map((list) => [list, []]));
  let heading: Pick<Extract, "tenant" | "period" | "mode"> | undefined;
  for (const line of lines) {
    const { is, ...rest } = JSON.parse(line) as { is: string } & Record<string, unknown>;
    if (is === "heading") heading = rest as unknown as typeof heading;
    else if (found[is] === undefined) throw new Error(`an extract holds no ${is}`);
    else if (is === "shared") found[is].push(sharedOf(rest));
    else found[is].push(is === "corrections" ? readLine(rest as unknown as SpelledLine) : rest);
  }
  if (heading === undefined) throw new Error("the extract has no heading");
  const extract = { ...heading, ...found } as unknown as Extract;
  // The lines are in the order of their text; price lists count in the order of time.
  const versions = extract.versions.toSorted((a, b) => a.fromAt - b.fromAt);
  return { ...extract, versions };
}

function sharedOf(rest: Record<string, unknown>): Shared {
  const { quantity, micros } = rest as { quantity: string; micros?: string };
  return {
    ...(rest as unknown as Shared),
    quantity: BigInt(quantity),
    ...(micros !== undefined && { micros: BigInt(micros) }),
  };
}
