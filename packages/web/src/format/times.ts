import type { Start } from "@tessera/wire";
import { shortDuration } from "@tessera/wire/duration";
import { zoneName } from "./zone.ts";

const dayMs = 86_400_000;

/** Always of 24 hours, as logs and axes have it: the same moment reads alike everywhere. */
const looks = {
  clock: { hour: "2-digit", minute: "2-digit", hourCycle: "h23" },
  seconds: { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" },
  year: { year: "numeric" },
  dayOfYear: {
    ...{ year: "numeric", month: "short", day: "numeric" },
    ...{ hour: "2-digit", minute: "2-digit", hourCycle: "h23" },
  },
  momentOfYear: {
    ...{ year: "numeric", month: "short", day: "numeric" },
    ...{ hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" },
  },
  day: { month: "short", day: "numeric", hour: "2-digit", minute: "2-digit", hourCycle: "h23" },
  month: { year: "numeric", month: "long" },
  plain: { weekday: "short", month: "short", day: "numeric" },
  date: { year: "numeric", month: "2-digit", day: "2-digit" },
  moment: { month: "short", day: "numeric", hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" },
  whole: { dateStyle: "medium", timeStyle: "long", hourCycle: "h23" },
} as const satisfies Record<string, Intl.DateTimeFormatOptions>;
const made = new Map<string, Intl.DateTimeFormat>();

/** A formatter is dear to make and the zone can be changed, so each is made once for each zone. */
function formatted(look: keyof typeof looks, at: string | number, timeZone = zoneName()): string {
  const key = `${look} ${timeZone}`;
  let format = made.get(key);
  if (format === undefined) {
    format = new Intl.DateTimeFormat(undefined, { ...looks[look], timeZone });
    made.set(key, format);
  }
  return format.format(new Date(at));
}

/** A span in whole seconds and at most two units: `45s`, `2h10m`, `3d4h`. */
export function spellSpan(ms: number): string {
  return shortDuration(Math.max(0, Math.round(ms / 1000) * 1000));
}

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/** A measured span in two figures: `about 45 s`, `about 24 h`, `about 2.8 d`. */
export function spellAbout(ms: number): string {
  if (ms < second) return "under 1 s";
  const [unit, length] =
    ms < minute ? ["s", second] : ms < hour ? ["min", minute] : ms < 2 * dayMs ? ["h", hour] : ["d", dayMs];
  return `about ${Number((ms / length).toPrecision(2))} ${unit}`;
}

/** With the year, where it is not the one of now. */
function dated(look: "day" | "moment", at: string | number, now: number): string {
  return formatted(formatted("year", at) === formatted("year", now) ? look : `${look}OfYear`, at);
}

/** Whether an instant is told by how far away it is, not by its date. */
export function isNear(at: string, now = Date.now()): boolean {
  return Math.abs(Date.parse(at) - now) < dayMs;
}

/** Relative under a day, absolute beyond. */
export function spell(at: string, now = Date.now()): string {
  const away = Date.parse(at) - now;
  if (Math.abs(away) < 5_000) return "now";
  if (!isNear(at, now)) return dated("day", at, now);
  return away < 0 ? `${spellSpan(-away)} ago` : `in ${spellSpan(away)}`;
}

/** With its zone, and in UTC too, for the hover. */
export function spellFull(at: string): string {
  const zone = zoneName();
  const utc = at.replace("T", " ").replace(/(\.\d+)?Z$/, " UTC");
  return zone === "UTC" ? utc : `${formatted("whole", at)} (${zone})\n${utc}`;
}

const instants = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;

/** A sentence of the server with its times in the reader's zone. */
export function inZone(text: string): string {
  return text.replaceAll(instants, (at) => spellClock(at));
}

/** `14:20:07`, for lines of a log. */
export function spellSeconds(at: string): string {
  return formatted("seconds", at);
}

/** `14:20`. */
export function spellTimeOfDay(at: number): string {
  return formatted("clock", at);
}

/** `Nov 16, 14:20:07`. */
export function spellDay(at: number, now = Date.now()): string {
  return dated("moment", at, now);
}

/** `Mon, Nov 16`: a calendar day of UTC. */
export function spellUtcDay(at: number): string {
  return formatted("plain", at, "UTC");
}

/** `November 2026` of `2026-11`, a month as the books name it. */
export function spellMonth(period: string): string {
  return formatted("month", `${period}-01T00:00:00Z`, "UTC");
}

/** `2026-11-16` in a zone of its own: months of invoices begin where the books are kept. */
export function spellDate(at: string, timeZone: string): string {
  const parts = new Intl.DateTimeFormat("en", { year: "numeric", month: "2-digit", day: "2-digit", timeZone });
  const { year, month, day } = Object.fromEntries(
    parts.formatToParts(new Date(at)).map(({ type, value }) => [type, value]),
  );
  return `${year}-${month}-${day}`;
}

/** The time of day, with the date when it is not today. */
export function spellClock(at: string, now = Date.now()): string {
  return formatted("date", at) === formatted("date", now) ? formatted("clock", at) : dated("day", at, now);
}

/** When a job starts, as far as is known: `Starts about 14:20 (p50) to 15:05 (p90)`. */
export function spellStart(start: Start | undefined, now = Date.now()): string {
  if (start === undefined) return "";
  if (start.when === "now") return "Starts now";
  const word = start.basis === "price" || start.basis === "period" ? "Not before" : "Planned for";
  const planned = start.at === undefined ? "" : `${word} ${spellClock(start.at, now)}`;
  if (start.p50 !== undefined && start.p90 !== undefined) {
    return `Starts about ${spellClock(start.p50, now)} (p50) to ${spellClock(start.p90, now)} (p90)`;
  }
  if (planned !== "") return planned;
  return start.why === undefined ? "Start not known yet" : `Start not known: ${inZone(start.why)}`;
}
