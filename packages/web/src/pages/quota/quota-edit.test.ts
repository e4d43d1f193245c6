import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { editOf, quotaFields } from "./quota-edit.ts";

describe("an edit of a quota", () => {
  const lab = { path: "lab", guarantee: { H100: 8, A100: 4 }, max: { "*": 16 }, weight: 2 };

  it("is typed as it is shown, and changes only what was typed", () => {
    assert.deepEqual(quotaFields(lab), { guarantee: "H100=8 A100=4", max: "16", weight: "2" });
    assert.deepEqual(editOf(lab, {}), { wrong: {} });
    assert.deepEqual(editOf(lab, { weight: "3" }), { body: { weight: 3 }, wrong: {} });
    assert.deepEqual(editOf(lab, { overcommit: true }), { body: { overcommit: true }, wrong: {} });
    assert.deepEqual(editOf(lab, { max: "" }), { body: { max: null }, wrong: {} });
    assert.deepEqual(editOf(lab, { guarantee: "H100=6, A100:2", max: "20" }), {
      body: { guarantee: { H100: 6, A100: 2 }, max: 20 },
      wrong: {},
    });
  });

  it("has amounts in the reader's language, and refuses what may mean two", () => {
    assert.deepEqual(quotaFields({ guarantee: { H100: 0.5 }, max: undefined, weight: 1 }, "de").guarantee, "H100=0,5");
    assert.deepEqual(editOf(lab, { guarantee: "6.000" }, "de").body, { guarantee: 6000 });
    assert.match(editOf(lab, { guarantee: "6.000" }, "en").wrong.guarantee!, /may mean two amounts/);
    assert.match(editOf(lab, { max: "H100=6,000" }, "de").wrong.max!, /may mean two amounts/);
  });

  it("says what is wrong with what was typed", () => {
    assert.match(editOf(lab, { guarantee: "eight" }).wrong.guarantee!, /^eight is not a number of GPUs: write/);
    assert.match(editOf(lab, { max: "8 H100" }).wrong.max!, /^8 H100 is not a number/);
    assert.match(editOf(lab, { weight: "x" }).wrong.weight!, /^x is not a whole number/);
    assert.deepEqual(editOf(lab, { weight: "1.000" }, "de").body, { weight: 1_000 });
    assert.match(editOf(lab, { weight: "1.000" }, "en").wrong.weight!, /may mean two amounts/);
    assert.match(editOf(lab, { weight: "3", until: "2026-12-01T08:00" }).wrong.weight!, /for a while/);
    assert.match(editOf(lab, { overcommit: true, until: "2026-12-01T08:00" }).wrong.overcommit!, /for a while/);
    assert.equal(editOf(lab, { guarantee: "8", weight: "x" }).body, undefined);
  });
});
