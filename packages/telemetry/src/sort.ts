import type { Columns } from "./table.ts";
import type { Values } from "./varint.ts";

/** The rows of one part in the order in which they are kept: by line, then by time. */
export interface Sorted {
  readonly part: string;
  /** Its lines, in that order. */
  readonly keys: readonly number[];
  readonly order: Int32Array;
}

/** Rows apart by part, sorted. `partOfKey` has the part of each line; rows of lines without one are left out. */
export function sorted(rows: Columns, partOfKey: readonly (string | undefined)[]): Sorted[] {
  const key = rows.column("key");
  const rowsOf = new Int32Array(rows.keys.length);
  for (let row = 0; row < rows.count; row++) rowsOf[key[row]!]!++;
  const parts = new Map<string, number[]>();
  for (const [index, part] of partOfKey.entries()) {
    if (part === undefined || rowsOf[index] === 0) continue;
    const keys = parts.get(part);
    if (keys === undefined) parts.set(part, [index]);
    else keys.push(index);
  }
  const next = new Int32Array(rows.keys.length).fill(-1);
  let first = 0;
  for (const keys of parts.values()) {
    for (const index of keys) {
      next[index] = first;
      first += rowsOf[index]!;
    }
  }
  const order = new Int32Array(first);
  for (let row = 0; row < rows.count; row++) if (next[key[row]!]! >= 0) order[next[key[row]!]!++] = row;
  byTime(order, key, rows.column("at"));
  let from = 0;
  return [...parts].map(([part, keys]) => {
    const count = keys.reduce((sum, index) => sum + rowsOf[index]!, 0);
    const own = order.subarray(from, from + count);
    from += count;
    return { part, keys, order: own };
  });
}

/** Samples nearly always come in order: only where one does not, its line is sorted. */
function byTime(order: Int32Array, key: Int32Array, at: Values): void {
  for (let begin = 0; begin < order.length; ) {
    const line = key[order[begin]!];
    let isInOrder = true;
    let end = begin + 1;
    for (; end < order.length && key[order[end]!] === line; end++)
      if (at[order[end]!]! < at[order[end - 1]!]!) isInOrder = false;
    if (!isInOrder) order.subarray(begin, end).sort((a, b) => at[a]! - at[b]! || a - b);
    begin = end;
  }
}
