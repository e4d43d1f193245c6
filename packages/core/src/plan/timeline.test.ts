import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { minute } from "../model/units.ts";
import { World } from "../testing/world.ts";

describe("plans where nothing that runs has an end", () => {
  it("[B1] are made for when less urgent work of the account can be taken", () => {
    const w = new World().nodes(["n", "H100:4"]).account("a", { max: 2, guarantee: 2 });
    const minRuntimeMs = 10 * minute;
    w.must({ kind: "policy.set", policy: { rebalance: "on", minRuntimeMs, graceMs: 0, backfill: true } });
    w.submit("low", "a", { gpus: 2, priority: "low" });
    w.run("low").submit("high", "a", { gpus: 2, priority: "high" });
    assert.deepEqual(
      [...w.memory.startsAt].map(([job, at]) => [job.id, at - w.now]),
      [["job_high", minRuntimeMs]],
    );
  });

  it("[B8] keep the guarantee by which they take work back", () => {
    const w = new World().nodes(["n", "H100:8"]).account("a", { max: 5, guarantee: 2 });
    const minRuntimeMs = 10 * minute;
    w.must({ kind: "policy.set", policy: { rebalance: "on", minRuntimeMs, graceMs: 0, backfill: true } });
    for (const name of ["low", "lower"]) w.submit(name, "a", { gpus: 2, priority: "low" });
    w.run("low").run("lower").submit("high", "a", { gpus: 2, priority: "high" });
    const startsAt = w.now + minRuntimeMs;
    w.tick(minute);
    w.submit("late", "a", { gpus: 1, priority: "low" });
    assert.equal(w.stateOf("late"), "waiting");
    assert.deepEqual([...w.memory.startsAt.values()], [startsAt]);
  });

  it("[B1] are not made for who waits for seats alone", () => {
    const w = new World().nodes(["n", "H100:4"]).account("a");
    w.submit("runs", "a", { gpus: 4 });
    w.run("runs").submit("waits", "a", { gpus: 2 });
    assert.equal(w.state.planned.size, 0);
  });
});
