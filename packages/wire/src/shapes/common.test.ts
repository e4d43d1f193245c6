import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { emailPattern, linePattern } from "./common.ts";

describe("a line of text", () => {
  it("holds no control character, and nothing invisible that turns text around", () => {
    const allowed = new RegExp(linePattern, "u");
    const refused = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;
    for (let code = 0; code <= 0x10ffff; code++) {
      if (code >= 0xd800 && code <= 0xdfff) continue;
      const sign = String.fromCodePoint(code);
      assert.equal(allowed.test(sign), !refused.test(sign), `U+${code.toString(16)}`);
    }
  });

  it("is an e-mail address with one @ and no space", () => {
    const address = new RegExp(emailPattern, "u");
    for (const good of ["ada@lab.example", "jürgen@müller.example"]) assert.match(good, address);
    for (const bad of ["ada", "ada@", "@lab", "a da@lab", "ada@lab@x", "ada@lab\u00a0", "ada\n@lab"])
      assert.doesNotMatch(bad, address);
  });
});
