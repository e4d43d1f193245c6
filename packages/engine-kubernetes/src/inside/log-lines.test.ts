import assert from "node:assert/strict";
import { it } from "node:test";
import { maskerOf } from "@tessera/engine/log";
import { LogLines, type LogPlace, logBegin } from "./log-lines.ts";

const log = [
  "2026-11-16T15:00:00.100000001Z \u001etess stream setup",
  "2026-11-16T15:00:00.100000002Z preparing",
  "2026-11-16T15:00:01.000000000Z \u001etess stream stdout",
  "2026-11-16T15:00:01.000000001Z one",
  "2026-11-16T15:00:01.000000002Z two",
  "2026-11-16T15:00:01.000400000Z three",
  "2026-11-16T15:00:02.000000000Z \u001etess say told to stop: SIGTERM",
  "2026-11-16T15:00:02.500000000Z four, with secret-word",
];

function read(lines: readonly string[], after: LogPlace): { told: string[]; place: LogPlace } {
  const reader = new LogLines(3, maskerOf(["secret-word"]), after);
  const told = [...reader.push(Buffer.from(`${lines.join("\n")}\n`)), ...reader.end()];
  assert.ok(told.every(({ rank }) => rank === 3));
  return { told: told.map(({ stream, text }) => `${stream} ${text}`), place: reader.place };
}

const whole = [
  "setup preparing",
  "stdout one",
  "stdout two",
  "stdout three",
  "tessera told to stop: SIGTERM",
  "stdout four, with ******",
];

it("[S28] tells each line with its stream, and no secret", () => {
  assert.deepEqual(read(log, logBegin).told, whole);
});

it("goes on where a connection broke, also within one instant, without losing or repeating a line", () => {
  for (let cut = 0; cut <= log.length; cut += 1) {
    const first = read(log.slice(0, cut), logBegin);
    // The cluster gives what came since the second of the last line again.
    const since = Math.floor(first.place.at / 1000) * 1000;
    const again = log.filter((line) => Date.parse(line.slice(0, line.indexOf(" "))) >= since);
    assert.deepEqual([...first.told, ...read(again, first.place).told], whole, `cut at ${cut}`);
  }
});
