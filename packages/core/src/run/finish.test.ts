import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { minute } from "../model/units.ts";
import { jobId, nodeOf, World } from "../testing/world.ts";

describe("jobs that end by one decision", () => {
  it("do not start a job that was to run after an array that is cancelled as a whole", () => {
    const w = new World().nodes(["n0", "H100:2"]).account("lab");
    w.submit("frames", "lab", { array: "1-2", notBeforeAt: w.now + minute });
    w.submit("film", "lab", { after: [{ job: jobId("frames"), when: "succeeded" }] });
    w.must({ kind: "job.cancel", job: jobId("frames") });
    assert.equal(w.outcomeOf("film"), "dependency-failed");
  });

  it("[S21] end a job once when both jobs that it was to run after are lost with their node", () => {
    const w = new World().nodes(["n0", "H100:2"]).account("lab");
    const retry = { max: 0, when: [] };
    w.submit("left", "lab", { retry });
    w.submit("right", "lab", { retry });
    const after = ["left", "right"].map((id) => ({ job: jobId(id), when: "succeeded" as const }));
    w.submit("both", "lab", { after });
    w.run("left").run("right").must({ kind: "node.down", node: "n0", reason: "fire" });
    assert.equal(w.outcomeOf("left"), "infra-failed");
    assert.equal(w.events.filter((event) => event.kind === "job-ended" && event.job === w.noOf("both")).length, 1);
  });

  it("[S22] stay cancelled when the engine reports a time limit late", () => {
    const w = new World().nodes(["n0", "H100:2"]).account("lab");
    w.submit("a", "lab");
    w.run("a").must({ kind: "job.cancel", job: jobId("a") });
    w.report("a", { kind: "stopping", cause: "time-limit" });
    w.report("a", { kind: "exited", ran: true, signal: "SIGKILL", limit: "time" });
    assert.equal(w.outcomeOf("a"), "cancelled");
  });
});

