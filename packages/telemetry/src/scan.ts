import { absent, type Drawn } from "./columns.ts";
import type { Columns } from "./table.ts";

/** A row that has what is asked for: its stretch, and its value with the weight of it. */
export interface Scanned {
  at: number;
  span: number;
  ms: number;
  weight: number;
  value: number;
}

/** Calls `act` for each row of a group that has a value. The row is the same object each time: this is the inner loop. */
export function scan<Group>(
  rows: Columns,
  how: Drawn,
  groups: readonly (Group | undefined)[],
  act: (group: Group, row: Scanned) => void,
): void {
  if (groups.every((group) => group === undefined)) return;
  const values = how.columns.flatMap((name) => rows.column(name) ?? []);
  if (values.length === 0) return;
  const [keys, at, span, ms] = [rows.column("key"), rows.column("at"), rows.column("span"), rows.column("ms")];
  // Activity alone is weighed by where it was measured; the other values come together or not at all.
  const share = rows.column(how.columns[0] === "sm" ? "active" : "share");
  const row: Scanned = { at: 0, span: 0, ms: 0, weight: 0, value: 0 };
  for (let index = 0; index < rows.count; index++) {
    const group = groups[keys[index]!];
    if (group === undefined) continue;
    let value = absent;
    for (const column of values) {
      const part = column[index]!;
      if (part !== absent) value = value === absent ? part : value + part;
    }
    if (value === absent) continue;
    row.at = at[index]!;
    row.span = span[index]!;
    row.ms = ms[index]!;
    row.weight = how.as === "sum" ? row.ms : share[index]! * row.ms;
    row.value = value;
    act(group, row);
  }
}
