import assert from "node:assert/strict";
import { it } from "node:test";
import { roles } from "@tessera/wire/roles";
import { roleEffect } from "./role-effect.ts";

it("names what a role can do to the work and money of others, and where", () => {
  assert.match(roleEffect("platform-owner", "")!, /give and take every role/);
  assert.match(roleEffect("tenant-admin", "lab")!, /every job of lab and below/);
  assert.match(roleEffect("finance", "")!, /budgets of the whole platform, which can stop its jobs/);
  const quiet = roles.filter((role) => roleEffect(role, "lab") === undefined);
  assert.deepEqual([...quiet].sort(), ["auditor", "member", "viewer"]);
});
