import { useCallback, useSyncExternalStore } from "react";

interface Clock {
  readonly listeners: Set<() => void>;
  timer: ReturnType<typeof setInterval> | undefined;
  ticks: number;
}

const clocks = new Map<number, Clock>();

/** Draws the part that uses it again every so often, because it shows how long something takes. One timer serves a page. */
export function useTick(everyMs: number): void {
  // The same function each time: another one would be another subscription, and start the interval again.
  const subscribe = useCallback((listener: () => void) => listen(clockOf(everyMs), everyMs, listener), [everyMs]);
  useSyncExternalStore(subscribe, () => clockOf(everyMs).ticks);
}

function clockOf(everyMs: number): Clock {
  let clock = clocks.get(everyMs);
  if (clock === undefined) {
    clock = { listeners: new Set(), timer: undefined, ticks: 0 };
    clocks.set(everyMs, clock);
  }
  return clock;
}

function listen(clock: Clock, everyMs: number, listener: () => void): () => void {
  const { listeners } = clock;
  listeners.add(listener);
  clock.timer ??= setInterval(() => {
    clock.ticks++;
    for (const each of listeners) each();
  }, everyMs);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(clock.timer);
    clock.timer = undefined;
  };
}
