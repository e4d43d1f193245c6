import assert from "node:assert/strict";
import { it } from "node:test";
import { compareAmounts, largest } from "./largest.ts";

it("the largest rows come first, and the others come together, beyond what a number holds and below zero", () => {
  const rows = ["5", "9007199254740993", "-3", "9007199254740992"];
  const amountOf = (row: string) => row;
  assert.deepEqual(largest(rows, 1, amountOf), {
    rows: ["9007199254740993"],
    rest: { rows: 3, amount: "9007199254740994" },
  });
  assert.deepEqual(largest(rows, 4, amountOf), { rows });
  assert.deepEqual(largest(rows, undefined, amountOf), { rows });
  assert.deepEqual(rows.toSorted(compareAmounts), ["-3", "5", "9007199254740992", "9007199254740993"]);
});