describe("a job that was asked to leave", () => {
  /** A borrower of one GPU runs, and the owner of that GPU takes it back. */
  function reclaimed(raw: Parameters<World["submit"]>[2] = {}): World {
    const w = new World().nodes(["n0", "H100:2"]).account("own", { guarantee: 2 }).account("guest");
    w.submit("guest", "guest", { ...raw, gpus: 2 });
    w.run("guest").submit("owner", "own", { gpus: 2 });
    return w;
  }
  const done = { kind: "exited", ran: true, code: 0, done: true } as const;

  it("[L1] and exits with 0 waits again, and a job that is to run after it does not start", () => {
    const w = reclaimed();
    w.submit("next", "guest", { gpus: 0, after: [{ job: jobId("guest"), when: "succeeded" }] });
    w.exit("guest", 0);
    assert.deepEqual([w.stateOf("guest"), w.job("guest").attempt, w.stateOf("next")], ["waiting", 2, "waiting"]);
    assert.deepEqual(
      w.job("guest").attempts.map(({ result, exitCode }) => [result, exitCode]),
      [["preempted", 0]],
    );
  });

  it("[L1] has succeeded if rank 0 wrote the done file, whatever its exit code", () => {
    for (const end of [done, { ...done, code: 143 }, { ...done, code: 1 }]) {
      const w = reclaimed();
      w.report("guest", end);
      assert.equal(w.outcomeOf("guest"), "succeeded");
    }
  });

  it("[L1] ends as preempted if its retry rule leaves that out", () => {
    const w = reclaimed({ retry: { max: 3, when: ["failed"] } });
    w.exit("guest", 0);
    assert.equal(w.outcomeOf("guest"), "preempted");
  });

  it("[L1] waits again for no exit code in particular, and as a service too", () => {
    for (const code of [0, 1, 42, 75, 143]) {
      const w = reclaimed({ type: "service", retry: { max: 0, when: ["preempted"] } });
      w.exit("guest", code);
      assert.equal(w.stateOf("guest"), "waiting");
    }
  });

  it("[L1] waits again after a drain, and after a budget of its account has stopped it", () => {
    const drained = new World().nodes(["n0", "H100:1"]).account("lab");
    drained.submit("a", "lab");
    drained.run("a").must({ kind: "node.drain", node: "n0", reason: "fan", until: drained.now });
    drained.exit("a", 0);
    assert.equal(drained.stateOf("a"), "waiting");

    const spent = new World().nodes(["n0", "H100:1"]).account("lab");
    spent.submit("a", "lab");
    const budget = {
      account: "lab",
      currency: "EUR",
      limitMicros: "1",
      every: "month",
      alertsPerMille: [],
      stop: "stop-burst",
    } as const;
    spent.run("a").must({ kind: "budget.set", budget });
    spent.must({ kind: "budget.reach", account: "lab", stop: "stop-burst", perMille: 1000, spentMicros: "2" });
    spent.exit("a", 0);
    assert.equal(spent.stateOf("a"), "waiting");
  });

  it("[L1] by its own budget ends as over-budget, unless it is done", () => {
    for (const [end, outcome] of [
      [{ kind: "exited", ran: true, code: 0 }, "over-budget"],
      [done, "succeeded"],
    ] as const) {
      const w = new World().nodes(["n0", "H100:1"]).account("lab");
      w.submit("a", "lab", { budget: 1 });
      w.run("a").must({ kind: "job.overspend", job: jobId("a"), spentMicros: "2000000" });
      w.report("a", end);
      assert.equal(w.outcomeOf("a"), outcome);
    }
  });

  it("[L1] is judged by rank 0 alone", () => {
    const gang = (): World => {
      const w = new World().nodes(["n0", "H100:2"]).account("own", { guarantee: 2 }).account("guest");
      w.submit("guest", "guest", { gpus: 1, members: 2 });
      w.run("guest").submit("owner", "own", { gpus: 2 });
      return w;
    };
    const byRank0 = gang();
    byRank0.report("guest", done, 0);
    byRank0.report("guest", { kind: "exited", ran: true, signal: "SIGTERM" }, 1);
    assert.equal(byRank0.outcomeOf("guest"), "succeeded");
    const byRank1 = gang();
    byRank1.report("guest", done, 1);
    byRank1.exit("guest", 0, 0);
    assert.equal(byRank1.stateOf("guest"), "waiting");
  });

  it("[L1] forgets the done file of an attempt that is over", () => {
    const w = new World().nodes(["n0", "H100:1"]).account("lab");
    w.submit("a", "lab", { retry: { max: 1, when: ["failed", "preempted"] } });
    w.run("a").report("a", { ...done, code: 1 });
    w.tick(minute);
    w.run("a").must({ kind: "node.drain", node: "n0", reason: "fan", until: w.now });
    w.exit("a", 0);
    assert.equal(w.stateOf("a"), "waiting");
  });
});

it("[L1] a done file does not turn a failure into success: a job that was not asked to leave ends by its exit code", () => {
  const w = new World().nodes(["n0", "H100:1"]).account("lab");
  w.submit("a", "lab");
  w.run("a").report("a", { kind: "exited", ran: true, code: 1, done: true });
  assert.equal(w.outcomeOf("a"), "failed");
});

