import assert from "node:assert/strict";
import { it } from "node:test";
import { statusOf } from "./status.ts";

const found = { many: 0, isAsking: false, isLost: false, error: null };

it("the palette says that the server does not answer, and goes on with what it knows itself", () => {
  assert.equal(statusOf({ ...found, isAsking: true }), "Looking …");
  assert.equal(statusOf({ ...found, isAsking: true, isLost: true }), "The server does not answer. Retrying.");
  assert.match(statusOf({ ...found, many: 2, isLost: true }), /does not answer.*Enter opens/);
  assert.equal(statusOf(found), "Nothing found that you may see.");
  assert.match(statusOf({ ...found, many: 1 }), /^↑ ↓ choose/);
});

it("the palette does not say that nothing is found where the search was refused", () => {
  assert.equal(statusOf({ ...found, error: new Error("Rate limit exceeded.") }), "Rate limit exceeded.");
});
