import { shortDuration } from "@tessera/wire/duration";

const dayMs = 86_400_000;

const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });
const day = new Intl.DateTimeFormat(undefined, { month: "short", day: "numeric", hour: "2-digit", minute: "2-digit" });
const whole = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "long" });

/** A span in whole seconds and at most two units: `45s`, `2h10m`, `3d4h`. */
export function spellSpan(ms: number): string {
  return shortDuration(Math.max(0, Math.round(ms / 1000) * 1000));
}

/** Relative under a day, absolute beyond. */
export function spell(at: string, now = Date.now()): string {
  const away = Date.parse(at) - now;
  if (Math.abs(away) < 5_000) return "now";
  if (Math.abs(away) >= dayMs) return day.format(new Date(at));
  return away < 0 ? `${spellSpan(-away)} ago` : `in ${spellSpan(away)}`;
}

/** Both zones, for the hover. */
export function spellFull(at: string): string {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return `${whole.format(new Date(at))} (${zone})\n${at.replace("T", " ").replace(/\.\d+Z$/, " UTC")}`;
}

/** The time of day, with the date when it is not today. */
export function spellClock(at: string, now = Date.now()): string {
  const date = new Date(at);
  return date.toDateString() === new Date(now).toDateString() ? clock.format(date) : day.format(date);
}

/** When a job starts, as far as is known: `Starts about 14:20 (p50) to 15:05 (p90)`. */
export function spellStart(
  start: { when: string; at?: string; p50?: string; p90?: string; why?: string } | undefined,
  now = Date.now(),
): string {
  if (start === undefined) return "";
  if (start.when === "now") return "Starts now";
  const planned = start.at === undefined ? "" : `Planned for ${spellClock(start.at, now)}`;
  if (start.p50 !== undefined && start.p90 !== undefined) {
    return `Starts about ${spellClock(start.p50, now)} (p50) to ${spellClock(start.p90, now)} (p90)`;
  }
  if (planned !== "") return planned;
  return start.why === undefined ? "Start not known yet" : `Start not known: ${start.why}`;
}
