import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { tess } from "../../format/command.ts";
import { noToken, tokenBody, tokenWords, wrongInToken } from "./token-form.ts";

const draft = {
  ...{ label: "nightly run", life: "30d", account: "lab/nlp" },
  ...{ networks: "10.1.0.0/16, 2001:db8::/32", scopes: "job.submit job.read" },
};

describe("a token as it is typed", () => {
  it("is limited to what was said, and to nothing that was left empty", () => {
    assert.deepEqual(tokenBody(draft), {
      ...{ label: "nightly run", expiresIn: "30d", account: "lab/nlp" },
      ...{ networks: ["10.1.0.0/16", "2001:db8::/32"], scopes: ["job.submit", "job.read"] },
    });
    assert.deepEqual(tokenBody({ ...noToken, life: "" }), {});
    assert.equal(
      tess(tokenWords(tokenBody(draft), "ci")),
      "tess token create --user ci --label 'nightly run' --scope job.submit job.read --account lab/nlp --network 10.1.0.0/16 2001:db8::/32 --expires-in 30d",
    );
  });

  it("names the field that is wrong", () => {
    assert.deepEqual(wrongInToken(draft), {});
    const wrong = wrongInToken({ ...draft, life: "soon", networks: "the office", scopes: "everything" });
    assert.deepEqual(Object.keys(wrong), ["life", "networks", "scopes"]);
  });
});
