import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { begin, seconds } from "./progress.js";

function stream(isTTY) {
  return {
    isTTY,
    text: "",
    write(chunk) {
      this.text += chunk;
    },
  };
}

describe("progress", () => {
  it("is plain lines where there is no terminal", async () => {
    const out = stream(false);
    let at = 0;
    await begin("building", { stream: out, now: () => at }).over(async () => {
      at = 2_300;
    });
    assert.equal(out.text, "tessera: building ...\ntessera: building: done (2.3 s)\n");
  });

  it("is one line on a terminal, replaced by the result", async () => {
    const out = stream(true);
    const failing = begin("building", { stream: out, now: () => 0 }).over(() => Promise.reject(new Error("no")));
    await assert.rejects(failing, /no/);
    assert.equal(out.text, "tessera: building\r\x1b[Ktessera: building: failed (0.0 s)\n");
  });

  it("writes times as people read them", () => {
    assert.deepEqual([0, 449, 9_949, 9_950, 61_000, 125_400].map(seconds), [
      "0.0 s",
      "0.4 s",
      "9.9 s",
      "10 s",
      "61 s",
      "2 min 5 s",
    ]);
  });
});
