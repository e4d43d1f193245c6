/** Time as the shell sees it. The real one is the machine's; the simulated one is moved by the simulator. */
export interface Clock {
  now(): number;
  /** Runs `act` once, at `at` or soon after. Returns a function that calls it off. */
  at(instant: number, act: () => void): () => void;
  /**
   * The instant at which the machine had been up for `upMs` since the start that `bootId` names. Programs beside the
   * server measure so, since the clock of the machine can be set; undefined where that start is not known.
   */
  whenUp?(bootId: string, upMs: number): number | undefined;
}

/** The clock of the machine, which can be set: for programs that only show the time, and for tests. */
export const systemClock: Clock = {
  now: () => Date.now(),
  at: (instant, act) => timerAt(() => Date.now(), instant, act),
};

/** Runs `act` when `now` says that the instant has come. */
export function timerAt(now: () => number, instant: number, act: () => void): () => void {
  // Timers hold 31 bits of milliseconds; a later instant is reached in steps.
  const wait = Math.max(0, instant - now());
  let cancel = () => clearTimeout(timer);
  const timer = setTimeout(
    () => {
      if (wait > longestTimerMs) cancel = timerAt(now, instant, act);
      else act();
    },
    Math.min(wait, longestTimerMs),
  );
  return () => cancel();
}

const longestTimerMs = 2 ** 31 - 1;
