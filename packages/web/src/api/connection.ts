import { useSyncExternalStore } from "react";

/** Whether what the page shows is live. */
export interface Connection {
  readonly live: boolean;
  /** Since when it is not. */
  readonly lostAt: number;
}

let now: Connection = { live: true, lostAt: 0 };
const lost = new Set<object>();
const listeners = new Set<() => void>();
const returns = new Set<() => void>();

function tell(): void {
  for (const listener of listeners) listener();
}

/** A stream has lost its server. */
export function noteLost(stream: object): void {
  lost.add(stream);
  if (!now.live) return;
  now = { live: false, lostAt: Date.now() };
  tell();
}

/** A stream is live again, or no longer needed. */
export function noteLive(stream: object): void {
  if (!lost.delete(stream) || lost.size > 0) return;
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
