import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { World } from "../testing/world.ts";

/** How many jobs of each prefix hold seats. */
function active(w: World, prefix: string): number {
  return [...w.state.jobs.values()].filter((job) => job.id.startsWith(`job_${prefix}`) && job.state !== "waiting")
    .length;
}

/** All jobs that `fill` submits compete at once, when the blocker leaves. */
function contend(w: World, fill: () => void): void {
  w.submit("blocker", "x", { gpus: w.state.fleet.gpus, members: 1 });
  fill();
  w.run("blocker").exit("blocker", 0);
}

describe("the next job", () => {
  it("[O2] is chosen so that dominant shares become equal over GPUs and memory, as in the DRF paper", () => {
    const w = new World().nodes(["n", "H100:9"]).account("a").account("b").account("x");
    w.must({
      kind: "node.register",
      nodes: [{ ...w.state.fleet.node(0 as never).facts, memoryMiB: 18 * 1024, cpusMilli: 1_000_000 }],
    });
    contend(w, () => {
      for (let i = 0; i < 10; i++) w.submit(`a${i}`, "a", { gpus: 1, memory: "4GiB" });
      for (let i = 0; i < 10; i++) w.submit(`b${i}`, "b", { gpus: 3, memory: "1GiB" });
    });
    assert.deepEqual([active(w, "a"), active(w, "b")], [3, 2]);
  });

  it("[O2] is chosen among teams first, then by the projects of each", () => {
    const w = new World().nodes(["n", "H100:8"]);
    for (const path of ["one", "one/p", "one/q", "one/r", "two", "two/s", "x"]) w.account(path);
    contend(w, () => {
      for (const project of ["one/p", "one/q", "one/r", "two/s"]) {
        for (let i = 0; i < 8; i++) w.submit(`${project.replace("/", "")}${i}`, project, { gpus: 1 });
      }
    });
    assert.deepEqual(
      ["onep", "oneq", "oner", "twos"].map((prefix) => active(w, prefix)),
      [2, 1, 1, 4],
    );
  });

  it("[O2] comes twice as often from an account of weight two, and last from one of weight zero", () => {
    const w = new World().nodes(["n", "H100:6"]).account("x");
    for (const [path, weight] of [
      ["heavy", 2],
      ["light", 1],
      ["none", 0],
    ] as const) {
      w.account(path, { quota: { guarantee: {}, weight } });
    }
    contend(w, () => {
      for (let i = 0; i < 5; i++) w.submit(`none${i}`, "none", {});
      for (let i = 0; i < 3; i++) w.submit(`heavy${i}`, "heavy", {});
      for (let i = 0; i < 2; i++) w.submit(`light${i}`, "light", {});
    });
    assert.deepEqual([active(w, "heavy"), active(w, "light"), active(w, "none")], [3, 2, 1]);
  });

  it("[O3] is chosen by priority, then age, inside one account; a requeued job keeps its place", () => {
    const w = new World().nodes(["n", "H100:1"]).account("x");
    w.submit("first", "x", {});
    for (const [id, priority] of [
      ["low", "low"],
      ["old", "normal"],
      ["new", "normal"],
      ["high", "high"],
    ] as const) {
      w.submit(id, "x", { priority });
    }
    const order: string[] = [];
    for (let i = 0; i < 4; i++) {
      const running = [...w.state.jobs.values()].find((job) => job.state === "starting")!;
      const id = running.id.slice(4);
      w.run(id).exit(id, 0);
      order.push([...w.state.jobs.values()].find((job) => job.state === "starting")!.id.slice(4));
    }
    assert.deepEqual(order, ["high", "old", "new", "low"]);
  });
});
