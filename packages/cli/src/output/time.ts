import { shortDuration } from "@tessera/wire/duration";

/** Time since an instant on the wire; empty when there is none. */
export function ageText(at: string | undefined, now: number): string {
  if (at === undefined) return "";
  const ms = now - Date.parse(at);
  return ms < 1_000 ? "0s" : shortDuration(ms);
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
