import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { narrowable, stepsOf, tenantOf } from "./account.ts";

describe("the path of an account", () => {
  it("has a step for each account above it, and its own", () => {
    assert.deepEqual(stepsOf("acme/nlp/x"), ["acme", "acme/nlp", "acme/nlp/x"]);
    assert.deepEqual(stepsOf(""), []);
  });

  it("is any of those that show what accounts have, and no month that is closed for all tenants", () => {
    for (const path of ["/", "/jobs", "/queue", "/audit", "/cost", "/cost/budgets", "/cost/invoices", "/cost/ledger"])
      assert.ok(narrowable.test(path), path);
    for (const path of ["/cost/close", "/jobs/job_1", "/people", "/nodes"]) assert.ok(!narrowable.test(path), path);
    assert.deepEqual([tenantOf("acme/nlp"), tenantOf("acme"), tenantOf("")], ["acme", "acme", ""]);
  });
});
