import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Contest } from "../queue/contest.ts";
import { jobId, World } from "../testing/world.ts";

const accounts = ["lab/x", "lab/y", "shop/z"];

/** Jobs of several shapes wait for a full fleet in which one account has a floor of its own and two share one. */
function crowded(): World {
  const world = new World().nodes(["n1", "H100:4"], ["n2", "H100:4"]);
  world.account("lab", { guarantee: 3 }).account("shop");
  for (const path of accounts) world.account(path, { guarantee: path === "lab/x" ? 1 : 0 });
  for (let i = 0; i < 60; i++) {
    const limit = i % 3 === 0 ? {} : { max_time: `${1 + (i % 5)}h` };
    world.submit(`j${i}`, accounts[i % 3]!, {
      gpus: 1 + (i % 2),
      priority: i % 11 === 0 ? "high" : "normal",
      ...limit,
    });
  }
  return world;
}

describe("a contest that is kept", () => {
  it("[O1, O2, O3] keeps the order of a new contest while jobs start, end, arrive and are cancelled", () => {
    const world = crowded();
    const { state, memory } = world;
    const queues = [...state.waiting.queues];
    assert.equal(queues.length, 2);
    for (let step = 0; step < 24; step++) {
      const kept = memory.contests.of(state, queues).begin([]).next()?.group;
      const fresh = new Contest(state, undefined, queues).begin([]).next()?.group;
      assert.ok(
        fresh !== undefined && kept === fresh,
        `after ${step} steps job ${kept?.no} is next, and not ${fresh?.no}`,
      );
      const [job] = [...state.jobs.values()].filter((each) => each.state === "starting" || each.state === "running");
      const name = job!.id.replace("job_", "");
      if (step % 5 === 2) world.must({ kind: "job.cancel", job: jobId(`j${59 - step}`) });
      else if (job!.state === "starting") world.run(name).exit(name, 0);
      else world.exit(name, 0);
      if (step === 7) world.submit("late", "shop/z", { gpus: 1, priority: "high" });
    }
  });

  it("[O1] is not kept when quotas have changed", () => {
    const world = crowded();
    const { state, memory } = world;
    const queues = [...state.waiting.queues];
    const before = memory.contests.of(state, queues);
    assert.equal(memory.contests.of(state, queues), before);
    world.account("other", { guarantee: 1 });
    assert.notEqual(memory.contests.of(state, queues), before);
  });
});
