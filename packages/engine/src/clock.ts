/** Time as the shell sees it. The real one is the machine's; the simulated one is moved by the simulator. */
export interface Clock {
  now(): number;
  /** Runs `act` once, at `at` or soon after. Returns a function that calls it off. */
  at(instant: number, act: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  at(instant, act) {
    // Timers hold 31 bits of milliseconds; a later instant is reached in steps.
    const wait = Math.max(0, instant - Date.now());
    let cancel = () => clearTimeout(timer);
    const timer = setTimeout(
      () => {
        if (wait > longestTimerMs) cancel = systemClock.at(instant, act);
        else act();
      },
      Math.min(wait, longestTimerMs),
    );
    return () => cancel();
  },
};

const longestTimerMs = 2 ** 31 - 1;
