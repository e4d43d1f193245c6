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

/** Found once: a log asks for each of its lines. */
let localName: string | undefined;

/** As `Intl` names it, such as `Europe/Berlin`. */
export function zoneName(zone: Zone = zoneChosen()): string {
  if (zone === "utc") return "UTC";
  localName ??= Intl.DateTimeFormat().resolvedOptions().timeZone;
  return localName;
}
