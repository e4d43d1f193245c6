import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { plainAmount } from "@tessera/wire/money";
import { readMoney, shareOf, spellMoney, writeMoney } from "./money.ts";

const micros = (text: string, locale: string) => {
  const read = readMoney(text, locale);
  return "micros" in read ? read.micros : undefined;
};
const wrong = (text: string, locale: string) => {
  const read = readMoney(text, locale);
  return "wrong" in read ? read.wrong : undefined;
};

describe("money", () => {
  it("is exact, however large, and written as the reader's language writes it", () => {
    assert.equal(spellMoney("123450000", "EUR", "en"), "123.45 EUR");
    assert.equal(spellMoney("-4999", "EUR", "en"), "−0.004999 EUR");
    assert.equal(spellMoney("-1500000", "USD", "en"), "−1.50 USD");
    assert.equal(spellMoney("1500000", "JPY", "en"), "2 JPY");
    assert.equal(spellMoney("9007199254740993000000", "EUR", "en"), "9,007,199,254,740,993.00 EUR");
    assert.equal(spellMoney("41472220000", "EUR", "de"), "41.472,22 EUR");
    assert.equal(spellMoney("123456000000", "EUR", "en-IN"), "1,23,456.00 EUR");
    assert.equal(spellMoney("1234500000", "EUR", "ar-EG"), "١٬٢٣٤٫٥٠ EUR");
  });

  it("is read as the reader's language writes it", () => {
    assert.equal(micros("90,000", "en"), "90000000000");
    assert.equal(micros("1,234,567.50", "en"), "1234567500000");
    assert.equal(micros("90.000", "de"), "90000000000");
    assert.equal(micros("1.234.567,50", "de"), "1234567500000");
    assert.equal(micros("12,5", "de"), "12500000");
    assert.equal(micros("90 000", "fr"), "90000000000");
    assert.equal(micros("90’000.50", "de-CH"), "90000500000");
    assert.equal(micros(" 1000 ", "en"), "1000000000");
    assert.equal(micros("0.000001", "en"), "1");
    assert.equal(micros("0.125", "en"), "125000");
  });

  it("is refused where it may mean two amounts, with what to type", () => {
    assert.match(wrong("90.000", "en")!, /Type 90000, or 90\.0000\./);
    assert.match(wrong("90,000", "de")!, /Type 90000, or 90,0000\./);
    assert.match(wrong("12,5", "en")!, /Type 12\.5\./);
    assert.match(wrong("1.234,50", "en")!, /Type 1234\.50\./);
    assert.match(wrong("1,234.50", "de")!, /Type 1234,50\./);
    assert.match(wrong("1.234.567", "en")!, /Type 1234567\./);
    for (const text of ["", "-1", "a lot", "1e3", "9,00", ",5", "1,2345", "1.0000001", "9".repeat(19)])
      assert.equal(micros(text, "en"), undefined, text);
  });

  it("is read as the same again when it was written for a field", () => {
    for (const locale of ["en", "de", "fr", "es", "de-CH", "pl", "en-IN", "bn", "ar-EG", "fa", "sv", "ja"])
      for (const amount of ["0", "1", "2125000", "2120000", "4250000", "90000000000", "1234567000001"])
        assert.equal(micros(writeMoney(amount, locale), locale), amount, `${amount} ${locale}`);
  });

  it("is a plain decimal on a command line, in whatever language it was typed", () => {
    const typed = { en: "90,000", de: "90.000", fr: "90 000", "de-CH": "90’000", "en-IN": "90,000", fa: "۹۰٬۰۰۰" };
    for (const [locale, text] of Object.entries(typed))
      assert.equal(plainAmount(micros(text, locale)!), "90000", locale);
    assert.equal(plainAmount(micros("41.472,22", "de")!), "41472.22");
    assert.deepEqual(["0", "1", "-12500000", "2000000"].map(plainAmount), ["0", "0.000001", "-12.5", "2"]);
  });

  it("is compared with a whole", () => {
    assert.equal(shareOf("25", "100"), 0.25);
    assert.equal(shareOf("1", "0"), 0);
  });
});
