import type { LeaseId } from "@tessera/core";

/** Listeners to the changes of single members: each log that is followed is one. */
export class Watchers {
  readonly #watchers = new Map<LeaseId, Set<() => void>>();

  add(lease: LeaseId, onChange: () => void): () => void {
    const watchers = this.#watchers.get(lease) ?? new Set();
    this.#watchers.set(lease, watchers.add(onChange));
    return () => {
      if (watchers.delete(onChange) && watchers.size === 0) this.#watchers.delete(lease);
    };
  }

  call(lease: LeaseId): void {
    for (const watcher of this.#watchers.get(lease) ?? []) watcher();
  }
}
