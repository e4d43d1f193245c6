import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isRefusal } from "../journal/refusal.ts";
import type { Numbers } from "../model/numbers.ts";
import { plainPolicy } from "../model/policy.ts";
import { readSnapshot, writeSnapshot } from "../state/snapshot/snapshot.ts";
import { jobId, World } from "../testing/world.ts";

/** Jobs of these two tenants wait, because no node takes any. */
function waiting(max: Partial<Numbers>): World {
  const w = new World().nodes(["n0", "H100:2"]).account("lab").account("lab/a").account("art");
  w.must({ kind: "node.cordon", node: "n0", reason: "so that jobs wait" });
  w.must({ kind: "policy.set", policy: { ...plainPolicy, max } });
  return w;
}

/** The refusal's words; empty for a job that is admitted. */
function told(w: World, id: string, account: string, raw: object): string {
  const done = w.submit(id, account, raw);
  return isRefusal(done) ? `${done.detail}: ${done.hint}` : "";
}

describe("what live jobs take of the control plane's memory", () => {
  it("is bounded by plain numbers where the owner sets none", () => {
    const w = waiting({});
    assert.equal(told(w, "a", "lab", { array: "1-10000" }), "");
    assert.equal(told(w, "b", "lab", { array: "1-10000" }), "");
    assert.match(told(w, "c", "lab", {}), /^You have 20000 jobs waiting \(limit 20000\): wait .* waitingJobsPerUser/);
  });

  it("counts every element of an array, for a user in all accounts and for a tenant over all users", () => {
    const w = waiting({ waitingJobsPerUser: 4, waitingJobsPerTenant: 5 });
    assert.match(
      told(w, "a", "lab", { array: "1-5" }),
      /^You have 0 jobs waiting, and this asks for 5 more \(limit 4\)/,
    );
    assert.equal(told(w, "b", "lab", { array: "1-3" }), "");
    assert.equal(told(w, "c", "art", {}), "");
    assert.match(told(w, "d", "lab/a", {}), /^You have 4 jobs waiting/);
    w.must({ kind: "job.cancel", job: jobId("b") });
    assert.equal(told(w, "e", "lab/a", { array: "1-3" }), "");
    w.must({ kind: "policy.set", policy: { ...plainPolicy, max: { waitingJobsPerTenant: 3 } } });
    assert.match(told(w, "f", "lab", {}), /^lab has 3 jobs waiting \(limit 3\)/);
    assert.equal(told(w, "g", "art", {}), "");
  });

  it("is the same after a restart from a snapshot", () => {
    const w = waiting({});
    w.submit("a", "lab", { array: "1-7", env: { X: "x".repeat(100_000) } });
    w.submit("b", "lab/a", {});
    const again = readSnapshot(writeSnapshot(w.state));
    const tenant = w.state.accountByPath.get("lab")!.no;
    assert.deepEqual(again.load.ofTenant(tenant), w.state.load.ofTenant(tenant));
    assert.equal(again.load.ofTenant(tenant).waiting, 8);
    assert.ok(again.load.ofTenant(tenant).bytes < 110_000, "elements share one spec, which counts once");
  });

  it("is refused for job files that are too large together", () => {
    const w = waiting({ jobFilesMiBPerUser: 2, jobFilesMiBPerTenant: 3 });
    const fat = { env: { X: "x".repeat(900_000) } };
    assert.equal(told(w, "a", "lab", fat), "");
    assert.equal(told(w, "b", "lab", fat), "");
    assert.match(
      told(w, "c", "art", fat),
      /your live jobs take 2MiB, and this takes 882Ki more \(limit 2MiB\): put long/,
    );
    w.must({ kind: "job.cancel", job: jobId("a") });
    assert.equal(told(w, "e", "lab", fat), "");
  });

  it("has a limit of its own where the owner gives a tenant one, which only a tenant can have", () => {
    const w = waiting({ waitingJobsPerTenant: 2 });
    const { terms } = w.state.accountByPath.get("lab")!;
    const edit = (path: string) =>
      w.do({ kind: "account.edit", path, terms: { ...terms, limits: { waitingJobsMax: 3 } } });
    assert.ok(!isRefusal(edit("lab")));
    const below = edit("lab/a");
    assert.ok(isRefusal(below) && below.field === "limits.waitingJobs");
    assert.equal(told(w, "a", "lab", { array: "1-3" }), "");
    assert.match(
      told(w, "b", "art", { array: "1-3" }),
      /^art has 0 jobs waiting, and this asks for 3 more \(limit 2\)/,
    );
  });

  it("is bounded for each array by the owner's most", () => {
    const w = waiting({ arrayElements: 5 });
    assert.match(told(w, "a", "lab", { array: "1-6" }), /^has 6 elements \(limit 5\): split it into several arrays/);
    assert.equal(told(w, "b", "lab", { array: "1-5" }), "");
  });
});

describe("a number of the owner", () => {
  it("is refused outside its range, and where it must be whole", () => {
    const w = new World();
    const field = (max: Partial<Numbers>) => {
      const done = w.do({ kind: "policy.set", policy: { ...plainPolicy, max } });
      return isRefusal(done) ? `${done.field} ${done.detail}` : "";
    };
    assert.equal(field({ arrayElements: 10_001 }), "max.arrayElements is not in the range 1 to 10000");
    assert.equal(field({ streamsPerUser: 1.5 }), "max.streamsPerUser is not a whole number");
    assert.equal(field({ cpuMemberCpusMilli: 150, reportDays: 30 }), "");
  });
});
