/** Entries of the history of this tab, each with a name of its own, which it keeps when its address is replaced. */

let last = 0;
const listeners = new Set<(from: string) => void>();

/** The name of the entry that is shown. */
export function entryHere(): string {
  return nameIn(history.state) ?? "";
}

/** Calls a listener with the name of the entry before, once another one is shown; returns how to stop. */
export function onEntry(listener: (from: string) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Begins to name entries; before anything that reads the address is drawn. */
export function nameEntries(): void {
  let here = entryHere() || nextName();
  write(here);
  addEventListener("pushState", () => {
    if (nameIn(history.state) !== undefined) return;
    const from = here;
    here = nextName();
    write(here);
    for (const each of [...listeners]) each(from);
  });
  addEventListener("replaceState", () => {
    if (nameIn(history.state) === undefined) write(here);
  });
  addEventListener("popstate", () => {
    const from = here;
    // An entry whose fragment was typed by hand has no name yet.
    here = entryHere() || nextName();
    write(here);
    for (const each of [...listeners]) each(from);
  });
}

function nextName(): string {
  last++;
  return `${Date.now().toString(36)}-${last}`;
}

function write(name: string): void {
  history.replaceState({ ...history.state, entry: name }, "");
}

function nameIn(state: unknown): string | undefined {
  const { entry } = (state ?? {}) as { entry?: unknown };
  return typeof entry === "string" ? entry : undefined;
}
