import type { Instant } from "@tessera/core";
import type { AuditQuery } from "./port.ts";
import type { SeqSpan } from "./where.ts";

interface Found {
  readonly seq: number;
  readonly at: Instant;
}

/** Looks at the order of records in which time never goes back. */
export interface AuditOrder {
  /** The first record at or after a row of the journal. */
  from(seq: number): Promise<Found | undefined>;
  last(): Promise<Found | undefined>;
}

/**
 * The rows in which records of a span of time can be, found by halving: time goes on with the number of the row, so that
 * no index by time is needed, and records of years ago are found as quickly as those of today.
 */
export async function seqSpanOf(
  { fromAt, toAt }: Pick<AuditQuery, "fromAt" | "toAt">,
  order: AuditOrder,
): Promise<SeqSpan> {
  const last = fromAt === undefined && toAt === undefined ? undefined : await order.last();
  if (last === undefined) return { from: 0, to: Number.MAX_SAFE_INTEGER };
  return {
    from: fromAt === undefined ? 0 : await firstAt(fromAt, last.seq, order),
    to: toAt === undefined ? last.seq : await firstAt(toAt, last.seq, order),
  };
}

/** The lowest row at or after which every record is of `at` or later; the one after the last where none is. */
async function firstAt(at: Instant, lastSeq: number, order: AuditOrder): Promise<number> {
  let [low, high] = [0, lastSeq + 1];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const found = await order.from(middle);
    if (found === undefined || found.at >= at) high = middle;
    else low = found.seq + 1;
  }
  return low;
}
