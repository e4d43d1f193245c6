import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { printableLog } from "./terminal.ts";

const esc = "\u001b";

describe("a line of a log on a terminal", () => {
  it("keeps its colours, and ends them", () => {
    assert.equal(printableLog(`${esc}[1;32mok${esc}[0m\tdone`), `${esc}[1;32mok${esc}[0m\tdone${esc}[0m`);
  });

  it("changes neither title nor clipboard, moves no cursor and clears nothing", () => {
    const attacks = [
      `${esc}]0;title\u0007`,
      `${esc}]52;c;ZXZpbA==\u0007`,
      `${esc}[2J${esc}[H`,
      `${esc}[6n`,
      `${esc}P+q544e${esc}\\`,
      `${esc}c`,
      "\u009b2J",
      "\u0008\u0008\u0008",
    ];
    for (const attack of attacks) {
      const shown = printableLog(`a${attack}b`);
      assert.equal(/[\p{Cc}]/u.test(shown), false, JSON.stringify(shown));
    }
  });

  it("shows the last state of a line that drew over itself", () => {
    assert.equal(printableLog("10%\r 50%\r100%"), "100%");
    assert.equal(printableLog("10%\r 50%\r"), " 50%");
  });
});
