import assert from "node:assert/strict";
import { it } from "node:test";
import { ApiError, MemberRefused, SeatGone } from "../api/error.ts";
import { verdictFor } from "./refusals.ts";

it("a seat that is gone is a loss, what the cluster will never do is refused, and the rest is tried again", () => {
  assert.deepEqual(verdictFor(new SeatGone("node n")), { kind: "lost", reason: "node n" });
  assert.deepEqual(verdictFor(new MemberRefused("strict")), { kind: "refused", reason: "strict" });
  assert.equal(verdictFor(new ApiError(422, "Invalid", "bad value"))?.kind, "refused");
  assert.equal(verdictFor(new ApiError(403, "Forbidden", "namespace is being terminated")), undefined);
  assert.equal(verdictFor(new ApiError(503, "ServiceUnavailable", "busy")), undefined);
});
