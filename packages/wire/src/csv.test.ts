import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { csvText } from "./csv.ts";

describe("CSV", () => {
  it("quotes cells with commas, quotes and line ends, and doubles quotes", () => {
    assert.equal(csvText([["a,b", 'a"b', "a\nb", "plain"]]), '"a,b","a""b","a\nb",plain\r\n');
  });

  it("makes text harmless that a spreadsheet would run as a formula, and leaves numbers alone", () => {
    const cells = ["=1+1", "+cmd", "-2+3", "@SUM(A1)", "\t=1", "-12.50", "+3", "a=b"];
    assert.equal(csvText([cells], "\n"), "'=1+1,'+cmd,'-2+3,'@SUM(A1),'\t=1,-12.50,+3,a=b\n");
  });
});
