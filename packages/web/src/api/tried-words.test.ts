import assert from "node:assert/strict";
import { it } from "node:test";
import { Refused, Unreachable } from "./call.ts";
import { triedWords } from "./tried-words.ts";

it("calls only what the server has judged refused", () => {
  const refused = (status: number, detail: string) =>
    new Refused({ ...{ type: "", title: "", code: "", requestId: "" }, status, detail });
  assert.equal(triedWords(refused(422, "It is too much.")), "This is refused: It is too much.");
  for (const error of [
    new Unreachable("The server does not answer."),
    refused(503, "It is full."),
    refused(429, "Wait."),
  ])
    assert.equal(triedWords(error), `What this would do is not known yet: ${error.message}`);
});
