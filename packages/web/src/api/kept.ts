/** What this browser remembers under a name; undefined where it remembers nothing. */
export function readKept(place: string): unknown {
  try {
    return JSON.parse(localStorage.getItem(place) ?? "null") ?? undefined;
  } catch {
    return undefined;
  }
}

/** A browser that keeps nothing, or is full, forgets: that must not keep anybody from working. */
export function keep(place: string, value: unknown): void {
  try {
    localStorage.setItem(place, JSON.stringify(value));
  } catch {}
}
