import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { needOf } from "../fleet/fit.ts";
import type { NodeNo } from "../model/ids.ts";
import { hour, minute } from "../model/units.ts";
import { jobId, World } from "../testing/world.ts";
import { earliestStart } from "./earliest-start.ts";
import { PlanList } from "./plan-list.ts";
import type { Plan } from "./planned-start.ts";
import { endOf } from "./run-time.ts";

const node = 0 as NodeNo;
const oneGpu = { gpus: 1, cpusMilli: 0, memoryMiB: 0 };

/** A node of four GPUs, all held for one hour more. */
function full(): World {
  const w = new World().nodes(["n", "H100:4"]).account("lab");
  w.submit("wall", "lab", { gpus: 4, max_time: "1h" });
  return w.run("wall");
}

function planFor(list: PlanList, id: string): Plan {
  const job = list.state.jobById.get(jobId(id))!;
  const plan = earliestStart(list, { job, choice: 0, ask: needOf(job.spec, 0, 0, undefined), mayStartNow: false });
  assert.ok(plan !== undefined, `${id} has a start`);
  return plan;
}

describe("a list of plans", () => {
  it("[B1] holds the GPUs of a plan from its start to its expected end", () => {
    const w = full();
    w.submit("first", "lab", { gpus: 3, max_time: "2h" });
    const list = new PlanList(w.state, w.now, endOf);
    list.add(planFor(list, "first"));
    const at = w.now + hour;
    assert.deepEqual(
      [at - 1, at, at + 2 * hour - 1, at + 2 * hour].map((each) => list.gpusOn(node, each)),
      [0, 3, 3, 0],
    );
    assert.deepEqual([list.runningAt(at - 1).length, list.runningAt(at).length], [0, 1]);
    assert.ok(list.isOn(node));
  });

  it("[B2] leaves other jobs what a plan does not need, for as long as they run into it", () => {
    const w = full();
    w.submit("first", "lab", { gpus: 3, max_time: "2h" });
    const list = new PlanList(w.state, w.now, endOf);
    list.add(planFor(list, "first"));
    assert.equal(list.membersLeft(node, w.now, w.now + hour, oneGpu, 4), 4);
    assert.equal(list.membersLeft(node, w.now, w.now + hour + 1, oneGpu, 4), 1);
    assert.equal(list.nextChange(w.now, 30 * minute), w.now + 30 * minute + 1);
    assert.equal(list.nextChange(w.now + hour, 30 * minute), w.now + 3 * hour);
  });

  it("[B2] takes a plan off what is left beside a later one, and gives it back with the plan", () => {
    const w = full();
    w.submit("late", "lab", { gpus: 2, notBeforeAt: w.now + 2 * hour });
    w.submit("early", "lab", { gpus: 1, max_time: "3h" });
    const list = new PlanList(w.state, w.now, endOf);
    const late = planFor(list, "late");
    list.add(late);
    assert.equal(late.spare.get(node)!.gpus, 2);
    const early = planFor(list, "early");
    list.add(early);
    assert.deepEqual([early.start.at, late.spare.get(node)!.gpus], [w.now + hour, 1]);
    assert.deepEqual(late.beside, [early.start]);
    list.drop(early.start.job);
    assert.deepEqual([late.spare.get(node)!.gpus, late.beside, list.all], [2, [], [late]]);
  });

  it("plans a job once, and not in the past", () => {
    const w = full();
    w.submit("first", "lab", { gpus: 3 });
    const list = new PlanList(w.state, w.now, endOf);
    const plan = planFor(list, "first");
    const past = { ...plan, start: { ...plan.start, at: w.now - 1 } };
    assert.throws(() => list.add(past), /in the past/);
    list.add(plan);
    assert.throws(() => list.add(plan), /at most once/);
  });
});
