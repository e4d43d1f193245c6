import assert from "node:assert/strict";
import { it } from "node:test";
import { grantWords, noGrant, readGrant } from "./grant-words.ts";

it("a grant is read from words, and what is empty is left out", () => {
  assert.deepEqual(readGrant(noGrant), { access: "read" });
  const grant = readGrant({ ...noGrant, access: "write", accounts: "lab/vision, studio", purposes: " training " });
  assert.deepEqual(grant, { access: "write", accounts: ["lab/vision", "studio"], purposes: ["training"] });
  assert.equal(grantWords(grant), "write: jobs of lab/vision, studio, for training");
});
