import {
  day,
  type Instant,
  type Period,
  type PriceVersion,
  type PriceWindow,
  type Refusal,
  refuse,
} from "@tessera/core";
import { Temporal } from "temporal-polyfill";

/** The month that an instant lies in, in the zone in which months are billed. */
export function periodAt(at: Instant, zone: string): Period {
  const local = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone);
  return monthOf(local.year, local.month, zone);
}

/** `2026-11`. */
export function periodNamed(label: string, zone: string): Period | Refusal {
  const match = /^(\d{4})-(0[1-9]|1[0-2])$/.exec(label);
  if (match === null) return refuse("invalid", "period", label, "is not a month", "write it as 2026-11");
  return monthOf(Number(match[1]), Number(match[2]), zone);
}

function monthOf(year: number, month: number, zone: string): Period {
  const first = Temporal.PlainDate.from({ year, month, day: 1 });
  const startOf = (date: Temporal.PlainDate) => date.toZonedDateTime(zone).epochMilliseconds;
  const label = `${String(year).padStart(4, "0")}-${String(month).padStart(2, "0")}`;
  return { label, fromAt: startOf(first), toAt: startOf(first.add({ months: 1 })), zone };
}

/**
 * The times of day of the price lists as instants between two others. A night on which clocks change is as long as it
 * really is. Where two overlap, the one that began first goes on, also where it began before `fromAt`: stretches that
 * are looked at apart have the same windows.
 */
export function windowsBetween(versions: readonly PriceVersion[], fromAt: Instant, toAt: Instant): PriceWindow[] {
  const nights: Night[] = [];
  for (const [i, version] of versions.entries()) {
    const from = Math.max(fromAt, version.fromAt);
    const to = Math.min(toAt, versions[i + 1]?.fromAt ?? toAt);
    if (from < to) nights.push(...nightsOf(version, from, to));
  }
  nights.sort((a, b) => a.window.fromAt - b.window.fromAt || a.begins - b.begins || a.ends - b.ends);
  const apart: PriceWindow[] = [];
  for (const { window } of nights) {
    const begins = Math.max(window.fromAt, apart.at(-1)?.toAt ?? 0);
    if (begins < window.toAt) apart.push({ ...window, fromAt: begins });
  }
  return apart;
}

/** A time of day on one day, and as much of it as lies in the stretch. */
interface Night {
  readonly begins: Instant;
  readonly ends: Instant;
  readonly window: PriceWindow;
}

function nightsOf(version: PriceVersion, from: Instant, to: Instant): Night[] {
  const found: Night[] = [];
  for (const { zone, days, fromMinute, toMinute, perMille } of version.timesOfDay) {
    const dateAt = (at: Instant) => Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone).toPlainDate();
    const last = dateAt(to);
    // From the day before: its night may reach into the stretch.
    for (let date = dateAt(from - day); Temporal.PlainDate.compare(date, last) <= 0; date = date.add({ days: 1 })) {
      if (!days.includes(date.dayOfWeek)) continue;
      const begins = localTime(date, fromMinute, zone);
      const ends = localTime(toMinute <= fromMinute ? date.add({ days: 1 }) : date, toMinute, zone);
      const window = { fromAt: Math.max(from, begins), toAt: Math.min(to, ends), perMille };
      if (window.fromAt < window.toAt) found.push({ begins, ends, window });
    }
  }
  return found;
}

function localTime(date: Temporal.PlainDate, minuteOfDay: number, zone: string): Instant {
  const whole = date.add({ days: Math.floor(minuteOfDay / 1440) });
  const rest = minuteOfDay % 1440;
  const time = Temporal.PlainTime.from({ hour: Math.floor(rest / 60), minute: rest % 60 });
  return whole.toZonedDateTime({ timeZone: zone, plainTime: time }).epochMilliseconds;
}
