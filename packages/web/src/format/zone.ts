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

/** As `Intl` names it, such as `Europe/Berlin`. */
export function zoneName(zone: Zone = zoneChosen()): string {
  return zone === "utc" ? "UTC" : Intl.DateTimeFormat().resolvedOptions().timeZone;
}
