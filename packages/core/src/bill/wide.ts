/**
 * Exact sums beyond 2^53 without BigInt. A sum is two numbers of a column: at `place` the part below 2^52, after it the
 * multiple of 2^52.
 */
const base = 2 ** 52;
const baseBits = 52n;
const lowBits = BigInt(base) - 1n;

/** How many numbers a sum takes. */
export const wide = 2;

/** Adds a whole number below 2^52. */
export function addWide(column: Float64Array, place: number, amount: number): void {
  const low = column[place]! + amount;
  if (low < base) {
    column[place] = low;
    return;
  }
  column[place] = low - base;
  column[place + 1]! += 1;
}

/** Adds a product of whole numbers, which may exceed 2^52. */
export function addProduct(column: Float64Array, place: number, a: number, b: number): void {
  const product = a * b;
  if (product < base) {
    addWide(column, place, product);
    return;
  }
  addBigInt(column, place, BigInt(a) * BigInt(b));
}

export function addBigInt(column: Float64Array, place: number, amount: bigint): void {
  addWide(column, place, Number(amount & lowBits));
  column[place + 1]! += Number(amount >> baseBits);
}

/** Adds a sum of another column. */
export function addSum(column: Float64Array, place: number, from: Float64Array, fromPlace: number): void {
  addWide(column, place, from[fromPlace]!);
  column[place + 1]! += from[fromPlace + 1]!;
}

/** The sum as a BigInt. */
export function sumAt(column: Float64Array, place: number): bigint {
  return (BigInt(column[place + 1]!) << baseBits) + BigInt(column[place]!);
}

export function isZero(column: Float64Array, place: number): boolean {
  return column[place] === 0 && column[place + 1] === 0;
}

export function clearSum(column: Float64Array, place: number): void {
  column[place] = 0;
  column[place + 1] = 0;
}

/** The column if `length` numbers fit, else a longer copy. */
export function fitting(column: Float64Array, length: number): Float64Array {
  if (length <= column.length) return column;
  const longer = new Float64Array(Math.max(length, 2 * column.length));
  longer.set(column);
  return longer;
}
