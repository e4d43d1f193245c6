import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Holder, homesFor } from "./homes.ts";

const look = ["job.read", "account.read", "usage.read", "cost.read", "budget.read"];
const meOf = (roles: Holder["bindings"][number]["role"][], ...may: string[]): Holder => ({
  may,
  bindings: roles.map((role) => ({ role, account: "acme" })),
});

describe("which home a person begins with", () => {
  it("is the richest of their roles, and the others are tabs", () => {
    const admin = [...look, "job.submit", "invoice.read"];
    assert.deepEqual(homesFor(meOf(["platform-owner"], ...admin, "audit.read")), [
      ...["fleet", "teams", "work", "oversight", "spending"],
    ]);
    assert.deepEqual(homesFor(meOf(["team-admin"], ...admin)), ["teams", "work", "spending"]);
    assert.deepEqual(homesFor(meOf(["member"], ...look, "job.submit")), ["work"]);
    assert.deepEqual(homesFor(meOf(["viewer"], ...look)), ["seen"]);
    assert.deepEqual(homesFor(meOf(["finance"], "usage.read", "cost.read", "invoice.read")), ["spending"]);
    assert.deepEqual(homesFor(meOf(["auditor"], ...look, "audit.read", "invoice.read")), ["oversight", "spending"]);
    assert.deepEqual(homesFor(meOf(["member", "auditor"], ...look, "job.submit", "audit.read")), ["work", "oversight"]);
    assert.deepEqual(homesFor(meOf([], "usage.read")), ["spending"]);
    assert.deepEqual(homesFor(meOf([], "self.read", "node.read")), ["nothing"]);
  });
});
