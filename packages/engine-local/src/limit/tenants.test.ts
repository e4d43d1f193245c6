import assert from "node:assert/strict";
import { it } from "node:test";
import { openBench, orderOf, temporaryFolder } from "../order.fixture.ts";
import { bareMachine } from "./machine.fixture.ts";
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

it("runs jobs of one tenant only where all would run as the server's own user, and says why", async (t) => {
  const dir = await temporaryFolder(t);
  const bench = await openBench(t, { dir }, bareMachine);
  assert.equal(bench.engine.capabilities.oneTenant?.tenant, undefined);
  assert.match(bench.engine.capabilities.gaps!.join("\n"), /jobs can read the data folder/);
  assert.equal((await bench.run(orderOf("true", { tenant: "acc_one" }))).code, 0);
  const second = orderOf("true", { tenant: "acc_two" });
  await bench.engine.bind(second);
  assert.match((await bench.until(second.lease, "refused")).reason, /does not run as root.*run the server as root/);
  await bench.engine.close();
  const later = await openBench(t, { dir }, bareMachine);
  assert.equal(later.engine.capabilities.oneTenant?.tenant, "acc_one", "also after a restart");
  await later.engine.close();
  const shared = await openBench(t, { dir, tenantsShareUser: true }, bareMachine);
  assert.equal(shared.engine.capabilities.oneTenant, undefined);
  assert.equal((await shared.run(orderOf("true", { tenant: "acc_two" }))).code, 0);
});
