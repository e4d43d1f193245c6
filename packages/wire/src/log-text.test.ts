import assert from "node:assert/strict";
import { describe, it } from "node:test";
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
