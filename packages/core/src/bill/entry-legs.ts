/** What is booked by hand. */
export type PostedKind = "payment" | "hold" | "post" | "void" | "adjustment";

/** One side of an entry: positive amounts are put into the book, negative ones taken out of it. */
export interface Leg {
  readonly account: string;
  readonly micros: bigint;
}

/**
 * The legs of an entry; they add up to 0. The first leg of a hold is the amount set aside, which a later post or void
 * ends: `heldMicros` of that hold is then needed.
 */
export function legsOfEntry(kind: PostedKind, tenant: string, micros: bigint, heldMicros = 0n): Leg[] {
  const [owed, held] = [`tenant/${tenant}/owed`, `tenant/${tenant}/held`];
  switch (kind) {
    case "payment":
      return pair("cash", owed, micros);
    case "adjustment":
      return pair(owed, "adjustments", micros);
    case "hold":
      return pair(owed, held, micros);
    case "void":
      return pair(held, owed, heldMicros);
    case "post":
      return [
        { account: held, micros: heldMicros },
        { account: owed, micros: micros - heldMicros },
        { account: "revenue/prepaid", micros: -micros },
      ];
  }
}

function pair(to: string, from: string, micros: bigint): Leg[] {
  return [
    { account: to, micros },
    { account: from, micros: -micros },
  ];
}
