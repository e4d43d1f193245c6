import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { seededRandom } from "@tessera/engine-simulated";
import { traceEpoch } from "../trace/itp.ts";
import type { TenantJob } from "../trace/philly.ts";
import { runPhilly } from "./run.ts";
import { quotaNodes, scaled } from "./settings.ts";

const day = 86_400_000;

/** Three tenants whose demand comes and goes at different hours of two days. */
function jobsOf(count: number, seed: number): TenantJob[] {
  const random = seededRandom(seed);
  const jobs = Array.from({ length: count }, (_, i) => {
    const tenant = ["a", "b", "c"][i % 3]!;
    const submitAt = traceEpoch + Math.floor((random() * 0.6 + (i % 3) * 0.2) * 2 * day);
    const gpus = [1, 1, 1, 2, 4, 8][Math.floor(random() * 6)]!;
    return { name: `j${i}`, tenant, submitAt, gpus, runMs: Math.floor(300_000 * 60 ** random()) };
  });
  return jobs.sort((x, y) => x.submitAt - y.submitAt);
}

describe("tenants with quotas", () => {
  const jobs = jobsOf(360, 3);
  const quotas = quotaNodes(jobs, 2 * day, 0.85);
  const nodes = [...quotas.values()].reduce((a, b) => a + b, 0);
  const watch: Parameters<typeof runPhilly>[0]["watch"] = (_, setting) => setting;

  it("[T1] nobody waits longer than alone on its quota, and all wait less than with hard quotas", () => {
    const { figures } = runPhilly({ jobs, nodes, quotas, watch });
    assert.equal(figures.tenantsWorseThanAlone, 0);
    assert.ok(figures.waitS < 0.7 * figures.hardQuotasWaitS, `${figures.waitS} of ${figures.hardQuotasWaitS}`);
  });

  it("[T1] three times the work of one tenant is nobody else's loss, over a few draws of so few jobs", () => {
    const waitS = new Map<string, number>();
    const aloneS = new Map<string, number>();
    for (const seed of [1, 2, 3, 4, 5]) {
      const drawn = jobsOf(360, seed);
      const own = quotaNodes(drawn, 2 * day, 0.85);
      const all = [...own.values()].reduce((a, b) => a + b, 0);
      const { figures } = runPhilly({ jobs: scaled(drawn, "a", 3), nodes: all, quotas: own, watch });
      for (const each of figures.tenants) {
        waitS.set(each.tenant, (waitS.get(each.tenant) ?? 0) + each.waitS);
        aloneS.set(each.tenant, (aloneS.get(each.tenant) ?? 0) + each.aloneWaitS);
      }
    }
    for (const tenant of ["b", "c"]) {
      const [wait, alone] = [waitS.get(tenant)!, aloneS.get(tenant)!];
      assert.ok(wait <= alone, `${tenant}: ${wait} s, alone ${alone} s`);
    }
  });
});
