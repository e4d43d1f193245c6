import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { detailText } from "./audit-detail.ts";

describe("the detail of an audit record", () => {
  const told = (action: string, detail: string) => detailText({ action, detail }, "EUR");

  it("has money, GPUs and times as people read them", () => {
    assert.equal(
      told("budget.foresee", "1467618512063 true"),
      "1,467,618.51 EUR expected by its end: more than its budget",
    );
    assert.equal(told("budget.reach", "900 none"), "90 % spent");
    assert.equal(told("budget.reach", "1000 stop-burst"), "100 % spent, stop-burst");
    assert.equal(told("credit.reach", "5000000 false"), "owes 5.00 EUR: it has credit again");
    assert.equal(told("invoice.issue", "-18460000"), "-18.46 EUR");
    assert.equal(told("ledger.post", "1500000 paid by transfer"), "1.50 EUR paid by transfer");
    assert.equal(
      told("account.create", '{"guarantee":{"*":504000},"max":{"H100":21000},"weight":1}'),
      "guarantee.*: 24 GPUs; max.H100: 1 GPU; weight: 1",
    );
    assert.equal(
      told("account.window", '{"from":1794960000000,"to":1794963600000,"quota":{"max":null}}'),
      "from: 2026-11-18T00:00:00.000Z; to: 2026-11-18T01:00:00.000Z",
    );
  });

  it("is left as it is where it has words already", () => {
    assert.equal(told("account.window", "null"), "null");
    assert.equal(told("node.drain", "new driver 580"), "new driver 580");
  });
});
