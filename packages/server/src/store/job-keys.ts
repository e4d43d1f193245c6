import { neverStarted } from "./job-indexes.ts";
import type { EndedJobKeys, JobKey, JobPlace } from "./port.ts";

/** What a store keeps an ended job in order by. */
export function keyOf(row: EndedJobKeys, key: JobKey): string | number {
  const { startedAt, ranUntil, submittedAt } = row;
  switch (key) {
    case "started":
      return startedAt ?? neverStarted;
    case "since":
      return ranUntil;
    case "waited":
      return (startedAt ?? ranUntil) - submittedAt;
    case "ran":
      return ranUntil - (startedAt ?? ranUntil);
    default:
      return row[key];
  }
}

/** The order of an index: by key, then by (submittedAt, id). */
export function comparePlaces(a: JobPlace, b: JobPlace): number {
  return compare(a.key ?? 0, b.key ?? 0) || a.submittedAt - b.submittedAt || compare(a.id, b.id);
}

function compare(a: string | number, b: string | number): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
