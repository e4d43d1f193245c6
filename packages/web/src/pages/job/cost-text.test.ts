import assert from "node:assert/strict";
import { it } from "node:test";
import { costText } from "./cost-text.ts";

it("what a job costs is so far while it lives, and in all once it has ended", () => {
  const cost = { currency: "EUR", micros: "990000", perHourMicros: "2000000", atEndMicros: "4000000" };
  assert.equal(costText({ cost, state: "running" }), "0.99 EUR so far, 2.00 EUR an hour, 4.00 EUR at its end");
  const paid = { currency: "EUR", micros: "990000", perHourMicros: "0" };
  assert.equal(costText({ cost: paid, state: "ended" }), "0.99 EUR in all");
});
