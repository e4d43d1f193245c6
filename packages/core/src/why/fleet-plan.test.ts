import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { plainPolicy } from "../model/policy.ts";
import { hour, minute } from "../model/units.ts";
import { jobId, World } from "../testing/world.ts";
import { fleetPlan } from "./fleet-plan.ts";
import { expected } from "./rehearse.ts";

/** Two nodes of 4: one job ends in an hour, one nobody knows when, and jobs wait for their room. */
function waiting(): World {
  const w = new World().nodes(["n1", "H100:4"], ["n2", "H100:4"]);
  w.must({ kind: "policy.set", policy: { ...plainPolicy, minRuntimeMs: 0, backfill: true } });
  w.account("lab", { guarantee: 4 }).account("shop");
  w.submit("known", "shop", { gpus: 4, max_time: "1h" });
  w.submit("endless", "shop", { gpus: 4 });
  for (const id of ["known", "endless"]) w.run(id);
  w.tick(10 * minute);
  return w;
}

describe("the plan of the fleet", () => {
  it("[W1] has the starts that each waiting job is told, and the ends that they wait for", () => {
    const w = waiting();
    w.submit("first", "shop", { gpus: 4, max_time: "2h" });
    w.submit("second", "shop", { gpus: 2, max_time: "30m" });
    w.submit("both", "shop", { nodes: 2, gpus: 4, max_time: "1h" });
    const { running, planned } = fleetPlan(w.state, w.now);
    const ends = running.map(({ job, endsAt }) => [job.id, endsAt && endsAt - w.now]);
    assert.deepEqual(ends.sort(), [
      [jobId("endless"), undefined],
      [jobId("known"), 50 * minute],
    ]);
    assert.deepEqual(
      planned.map(({ job, at, endsAt }) => [job.id, at - w.now, endsAt! - w.now]),
      [
        [jobId("first"), 50 * minute, 170 * minute],
        [jobId("second"), 170 * minute, 200 * minute],
      ],
    );
    for (const { job, at } of planned) {
      const outlook = expected(w.state, job, w.now);
      assert.equal(outlook.when === "later" ? outlook.at : outlook.when, at, job.id);
    }
    assert.equal(expected(w.state, w.state.jobById.get(jobId("both"))!, w.now).when, "unknown");
  });

  it("has the start of a job for which room is being made, and keeps the jobs that leave until then", () => {
    const w = waiting();
    w.submit("owner", "lab", { gpus: 4, max_time: "2h" });
    const { planned } = fleetPlan(w.state, w.now);
    const [start] = planned;
    assert.deepEqual([start?.job.id, start?.basis], [jobId("owner"), "eviction"]);
    assert.ok(start!.at >= w.now && start!.at <= w.now + hour);
    assert.deepEqual([...start!.gpusOn.values()], [4]);
    assert.equal(w.state.accounts[start!.cover]?.path, "lab");
  });
});
