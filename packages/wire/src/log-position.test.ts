import assert from "node:assert/strict";
import test from "node:test";
import { LogPosition } from "./log-position.ts";
import type { LogEntry } from "./shapes/job.ts";

const line = (rank: number, second: number, text: string): LogEntry => ({
  at: `2026-11-15T10:00:0${second}.000Z`,
  rank,
  stream: "stdout",
  text,
});

test("a log taken up again repeats nothing and loses nothing, also within one millisecond and with ranks out of step", () => {
  const all = [
    line(0, 1, "a"),
    line(0, 1, "a"),
    line(1, 0, "x"),
    line(0, 2, "b"),
    line(1, 3, "y"),
    line(0, 2, "c"),
    line(0, 4, "d"),
  ];
  for (let cut = 0; cut <= all.length; cut += 1) {
    const position = new LogPosition();
    position.begin();
    const shown = all.slice(0, cut).filter((entry) => position.take(entry));
    const since = position.since(2);
    position.begin();
    const again = all.filter(({ at }) => since === undefined || at >= since).filter((entry) => position.take(entry));
    assert.deepEqual(
      [...shown, ...again].map(({ text }) => text).toSorted(),
      all.map(({ text }) => text).toSorted(),
      `cut at ${cut}`,
    );
  }
});

test("while a rank has not spoken, everything is asked for again", () => {
  const position = new LogPosition();
  position.begin();
  position.take(line(0, 5, "a"));
  assert.equal(position.since(2), undefined);
  assert.equal(position.since(1), "2026-11-15T10:00:05.000Z");
});
