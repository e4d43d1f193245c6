import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { noAccount } from "../model/ids.ts";
import { unitsPerGpu } from "../model/units.ts";
import { demandOf } from "../quota/demand.ts";
import { jobId, World } from "../testing/world.ts";
import { FutureUsage, type JobDemand, mayBeCovered, waitsForQuota } from "./future-quota.ts";

const jobOf = (w: World, id: string) => w.state.jobById.get(jobId(id))!;
const demandFor = (w: World, id: string): JobDemand => {
  const job = jobOf(w, id);
  return { job, demand: demandOf(w.state, job, 0, 0) };
};

/** An account of at most four GPUs, two of them guaranteed; one job runs on three of them, one waits for two. */
function bounded(): World {
  const w = new World().nodes(["n", "H100:8"]).account("lab", { max: 4, guarantee: 2 }).account("free");
  w.submit("runs", "lab", { gpus: 3, max_time: "1h" });
  w.run("runs");
  w.submit("waits", "lab", { gpus: 2, max_time: "1h" });
  w.submit("also", "lab", { gpus: 2, max_time: "1h" });
  return w;
}

describe("quota at a later instant", () => {
  it("[B4] is looked at for a job below a max, for one that must be guaranteed, and where a guarantee is not lent", () => {
    const w = bounded();
    w.submit("any", "free", { gpus: 8 });
    assert.ok(waitsForQuota(w.state, jobOf(w, "waits")));
    assert.ok(!waitsForQuota(w.state, jobOf(w, "any")));
    const firm = { ...jobOf(w, "any"), spec: { ...jobOf(w, "any").spec, preemptible: false } };
    assert.ok(waitsForQuota(w.state, firm));
    const quota = { guarantee: { "*": unitsPerGpu }, lendable: { "*": 0 }, weight: 1 };
    w.account("keeps", { quota });
    assert.ok(waitsForQuota(w.state, jobOf(w, "any")));
  });

  it("[B4] allows a job once others have ended, and no more once others have begun", () => {
    const w = bounded();
    const [waits, also] = [demandFor(w, "waits"), demandFor(w, "also")];
    const usage = new FutureUsage(w.state, waits.job);
    assert.ok(!usage.allows(waits, []));
    assert.ok(usage.allows(waits, [], [demandFor(w, "runs")]));
    usage.end(jobOf(w, "runs"));
    assert.ok(usage.allows(waits, []));
    assert.ok(usage.allows(waits, [also]));
    usage.begin(also);
    assert.ok(!usage.allows(waits, [also]));
    usage.notBegin(also);
    assert.ok(usage.allows(waits, [also]));
  });

  it("[C1] covers a job once its guarantee is empty", () => {
    const w = bounded();
    const waits = demandFor(w, "waits");
    const usage = new FutureUsage(w.state, waits.job);
    const lab = waits.job.account;
    assert.equal(usage.coverOf(waits, []), noAccount);
    usage.end(jobOf(w, "runs"));
    assert.equal(usage.coverOf(waits, []), lab);
    assert.equal(usage.coverOf(waits, [demandFor(w, "also")]), noAccount);
    assert.ok(mayBeCovered(w.state, waits.job, waits.demand));
    assert.ok(!mayBeCovered(w.state, waits.job, { ...waits.demand, units: 3 * unitsPerGpu }));
  });
});
