import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type NodeNo, noAccount } from "../model/ids.ts";
import { hour } from "../model/units.ts";
import { jobId, World } from "../testing/world.ts";
import { plansMax } from "./eligibility.ts";
import { Timeline } from "./timeline.ts";

const jobOf = (w: World, id: string) => w.state.jobById.get(jobId(id))!;

describe("a timeline", () => {
  it("[B1] has no plan for a job that needs seats of jobs with an unknown end", () => {
    const w = new World().nodes(["n", "H100:4"]).account("a");
    w.submit("runs", "a", { gpus: 4 });
    w.run("runs").submit("waits", "a", { gpus: 2 });
    assert.equal(w.state.planned.size, 0);
    assert.equal(new Timeline(w.state, w.now).plan(jobOf(w, "waits")), undefined);
  });

  it("[B3] tells when a job could start behind all plans without planning it", () => {
    const w = new World().nodes(["n", "H100:2"]).account("a");
    w.submit("wall", "a", { gpus: 2, max_time: "1h" });
    w.run("wall").submit("first", "a", { gpus: 2, max_time: "1h" });
    w.submit("second", "a", { gpus: 2, max_time: "1h" });
    const timeline = new Timeline(w.state, w.now);
    timeline.plan(jobOf(w, "first"));
    assert.equal(timeline.startOf(jobOf(w, "second"))!.at, w.now + 2 * hour);
    assert.equal(timeline.plans.length, 1);
  });

  it("[B1] has a limited number of plans", () => {
    const w = new World().nodes(["n", "H100:1"]).account("a");
    w.submit("wall", "a", { max_time: "1h" });
    w.run("wall");
    const timeline = new Timeline(w.state, w.now);
    const planned: boolean[] = [];
    for (let i = 0; i <= plansMax; i++) {
      w.submit(`j${i}`, "a", { max_time: "1h", name: `j${i}` });
      planned.push(timeline.plan(jobOf(w, `j${i}`)) !== undefined);
    }
    assert.deepEqual(planned, [...Array(plansMax).fill(true), false]);
  });

  it("[B2] drops the plan of a job that starts, and leaves less beside the plans it runs into", () => {
    const w = new World().nodes(["n", "H100:4"]).account("a");
    w.submit("wall", "a", { gpus: 3, max_time: "1h" });
    w.run("wall").submit("wide", "a", { gpus: 2, max_time: "1h" });
    const timeline = new Timeline(w.state, w.now);
    timeline.plan(jobOf(w, "wide"));
    const spare = () => timeline.plans[0]!.spare.get(0 as NodeNo)!.gpus;
    assert.equal(spare(), 2);
    w.submit("small", "a", { gpus: 1, max_time: "2h" });
    timeline.started(jobOf(w, "small"));
    assert.equal(spare(), 1);
    assert.throws(() => timeline.started(jobOf(w, "wide")), /holds seats/);
  });

  it("[B7] lets a job of another account use the guarantee that was to cover a plan, as the order says", () => {
    const w = new World().nodes(["n0", "H100:4"], ["n1", "H100:4"]);
    w.account("owner", { guarantee: 4 }).account("lab", { guarantee: 4, max: 8 }).account("lab/a").account("lab/b");
    w.submit("wall", "owner", { nodes: 2, gpus: 2, max_time: "1h" });
    w.run("wall").submit("wide", "lab/a", { gpus: 4, max_time: "1h" });
    const timeline = new Timeline(w.state, w.now);
    const plan = timeline.plan(jobOf(w, "wide"))!;
    assert.equal(plan.cover, w.state.accountByPath.get("lab")!.no);
    w.submit("first", "lab/b", { gpus: 2 });
    assert.equal(w.stateOf("first"), "starting");
    timeline.started(jobOf(w, "first"));
    assert.equal(plan.cover, noAccount);
  });
});
