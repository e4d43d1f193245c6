/** The one zone in which the console shows times: that of the viewer's machine, or UTC. */
export type Zone = "local" | "utc";

const key = "tessera-zone";

export function zoneChosen(): Zone {
  return typeof localStorage !== "undefined" && localStorage.getItem(key) === "utc" ? "utc" : "local";
}

const listeners = new Set<() => void>();

export function chooseZone(zone: Zone): void {
  if (zone === "local") localStorage.removeItem(key);
  else localStorage.setItem(key, zone);
  for (const listener of listeners) listener();
}

export function onZone(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The instant of a local time as it is typed into a form, in the zone in which times are shown; undefined for no time. */
export function instantOf(local: string): string | undefined {
  const at = new Date(`${local}${zoneChosen() === "utc" ? "Z" : ""}`);
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString();
}

/** An instant as a form has it, in the zone in which times are shown: `2026-11-16T14:20`. */
export function localOf(at: string): string {
  if (zoneChosen() === "utc") return at.slice(0, 16);
  const when = new Date(at);
  const two = (value: number) => String(value).padStart(2, "0");
  // A year that is being typed begins as 0002.
  const date = `${String(when.getFullYear()).padStart(4, "0")}-${two(when.getMonth() + 1)}-${two(when.getDate())}`;
  return `${date}T${two(when.getHours())}:${two(when.getMinutes())}`;
}

/** Found once: a log asks for each of its lines. */
let localName: string | undefined;

/** As `Intl` names it, such as `Europe/Berlin`. */
export function zoneName(zone: Zone = zoneChosen()): string {
  if (zone === "utc") return "UTC";
  localName ??= Intl.DateTimeFormat().resolvedOptions().timeZone;
  return localName;
}
