import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readDecimal, readWhole, spellDecimal, writeDecimal } from "./decimal.ts";

const locales = [
  "en",
  "de",
  "de-CH",
  "de-AT",
  "fr",
  "es",
  "pl",
  "pt-PT",
  "sv",
  "en-IN",
  "hi",
  "bn",
  "ar-EG",
  "fa",
  "ja",
];
const plain = (text: string, locale: string) => {
  const read = readDecimal(text, locale);
  return "plain" in read ? read.plain : undefined;
};
const wrong = (text: string, locale: string) => {
  const read = readDecimal(text, locale);
  return "wrong" in read ? read.wrong : undefined;
};

/** Numbers of every length, the same in each run. */
function* numbers(): Generator<string> {
  let seed = 7;
  const random = (below: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((seed / 2_147_483_648) * below);
  };
  for (let i = 0; i < 300; i++) {
    const whole = Array.from({ length: 1 + random(15) }, () => random(10)).join("");
    const fraction = Array.from({ length: random(7) }, () => random(10)).join("");
    const short = whole.replace(/^0+(?=\d)/, "");
    yield fraction === "" ? short : `${short}.${fraction}`;
  }
}

describe("a number as a language writes it", () => {
  it("is read as the same again when it was written for a field, in every language", () => {
    for (const locale of locales) {
      for (const number of numbers()) {
        const again = plain(writeDecimal(number, locale), locale);
        assert.ok(again === number || again === `${number}0`, `${number} in ${locale}: ${again}`);
      }
    }
  });

  it("is read as the same again when it was written for people, unless it may mean two", () => {
    for (const locale of locales) {
      for (const number of numbers()) {
        const again = plain(spellDecimal(number, locale), locale);
        const isOpen = /^\d{1,3}\.\d{3}$/.test(number);
        assert.equal(again, isOpen && again === undefined ? undefined : number, `${number} in ${locale}`);
      }
    }
  });

  it("has marks between groups only where the language puts them", () => {
    assert.equal(plain("1,23,456.50", "en-IN"), "123456.50");
    assert.equal(plain("1,234.567.890", "de"), undefined);
    assert.equal(plain("90 000", "en"), "90000");
    assert.equal(plain("1.234", "es"), "1234");
    assert.equal(plain("1234", "es"), "1234");
    for (const text of ["1 50", "9'0", "0,125", "12,34,567", "1 234,567", "1,,234", "1,234 567"])
      assert.equal(plain(text, "en"), undefined, text);
    assert.match(wrong("123,456", "en-IN")!, /Type 123456\./);
    assert.match(wrong("1 50", "en")!, /It is not clear what 1 50 means\. Type it like 1234\.50\./);
  });

  it("may be typed on a keyboard without the marks and digits of the language", () => {
    assert.equal(plain("١٬٢٣٤٫٥٠", "ar-EG"), "1234.50");
    assert.equal(plain("۱۲۳۴٫۵", "fa"), "1234.5");
    assert.equal(plain("1,234.50", "ar-EG"), "1234.50");
    assert.match(wrong("90.000", "fa")!, /may mean two amounts/);
    assert.equal(plain("\u061c١٢", "ar-EG"), "12");
  });
});

describe("a whole number that is typed", () => {
  const range = { least: -1_000, most: 1_000 };
  const wholeOf = (text: string, locale: string) => {
    const read = readWhole(text, range, locale);
    return "value" in read ? read.value : read.wrong;
  };

  it("is read as the language writes it, also below zero", () => {
    assert.deepEqual([wholeOf("1.000", "de"), wholeOf("-1.000", "de"), wholeOf("\u22125", "de")], [1_000, -1_000, -5]);
    assert.deepEqual([wholeOf("1,000", "en"), wholeOf(" 7 ", "en"), wholeOf("-0", "en")], [1_000, 7, 0]);
  });

  it("is refused where it could mean two, is no whole number, or lies outside", () => {
    assert.equal(wholeOf("1.000", "en"), "1.000 may mean two amounts. Type 1000, or 1.0000.");
    assert.match(String(wholeOf("1,000", "de")), /may mean two amounts/);
    for (const text of ["", "-", "x", "1e3", "0x10", "--5", "2.5", "1001"])
      assert.match(String(wholeOf(text, "en")), /is not a whole number from -1,000 to 1,000\.$/, text);
  });
});
