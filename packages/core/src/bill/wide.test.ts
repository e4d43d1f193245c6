import assert from "node:assert/strict";
import { it } from "node:test";
import { addBigInt, addProduct, addSum, addWide, clearSum, fitting, isZero, sumAt } from "./wide.ts";

it("a sum of two numbers of a column is exact far beyond 2^53, and touches nothing beside it", () => {
  const column = new Float64Array(6);
  let exact = 0n;
  for (let i = 0; i < 2_000; i++) {
    const [a, b] = [50_000 * 21_000 - i, 31 * 86_400_000 * 2 ** (i % 12) + 1];
    addProduct(column, 2, a, b);
    addWide(column, 2, 2 ** 52 - 1 - i);
    exact += BigInt(a) * BigInt(b) + 2n ** 52n - 1n - BigInt(i);
  }
  assert.ok(exact > 2n ** 64n);
  assert.equal(sumAt(column, 2), exact);
  addSum(column, 4, column, 2);
  addBigInt(column, 4, 2n ** 60n + 7n);
  assert.equal(sumAt(column, 4), exact + 2n ** 60n + 7n);
  clearSum(column, 2);
  assert.deepEqual([sumAt(column, 2), isZero(column, 2), isZero(column, 4), column[0]], [0n, true, false, 0]);
  const longer = fitting(column, 7);
  assert.deepEqual([longer.length, sumAt(longer, 4)], [12, exact + 2n ** 60n + 7n]);
  assert.equal(fitting(longer, 12), longer);
});
