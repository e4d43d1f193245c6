import assert from "node:assert/strict";
import { it } from "node:test";
import { hour, plainTerms, unitsPerGpu } from "@tessera/core";
import type { BillingPreview, BillingShape } from "@tessera/wire";
import { fleetOf, TestControl } from "../../testing/control.ts";
import { serveApi, Tenancy } from "../../testing/tenancy.ts";

it("says where a tenant would stand if it were billed otherwise and what would stop, and changes nothing", async (t) => {
  const control = await TestControl.start(undefined, []);
  control.setTime(Date.UTC(2026, 9, 1));
  await control.must({ kind: "node.register", nodes: fleetOf(2, 8) });
  const tenancy = new Tenancy(control);
  await tenancy.prices();
  await tenancy.account("lab", { ...plainTerms, quota: { guarantee: { H100: 4 * unitsPerGpu }, weight: 1 } });
  const owner = await tenancy.user("own", "platform-owner");
  await control.must({ kind: "tenant.bill", tenant: "lab", mode: "showback" });
  await control.run(await tenancy.job("lab", owner.id, { gpus: "H100:4", name: "covered" }));
  await control.run(await tenancy.job("lab", owner.id, { gpus: "H100:2", name: "beyond" }));
  control.setTime(Date.UTC(2026, 9, 1) + 10 * hour);
  const server = await serveApi(control);
  t.after(() => server.close());
  const path = "/v1/accounts/lab/billing";
  const preview = (body: object) => server.must<BillingPreview>(owner, "POST", `${path}/preview`, body);

  const before = await control.reader.head();
  // 10 hours of four GPUs for 2 and of two for 3: it is owed as soon as it is not only shown any more.
  const spent = "140000000";
  const small = await preview({ mode: "chargeback", creditLimitMicros: "1000000" });
  assert.deepEqual([small.openMicros, small.leftMicros, small.stopped], [spent, "-139000000", true]);
  assert.deepEqual([small.stops.jobs, small.stops.gpus, small.stops.named[0]!.name], [1, 2, "beyond"]);
  const large = await preview({ mode: "chargeback", creditLimitMicros: "1000000000" });
  assert.deepEqual([large.leftMicros, large.stopped, large.stops.jobs], ["860000000", false, 0]);
  const shown = await preview({ mode: "showback", creditLimitMicros: "1" });
  assert.deepEqual([shown.openMicros, shown.leftMicros, shown.stopped], ["0", undefined, false]);
  assert.deepEqual(await control.reader.head(), before);

  const set = await server.must<BillingShape>(owner, "PUT", path, {
    mode: "chargeback",
    creditLimitMicros: "1000000000",
  });
  assert.deepEqual([set.openMicros, set.leftMicros], [spent, large.leftMicros], "what was foreseen");
  // A limit that is left out stays.
  assert.equal((await preview({ mode: "chargeback" })).leftMicros, large.leftMicros);
});
