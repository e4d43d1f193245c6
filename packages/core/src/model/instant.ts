import { day, type Instant } from "./units.ts";

/** An instant for people, in UTC to the second: `2026-11-16T05:20:48Z`. Core has no `Date`. */
export function instantText(at: Instant): string {
  const days = Math.floor(at / day);
  const seconds = Math.floor((at - days * day) / 1000);
  const two = (value: number) => String(value).padStart(2, "0");
  const time = [seconds / 3600, (seconds / 60) % 60, seconds % 60].map((part) => two(Math.floor(part))).join(":");
  return `${dateText(days)}T${time}Z`;
}

/** The Gregorian date of a day since the epoch. Years begin in March here, so that the leap day is the last of one. */
function dateText(sinceEpoch: number): string {
  const days = sinceEpoch + 719_468;
  const era = Math.floor(days / 146_097);
  const ofEra = days - era * 146_097;
  const year = Math.floor(
    (ofEra - Math.floor(ofEra / 1460) + Math.floor(ofEra / 36_524) - Math.floor(ofEra / 146_096)) / 365,
  );
  const ofYear = ofEra - (365 * year + Math.floor(year / 4) - Math.floor(year / 100));
  const fromMarch = Math.floor((5 * ofYear + 2) / 153);
  const date = ofYear - Math.floor((153 * fromMarch + 2) / 5) + 1;
  const month = fromMarch < 10 ? fromMarch + 3 : fromMarch - 9;
  const shown = [era * 400 + year + (month <= 2 ? 1 : 0), month, date];
  return shown.map((part, i) => String(part).padStart(i === 0 ? 4 : 2, "0")).join("-");
}
