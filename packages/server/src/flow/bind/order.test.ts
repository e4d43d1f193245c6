import assert from "node:assert/strict";
import { it } from "node:test";
import { type AccountTerms, type JobId, plainTerms } from "@tessera/core";
import { fleetOf, TestControl } from "../../testing/control.ts";
import { serveApi, Tenancy } from "../../testing/tenancy.ts";
import { orderOf } from "./order.ts";

it("an order names the trust group of its tenant, if that tenant is trusted", async () => {
  const control = await TestControl.start(undefined, fleetOf(1, 4));
  const tenancy = new Tenancy(control);
  const server = await serveApi(control);
  const termsSent = async (path: string, change: Partial<AccountTerms>) => {
    await tenancy.account(path, { ...plainTerms, ...change });
    const user = await tenancy.user(path, "member", path);
    const { json } = await server.call(user.token, "POST", "/v1/jobs", { run: "true", gpus: 1 });
    const job = control.state.jobById.get(json.id as JobId)!;
    return orderOf(control.state, job, job.leases[0]!).tenantTerms;
  };
  try {
    assert.deepEqual(await termsSent("a", { trustGroup: "lab" }), { trust: "trusted", trustGroup: "lab" });
    assert.deepEqual(await termsSent("b", {}), { trust: "trusted" });
    assert.deepEqual(await termsSent("c", { trust: "untrusted", trustGroup: "lab" }), { trust: "untrusted" });
  } finally {
    await server.close();
  }
});
