import { useSyncExternalStore } from "react";

/** Whether the server answers this window. */
export interface Connection {
  readonly live: boolean;
  /** Since when it does not. */
  readonly lostAt: number;
}

let now: Connection = { live: true, lostAt: 0 };
const listeners = new Set<() => void>();
const returns = new Set<() => void>();

function tell(): void {
  for (const listener of listeners) listener();
}

/** The server is gone. */
export function noteLost(): void {
  if (!now.live) return;
  now = { live: false, lostAt: Date.now() };
  tell();
}

/** The server is there, or nothing is wanted of it. */
export function noteLive(): void {
  if (now.live) return;
  now = { live: true, lostAt: 0 };
  tell();
  for (const listener of returns) listener();
}

/** Called when the server is back after it was lost: everything read before may be out of date. */
export function onReturn(listener: () => void): () => void {
  returns.add(listener);
  return () => returns.delete(listener);
}

export function isLive(): boolean {
  return now.live;
}

export function useConnection(): Connection {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => now,
  );
}
