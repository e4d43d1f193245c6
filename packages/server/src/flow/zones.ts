import { type Instant, type Refusal, refuse } from "@tessera/core";
import { Temporal } from "temporal-polyfill";

const pattern = /^\d{4}-\d{2}-\d{2}(?:[Tt ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?([Zz]|[+-]\d{2}:?\d{2})?)?$/;

/** Whether this machine's calendar knows the zone. */
export function checkZone(zone: string): Refusal | undefined {
  try {
    Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(zone);
    return undefined;
  } catch {
    return refuse("invalid", "tz", zone, "is not a time zone", "use an IANA name such as Europe/Berlin or UTC");
  }
}

/**
 * The instant that a text names: by its own offset, or as local time of the zone. A local time that a clock change
 * skips is moved on by the length of the change; of one that comes twice the first is meant.
 */
export function instantOf(text: string, zone: string | undefined, field: string): Instant | Refusal {
  const match = pattern.exec(text);
  if (match === null) {
    return refuse(
      "invalid",
      field,
      text,
      "is not a date and time",
      "write 2026-09-01T18:00 with tz, or 2026-09-01T18:00:00+02:00",
    );
  }
  if (match[1] === undefined && zone === undefined) {
    return refuse(
      "invalid",
      field,
      text,
      "has no offset, and tz is not given",
      "add tz: Europe/Berlin, or an offset such as +02:00",
    );
  }
  try {
    if (match[1] !== undefined) return Temporal.Instant.from(text).epochMilliseconds;
    const local = Temporal.PlainDateTime.from(text);
    return local.toZonedDateTime(zone!, { disambiguation: "compatible" }).epochMilliseconds;
  } catch {
    return refuse("invalid", field, text, "is not a day or time that exists", "check month, day, hour and minute");
  }
}

/** A point in time of a query: an instant, or a duration back from now. */
export function instantOrAgo(
  text: string,
  field: string,
  now: Instant,
  durationOf: (text: string) => number | Refusal,
): Instant | Refusal {
  if (/^\d+[a-z]/.test(text)) {
    const back = durationOf(text);
    return typeof back === "number" ? now - back : back;
  }
  return instantOf(text, "UTC", field);
}
