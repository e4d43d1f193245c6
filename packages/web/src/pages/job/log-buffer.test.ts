import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { LogEntry } from "@tessera/wire";
import { addByTime, LogBuffer } from "./log-buffer.ts";
import { findLine, nameOfLine } from "./log-places.ts";

const time = (at: number) => new Date(at).toISOString();
const line = (at: number, rank = 0, text = `${at} of ${rank}`): LogEntry => ({
  at: time(at),
  rank,
  stream: "stdout",
  text,
});
const span = (from: number, to: number, rank = 0) =>
  Array.from({ length: to - from + 1 }, (_, i) => line(from + i, rank));
const textsOf = (lines: readonly LogEntry[]) => lines.map(({ text }) => text);

describe("the lines of a log", () => {
  /** What a server would send of a log for a question. */
  const answer = (log: readonly LogEntry[], tail: number, since: string | undefined) => {
    const ranks = Map.groupBy(log, ({ rank }) => rank);
    return addByTime(
      [],
      [...ranks.values()].flatMap((each) => each.slice(-tail).filter(({ at }) => since === undefined || at >= since)),
    );
  };

  it("are neither lost nor doubled when reading stops and goes on, wherever it does", () => {
    const log = [line(1), line(1, 0, "same"), line(2, 1), line(3), line(3, 1), line(5), line(5, 0, "same"), line(8, 1)];
    for (let stop = 0; stop <= log.length; stop++) {
      const buffer = new LogBuffer(100);
      buffer.begin({ at: time(9), attempt: 1 }, 50);
      buffer.add(log.slice(0, stop));
      buffer.begin({ at: time(9), attempt: 1 }, 50);
      buffer.add(answer(log, 50, buffer.since(2)));
      assert.deepEqual(textsOf(buffer.lines), textsOf(log), `stopped after ${stop}`);
      assert.equal(buffer.cut, false);
      assert.equal(new Set(buffer.lines.map(({ no }) => no)).size, log.length);
    }
  });

  it("have no hole where more was printed meanwhile than is read: what is before it goes", () => {
    const buffer = new LogBuffer(1_000);
    buffer.begin({ at: time(100), attempt: 1 }, 50);
    buffer.add([...span(1, 10, 0), ...span(5, 20, 1)]);
    assert.equal(buffer.cut, false);
    const log = [...span(1, 900, 0), ...span(5, 20, 1)];
    buffer.begin({ at: time(901), attempt: 1 }, 50);
    buffer.add(answer(log, 50, buffer.since(2)));
    assert.deepEqual(textsOf(buffer.lines), textsOf(span(851, 900)));
    assert.equal(buffer.cut, true);
  });

  it("keep what slow ranks print, and the newest when there are too many; say that there are others before", () => {
    const buffer = new LogBuffer(100);
    buffer.begin({ at: time(1_000), attempt: 1 }, 20);
    buffer.add(span(11, 30, 0));
    buffer.add(span(5, 12, 1));
    assert.equal(buffer.lines.length, 28);
    assert.equal(buffer.cut, true, "as many as were asked for");
    buffer.add(span(2_000, 2_200));
    assert.deepEqual(textsOf(buffer.lines), textsOf(span(2_101, 2_200)));
    const printing = new LogBuffer(100);
    printing.begin({ at: time(0), attempt: 1 }, 20);
    printing.add(span(1, 50));
    assert.equal(printing.cut, false, "printed since: nothing is before them");
  });

  it("are those of the attempt that runs: another one begins a log of its own", () => {
    const buffer = new LogBuffer(100);
    buffer.begin({ at: time(10), attempt: 1 }, 20);
    buffer.add(span(1, 3));
    buffer.begin({ at: time(10), attempt: 2 }, 20);
    assert.deepEqual(buffer.lines, []);
    buffer.add(span(1, 2));
    assert.equal(buffer.lines.length, 2);
  });

  it("of several ranks are one log by time, also where those of one rank come late, and each can be named", () => {
    const all = addByTime([line(1), line(4), line(6)], [line(2, 1), line(4, 1), line(7, 1)]);
    assert.deepEqual(textsOf(all), ["1 of 0", "2 of 1", "4 of 0", "4 of 1", "6 of 0", "7 of 1"]);
    assert.deepEqual(addByTime([], all), all);
    const twice = [line(1), line(1, 0, "in the same millisecond"), line(1, 1)];
    for (const each of twice) assert.equal(findLine(twice, nameOfLine(twice, each)), each);
    assert.equal(findLine(twice, "nothing"), undefined);
  });
});
