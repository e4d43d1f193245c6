import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { plainGpus, type ReadGpus, readAmount, spellAmounts, writeAmount } from "./amounts.ts";

const amount = (text: string, locale: string) => {
  const read: ReadGpus = readAmount(text, locale);
  return "amount" in read ? read.amount : undefined;
};
const wrong = (text: string, locale: string) => {
  const read = readAmount(text, locale);
  return "wrong" in read ? read.wrong : "";
};

describe("an amount of GPUs", () => {
  it("is read as the reader's language writes it, and refused where it may mean two amounts", () => {
    assert.equal(amount("6.000", "de"), 6000);
    assert.match(wrong("6.000", "en"), /6\.000 may mean two amounts\. Type 6000, or 6\.0000\./);
    assert.equal(amount("6,000", "en"), 6000);
    assert.match(wrong("6,000", "de"), /may mean two amounts/);
    assert.equal(amount("0,5", "de"), 0.5);
    assert.equal(amount("1 000", "fr"), 1000);
    assert.deepEqual(amount("H100=6.000 A100=0,5", "de"), { H100: 6000, A100: 0.5 });
    assert.deepEqual(amount("H100=6, A100:2", "en"), { H100: 6, A100: 2 });
    assert.deepEqual(amount("H100=1,000,A100=2", "en"), { H100: 1000, A100: 2 });
    assert.deepEqual(amount("*=8 L40S=0.125", "en"), { "*": 8, L40S: 0.125 });
    assert.equal(amount("", "en"), 0);
    for (const text of [
      "eight",
      "8 H100",
      "H100=",
      "H100=8 8",
      "H100=8 H100=9",
      "=8",
      "-1",
      "1.0001",
      "99999999",
      "12,5",
    ])
      assert.equal(amount(text, "en"), undefined, text);
    assert.match(wrong("H100=6.000", "en"), /6\.000 may mean two amounts/);
    assert.match(wrong("H100=8 H100=9", "en"), /H100 is given twice/);
  });

  it("is read as the same again when it was written for a field, in every language", () => {
    const amounts: Record<string, number>[] = [
      { H100: 1234.125, A100: 2 },
      { "RTX-4090": 0.125, "*": 3 },
    ];
    for (const locale of ["en", "de", "fr", "es", "de-CH", "pl", "en-IN", "bn", "ar-EG", "fa", "sv", "ja"]) {
      for (const each of amounts) assert.deepEqual(amount(writeAmount(each, locale), locale), each, locale);
      for (const any of [6000, 0.5, 1.125])
        assert.equal(amount(writeAmount({ "*": any }, locale), locale), any, locale);
    }
  });

  it("is said in words, and to the command line in plain numbers", () => {
    assert.equal(spellAmounts({ H100: 8, "*": 4 }), "8 H100, 4 of any");
    assert.equal(plainGpus({ H100: 6000, A100: 0.5 }), "H100:6000,A100:0.5");
    assert.equal(plainGpus(8), "8");
  });
});
