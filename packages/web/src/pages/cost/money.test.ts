import assert from "node:assert/strict";
import test from "node:test";
import { readMoney, shareOf, spellMoney } from "./money.ts";

test("money is exact, however large, and rounded to what its currency has", () => {
  assert.equal(spellMoney("123450000", "EUR"), "123.45 EUR");
  assert.equal(spellMoney("-4999", "EUR"), "−0.004999 EUR");
  assert.equal(spellMoney("-1500000", "USD"), "−1.50 USD");
  assert.equal(spellMoney("1500000", "JPY"), "2 JPY");
  assert.match(spellMoney("9007199254740993000000", "EUR"), /9.007.199.254.740.993\.00 EUR/);
});

test("an amount is read with a point or a comma, and what is none is refused", () => {
  assert.equal(readMoney("12.5"), "12500000");
  assert.equal(readMoney("0,000001"), "1");
  assert.equal(readMoney("-1"), undefined);
  assert.equal(shareOf("25", "100"), 0.25);
  assert.equal(shareOf("1", "0"), 0);
});