describe("a job that a fault of its neighbour on the GPU ended", () => {
  const fault = { kind: "exited", ran: true, code: 1, neighbour: true, reason: "server of job_b" } as const;
  const results = (w: World, id: string) => w.job(id).attempts.map(({ result }) => result);

  it("[L3] waits again although its retries are used up, and they stay as they are", () => {
    const w = new World().nodes(["n0", "H100:1"]).account("lab");
    w.submit("a", "lab", { retry: 0 });
    w.run("a").report("a", fault);
    const { failures, notBeforeAt } = w.job("a");
    assert.deepEqual([results(w, "a"), failures, notBeforeAt], [["neighbour_fault"], 0, 0]);
  });

  it("[L3] is told that it shared the GPU, and not with which job", () => {
    const w = new World().nodes(["n0", "H100:1"]).account("lab");
    w.submit("a", "lab", { retry: { max: 0, when: [] } });
    w.run("a").report("a", fault);
    const ended = w.events.find((event) => event.kind === "job-ended");
    assert.deepEqual([ended?.outcome, ended?.reason], ["infra-failed", "a fault on the GPU that it shared ended it"]);
    assert.ok(!JSON.stringify(w.events).includes("server of job_b"));
  });

  it("[L3] has succeeded if rank 0 wrote the done file, or if it exited with 0", () => {
    for (const change of [{ done: true }, { code: 0 }]) {
      const w = new World().nodes(["n0", "H100:1"]).account("lab");
      w.submit("a", "lab");
      w.run("a").report("a", { ...fault, ...change });
      assert.equal(w.outcomeOf("a"), "succeeded");
    }
  });

  it("[L3] takes the other members of its gang along, and starts again whole", () => {
    const w = new World().nodes(["n0", "H100:2"]).account("lab");
    w.submit("a", "lab", { gpus: 1, members: 2 });
    w.run("a").report("a", fault, 1);
    assert.equal(w.job("a").stopCause, "neighbour-fault");
    w.report("a", { kind: "exited", ran: true, signal: "SIGTERM" }, 0);
    assert.deepEqual(results(w, "a"), ["neighbour_fault"]);
  });

  it("[L3] goes on if only an extra member was hit", () => {
    const w = new World().nodes(["n0", "H100:2"]).account("lab");
    w.submit("a", "lab", { gpus: 1, members: "1..2" });
    w.run("a").report("a", fault, 1);
    assert.deepEqual([w.stateOf("a"), w.job("a").attempts], ["running", []]);
  });

  it("[L3] shares no MPS server from then on, and a fault then is its own", () => {
    const w = new World();
    w.must({ kind: "node.register", nodes: [{ ...nodeOf("n0", "H100:1"), pool: "mps" }] });
    w.account("lab");
    for (const id of ["wild", "calm", "late"]) w.submit(id, "lab", { gpus: "0.3", retry: 0 });
    w.run("wild").run("calm").run("late");
    w.report("wild", fault);
    w.report("calm", fault);
    w.report("late", { kind: "exited", ran: true, code: 0 });
    assert.deepEqual([w.job("wild").alone, w.job("calm").alone], [true, true]);
    assert.deepEqual([w.stateOf("wild"), w.stateOf("calm")], ["starting", "waiting"]);
    w.submit("other", "lab", { gpus: "0.3" });
    assert.equal(w.stateOf("other"), "waiting", "nor does another job come beside it");
    w.run("wild").report("wild", fault);
    assert.deepEqual([w.outcomeOf("wild"), w.stateOf("calm")], ["failed", "starting"]);
  });

  it("[L3] keeps its own members beside each other", () => {
    const w = new World();
    w.must({ kind: "node.register", nodes: [{ ...nodeOf("n0", "H100:1"), pool: "mps" }] });
    w.account("lab").submit("gang", "lab", { gpus: "0.3", members: 2 });
    w.run("gang").report("gang", fault, 1);
    w.report("gang", { kind: "exited", ran: true, signal: "SIGTERM" }, 0);
    assert.deepEqual([w.job("gang").alone, w.stateOf("gang")], [true, "starting"]);
  });

  it("[L3] stays cancelled if its user cancelled it before", () => {
    const w = new World().nodes(["n0", "H100:1"]).account("lab");
    w.submit("a", "lab");
    w.run("a").must({ kind: "job.cancel", job: jobId("a") });
    w.report("a", fault);
    assert.equal(w.outcomeOf("a"), "cancelled");
  });
});

it("a job over its GPU memory has failed with what it used and asked for", () => {
  for (const [reason, told] of [
    ["used 23.1 GiB of GPU memory, asked for 20 GiB", "used 23.1 GiB of GPU memory, asked for 20 GiB"],
    [undefined, "it used more GPU memory than it asked for"],
  ]) {
    const w = new World().nodes(["n0", "H100:1"]).account("lab");
    w.submit("a", "lab");
    w.run("a").report("a", { kind: "exited", ran: true, signal: "SIGKILL", limit: "gpu-memory", reason });
    const ended = w.events.find((event) => event.kind === "job-ended");
    assert.deepEqual([ended?.outcome, ended?.reason], ["failed", told]);
  }
});
