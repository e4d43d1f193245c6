import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { OwnTexts } from "./own-texts.ts";

describe("texts that an editor and its page hand each other", () => {
  it("an older text of the editor is not written over what was typed since", () => {
    const texts = new OwnTexts();
    for (const text of ["", "run: x"]) texts.sent(text);
    assert.equal(texts.isForeign("", "run: x"), false);
    assert.equal(texts.isForeign("run: x", "run: x"), false);
  });

  it("a text from elsewhere is written, also one that the editor had before", () => {
    const texts = new OwnTexts();
    for (const text of ["a", "ab"]) texts.sent(text);
    assert.equal(texts.isForeign("ab", "ab"), false);
    assert.equal(texts.isForeign("a", "ab"), true);
    texts.sent("a from the form, and more");
    assert.equal(texts.isForeign("from a file", "a from the form, and more"), true);
    assert.equal(texts.isForeign("a from the form, and more", "from a file"), true);
  });
});
