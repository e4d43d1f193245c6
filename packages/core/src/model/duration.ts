import { day, hour, minute, second } from "./units.ts";

/** Milliseconds of each unit in which a duration can be written, the largest first. */
export const durationUnitsMs: Readonly<Record<string, number>> = {
  w: 7 * day,
  d: day,
  h: hour,
  m: minute,
  s: second,
  ms: 1,
};

/** Weeks are read, and written as days. */
const written = Object.entries(durationUnitsMs).filter(([name]) => name !== "w");

/** `90m`, `2h30m`, `01:30:00`, `2-12:00:00` in milliseconds; undefined for anything else. */
export function readDuration(text: string): number | undefined {
  const clock = /^(?:(\d{1,3})-)?(\d{1,4}):([0-5]\d):([0-5]\d)$/.exec(text);
  if (clock !== null) {
    const [days, hours, minutes, seconds] = clock.slice(1).map((part) => Number(part ?? 0));
    return days! * day + hours! * hour + minutes! * minute + seconds! * second;
  }
  if (!/^(\d{1,9}(ms|s|m|h|d|w))+$/.test(text)) return undefined;
  let total = 0;
  for (const [, count, unit] of text.matchAll(/(\d+)(ms|s|m|h|d|w)/g)) total += Number(count) * durationUnitsMs[unit!]!;
  return total;
}

/** Milliseconds exactly, as `readDuration` reads them: `1h30m`. With `unitsMax` the smaller units are dropped. */
export function durationText(ms: number, unitsMax = written.length): string {
  let rest = Math.max(0, Math.round(ms));
  const first = written.findIndex(([, size]) => rest >= size);
  if (first < 0) return "0s";
  let text = "";
  for (const [name, size] of written.slice(first, first + unitsMax)) {
    const count = Math.floor(rest / size);
    if (count > 0) text += `${count}${name}`;
    rest -= count * size;
  }
  return text;
}

/** A duration to compare by eye, in at most two units: `42s`, `3m12s`, `5h20m`, `3d4h`. */
export function shortDuration(ms: number): string {
  return ms < second ? durationText(ms) : durationText(ms - (ms % second), 2);
}
