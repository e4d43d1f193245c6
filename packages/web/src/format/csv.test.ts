import assert from "node:assert/strict";
import test from "node:test";
import { csvOf } from "./csv.ts";

test("a table is written with quotes doubled and formulas made harmless", () => {
  assert.equal(csvOf([{ who: 'a"b', what: "=1+1" }]), '"who","what"\r\n"a""b","\'=1+1"');
  assert.equal(csvOf([]), "");
});
