import assert from "node:assert/strict";
import { it } from "node:test";
import { temporaryFolder } from "../order.fixture.ts";
import { userOfTenant } from "./tenants.ts";

it("gives each tenant a user id of its own, for ever, also when two ask at once", async (t) => {
  const folder = await temporaryFolder(t);
  const range = { first: 300_000, count: 8 };
  const tenants = Array.from({ length: 8 }, (_, index) => `acc_${index}`);
  const uids = await Promise.all(tenants.map((tenant) => userOfTenant(folder, tenant, range)));
  assert.deepEqual([...uids].sort(), [300_000, 300_001, 300_002, 300_003, 300_004, 300_005, 300_006, 300_007]);
  for (const [index, tenant] of tenants.entries()) {
    assert.equal(await userOfTenant(folder, tenant, range), uids[index]);
  }
  await assert.rejects(userOfTenant(folder, "acc_one_too_many", range), /all 8 user ids from 300000 are taken/);
});
