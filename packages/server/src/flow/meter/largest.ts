/** The rows with the largest amounts, in their order; and how many others there are, with what they come to. */
export function largest<Row>(
  rows: readonly Row[],
  limit: number | undefined,
  amountOf: (row: Row) => string,
): { readonly rows: Row[]; readonly rest?: { readonly rows: number; readonly amount: string } } {
  if (limit === undefined || rows.length <= limit) return { rows: [...rows] };
  const order = rows.toSorted((a, b) => compareAmounts(amountOf(b), amountOf(a)));
  const others = order.slice(limit);
  const amount = others.reduce((sum, row) => sum + BigInt(amountOf(row)), 0n);
  return { rows: order.slice(0, limit), rest: { rows: others.length, amount: String(amount) } };
}

/** Amounts may pass 2^53, so they travel as text. */
export function compareAmounts(a: string, b: string): number {
  const difference = BigInt(a) - BigInt(b);
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}
