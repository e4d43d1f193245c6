const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** `42s`, `3m12s`, `5h20m`, `3d4h`: two units, enough to compare by eye. */
export function durationText(ms: number): string {
  if (ms < second) return `${Math.max(0, Math.round(ms))}ms`;
  if (ms < minute) return `${Math.floor(ms / second)}s`;
  if (ms < hour) return two(ms, minute, "m", second, "s");
  if (ms < day) return two(ms, hour, "h", minute, "m");
  return two(ms, day, "d", hour, "h");
}

/** Time since an instant on the wire; empty when there is none. */
export function ageText(at: string | undefined, now: number): string {
  if (at === undefined) return "";
  const ms = now - Date.parse(at);
  return ms < second ? "0s" : durationText(ms);
}

/** An instant in the user's own zone, with the offset said. */
export function instantText(at: string | undefined): string {
  if (at === undefined) return "";
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return at;
  const part = (value: number) => String(value).padStart(2, "0");
  const offset = -date.getTimezoneOffset();
  const zone =
    offset === 0
      ? "Z"
      : `${offset < 0 ? "-" : "+"}${part(Math.floor(Math.abs(offset) / 60))}:${part(Math.abs(offset) % 60)}`;
  const days = `${date.getFullYear()}-${part(date.getMonth() + 1)}-${part(date.getDate())}`;
  return `${days} ${part(date.getHours())}:${part(date.getMinutes())}:${part(date.getSeconds())}${zone}`;
}

const unitsMs: Readonly<Record<string, number>> = { ms: 1, s: second, m: minute, h: hour, d: day, w: 7 * day };

/** `90m`, `2h30m` in milliseconds; undefined for anything else. */
export function parseDurationMs(text: string): number | undefined {
  if (!/^(\d{1,9}(ms|s|m|h|d|w))+$/.test(text)) return undefined;
  return [...text.matchAll(/(\d+)(ms|s|m|h|d|w)/g)].reduce(
    (sum, [, count, unit]) => sum + Number(count) * unitsMs[unit!]!,
    0,
  );
}

function two(ms: number, large: number, largeName: string, small: number, smallName: string): string {
  const rest = Math.floor((ms % large) / small);
  return `${Math.floor(ms / large)}${largeName}${rest === 0 ? "" : `${rest}${smallName}`}`;
}
