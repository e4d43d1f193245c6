import assert from "node:assert/strict";
import { test } from "node:test";
import { amountText, decimalText, moneyText, plainAmount, readAmount } from "./money.ts";

test("money is exact, however large, and rounded to what its currency is paid in", () => {
  assert.equal(moneyText("1234500000", "EUR"), "1,234.50 EUR");
  assert.equal(moneyText("-1500000", "USD"), "-1.50 USD");
  assert.equal(moneyText("1500000", "JPY"), "2 JPY");
  assert.equal(moneyText("1234567", "KWD"), "1.235 KWD");
  assert.equal(moneyText("9007199254740993000000", "EUR"), "9,007,199,254,740,993.00 EUR");
  assert.equal(amountText("-1999999", "EUR"), "-2.00");
  assert.equal(decimalText(-1n, 6), "-0.000001");
});

test("an amount that its currency's digits would hide is shown with all of its digits", () => {
  assert.equal(moneyText("4999", "EUR"), "0.004999 EUR");
  assert.equal(moneyText("0", "EUR"), "0.00 EUR");
});

test("an amount is read exactly, and what is none is not read", () => {
  assert.equal(readAmount("12.5"), "12500000");
  assert.equal(readAmount("0.000001"), "1");
  for (const text of ["-1", "1e3", "", "1.0000001", "x"]) assert.equal(readAmount(text), undefined);
  for (const micros of ["0", "1", "12500000", "90000000000"]) assert.equal(readAmount(plainAmount(micros)), micros);
  assert.deepEqual([plainAmount("90000000000"), plainAmount("-12500000")], ["90000", "-12.5"]);
});
