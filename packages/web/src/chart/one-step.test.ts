import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { commonStep, ofOneStep } from "./one-step.ts";

const minute = 60_000;
const of = (minutes: number) => ({ stepMs: minutes * minute });

describe("answers that are drawn in one chart", () => {
  it("have one step: that of the period before where it is kept in longer ones", () => {
    assert.equal(commonStep([of(15), of(15), of(20)]), 20 * minute);
    assert.equal(commonStep([of(15), of(15)]), undefined);
    assert.equal(commonStep([of(15), undefined]), undefined, "nothing is asked again before all are there");
    assert.equal(commonStep([of(15), null, of(20)]), 20 * minute, "a line that is not there has no step");
  });

  it("are those that were asked again, once all are there; until then only those that can be drawn together", () => {
    assert.deepEqual(ofOneStep([of(15), of(20)], [of(20), of(20)]), [of(20), of(20)]);
    assert.deepEqual(ofOneStep([of(15), of(20)], [undefined, of(20)]), [undefined, of(20)]);
    assert.deepEqual(ofOneStep([of(15), of(15)], [undefined, undefined]), [of(15), of(15)]);
  });
});
