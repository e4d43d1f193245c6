const plainEveryMs = 10_000;
const drawnEveryMs = 100;

/**
 * Says what is being done and for how long: one line that is redrawn on a terminal, otherwise a line at the start, one
 * every ten seconds and one at the end. `detail` is asked each time for what to add.
 */
export function begin(what, { stream = process.stderr, now = Date.now, detail = () => "" } = {}) {
  const from = now();
  const line = () => {
    const more = detail();
    return `tessera: ${what}${more === "" ? "" : `, ${more}`} (${seconds(now() - from)})`;
  };
  const redraw = stream.isTTY === true;
  if (redraw) stream.write(`tessera: ${what}`);
  else stream.write(`tessera: ${what} ...\n`);
  const timer = setInterval(
    () => stream.write(redraw ? `\r\x1b[K${line()}` : `${line()}\n`),
    redraw ? drawnEveryMs : plainEveryMs,
  );
  const finish = (word) => {
    clearInterval(timer);
    stream.write(`${redraw ? "\r\x1b[K" : ""}tessera: ${what}: ${word} (${seconds(now() - from)})\n`);
  };
  return {
    /** Runs `act` to its end, which is the end of this step. */
    async over(act) {
      try {
        await act();
      } catch (error) {
        finish("failed");
        throw error;
      }
      finish("done");
    },
  };
}

/** `0.4 s`, `12 s`, `2 min 5 s`. */
export function seconds(ms) {
  if (ms < 9_950) return `${(ms / 1000).toFixed(1)} s`;
  const whole = Math.round(ms / 1000);
  return whole < 120 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}
