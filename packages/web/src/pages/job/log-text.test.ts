import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { addByTime, findLine, nameOfLine } from "./log-lines.ts";
import { isTrouble, piecesOf, plainText } from "./log-text.ts";

const esc = "\u001b";

describe("a line of a log", () => {
  it("keeps the colours of the program and no other control sequence", () => {
    assert.deepEqual(piecesOf(`${esc}[1;31mbad${esc}[0m then ${esc}[2K${esc}]0;title\u0007plain\u0007`), [
      { text: "bad", look: "red bold" },
      { text: " then ", look: "" },
      { text: "plain", look: "" },
    ]);
    assert.deepEqual(piecesOf(`${esc}[38;5;208morange${esc}[94mblue`), [
      { text: "orange", look: "" },
      { text: "blue", look: "blue" },
    ]);
    assert.equal(plainText(`a${esc}[31mb${esc}[0mc`), "abc");
  });

  it("shows what a progress bar wrote last", () => {
    assert.equal(plainText("10 %\r50 %\r100 %\r"), "100 %");
    assert.equal(plainText("\r\r"), "");
  });

  it("is trouble where a reader would stop", () => {
    const yes = ["RuntimeError: CUDA error", "Traceback (most recent call last):", "Killed"];
    const no = ["errors=0 is fine", "no problem"];
    assert.deepEqual(
      [...yes, ...no].map((text) => isTrouble({ text })),
      [true, true, true, false, false],
    );
  });
});

describe("lines of several ranks", () => {
  const line = (at: number, rank: number) => ({
    at: new Date(at).toISOString(),
    rank,
    stream: "stdout" as const,
    text: `${at} of ${rank}`,
  });
  it("are one log by time, also where those of one rank come late", () => {
    const all = addByTime([line(1, 0), line(4, 0), line(6, 0)], [line(2, 1), line(4, 1), line(7, 1)]);
    assert.deepEqual(
      all.map(({ text }) => text),
      ["1 of 0", "2 of 1", "4 of 0", "4 of 1", "6 of 0", "7 of 1"],
    );
    assert.deepEqual(addByTime([], all), all);
    const twice = [line(1, 0), { ...line(1, 0), text: "in the same millisecond" }, line(1, 1)];
    for (const each of twice) assert.equal(findLine(twice, nameOfLine(twice, each)), each);
    assert.equal(findLine(twice, "nothing"), undefined);
  });
});
