import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { describe as describeFailure, explainNpm, Failure } from "./failure.js";

describe("what to do when npm fails", () => {
  const cases = [
    ["npm error code ENOTFOUND\nnpm error errno ENOTFOUND", /reach its registry \(ENOTFOUND\)/, /network/],
    ["npm error code ECONNREFUSED", /ECONNREFUSED/, /network/],
    ["npm error code EAI_AGAIN", /EAI_AGAIN/, /network/],
    ["npm error code ETIMEDOUT", /ETIMEDOUT/, /network/],
    ["npm error code SELF_SIGNED_CERT_IN_CHAIN", /certificate/, /cafile/],
    ["npm error code EBADPLATFORM", /this kind of machine/, /Linux and macOS/],
    ["npm error code ENOSPC\nnpm error nospc There is not enough space", /no space left/, /Free some space/],
    ["npm error code EUSAGE\nnpm error `npm ci` can only install", /do not agree/, /npm install/],
    ["npm error code EINTEGRITY", /not the one/, /cache clean/],
    ["npm error code EACCES\nnpm error syscall mkdir", /may not write/, /owner/],
    ["npm error code E404", /does not have a package/, /registry/],
    ["npm error something new", /could not be installed/, /npm's/],
  ];
  for (const [output, message, advice] of cases) {
    it(`is said for ${output.split("\n")[0]}`, () => {
      const failure = explainNpm(output);
      assert.ok(failure instanceof Failure);
      assert.match(failure.message, message);
      assert.match(failure.advice, advice);
      assert.match(failure.output, /npm error/);
    });
  }

  it("shows the end of a long output, then what happened, then what to do", () => {
    const text = describeFailure(explainNpm(`${"npm error noise\n".repeat(500)}npm error code ENOSPC\n`));
    assert.ok(text.split("\n").length < 20);
    assert.match(text, /npm error code ENOSPC\n\ntessera: there is no space left.*\n {2}They need/);
  });
});
