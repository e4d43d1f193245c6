import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isRefusal } from "../journal/refusal.ts";
import { minute, second, unitsPerGpu } from "../model/units.ts";
import { readSnapshot, writeSnapshot } from "../state/snapshot/snapshot.ts";
import { ana, jobId, World } from "../testing/world.ts";
import { reasonFor } from "../why/reason-for.ts";

function world(): World {
  return new World().nodes(["n0", "H100:8"], ["n1", "H100:8"]).account("lab").account("lab/vision", {});
}

function reason(w: World, id: string): string {
  return reasonFor(w.state, w.state.jobById.get(jobId(id))!, w.now).kind;
}

describe("a job from submission to its end", () => {
  it("is placed at once where there is room, runs, and ends with its own exit code", () => {
    const w = world();
    w.submit("a", "lab/vision", { gpus: "H100:2" });
    assert.equal(w.stateOf("a"), "starting");
    w.run("a");
    assert.equal(w.stateOf("a"), "running");
    w.exit("a", 7);
    assert.equal(w.outcomeOf("a"), "failed");
    const ended = w.events.at(-1)!;
    assert.equal(ended.kind === "job-ended" && ended.exitCode, 7);
    assert.equal(w.state.fleet.nodeFreeGpus[0], 8);
  });

  it("[S5] places a gang whole or not at all, and says which room is missing", () => {
    const w = world();
    w.submit("half", "lab", { gpus: 5 });
    w.submit("gang", "lab", { gpus: 8, nodes: 2 });
    assert.equal(w.stateOf("gang"), "waiting");
    assert.equal(reason(w, "gang"), "capacity");
    w.submit("six", "lab", { gpus: 6 });
    w.submit("four", "lab", { gpus: 4 });
    assert.equal(w.stateOf("four"), "waiting");
    assert.equal(reason(w, "four"), "shape");
  });

  it("[S5] stops the other members when one fails, and takes its exit code", () => {
    const w = world();
    w.submit("gang", "lab", { gpus: 8, nodes: 2 });
    w.run("gang");
    const events = w.exit("gang", 3, 1);
    assert.deepEqual(
      events.map((event) => event.kind),
      ["lease-ended", "lease-stopping"],
    );
    w.report("gang", { kind: "exited", ran: true, signal: "SIGTERM" }, 0);
    const ended = w.events.at(-1)!;
    assert.equal(ended.kind === "job-ended" && ended.exitCode, 3);
  });

  it("[S22] never starts again after a cancel, even if its node is lost while it stops", () => {
    const w = world();
    w.submit("a", "lab", {});
    w.run("a");
    w.must({ kind: "job.cancel", job: jobId("a") });
    assert.equal(w.stateOf("a"), "stopping");
    w.report("a", { kind: "lost", reason: "gone" });
    assert.equal(w.outcomeOf("a"), "cancelled");
  });

  it("[S20] comes back exactly once after its node is lost, as the next attempt", () => {
    const w = world();
    w.submit("gang", "lab", { gpus: 8, nodes: 2 });
    w.run("gang");
    w.must({ kind: "node.down", node: "n0", reason: "fire" });
    assert.equal(w.stateOf("gang"), "stopping");
    w.report("gang", { kind: "exited", ran: true, signal: "SIGTERM" }, 1);
    assert.equal(w.stateOf("gang"), "waiting");
    assert.equal(w.state.jobById.get(jobId("gang"))!.attempt, 2);
    assert.equal(w.events.filter((event) => event.kind === "job-requeued").length, 1);
    assert.equal(reason(w, "gang"), "health");
  });

  it("[S21] is not changed by a repeated or late report", () => {
    const w = world();
    w.submit("a", "lab", {});
    const lease = w.state.jobById.get(jobId("a"))!.leases[0]!.id;
    w.reportOn(lease, { kind: "prepared", engineId: "e", enforcement: {} }, 1);
    w.reportOn(lease, { kind: "started" }, 2);
    assert.deepEqual(w.reportOn(lease, { kind: "prepared", engineId: "e", enforcement: {} }, 1), []);
    w.reportOn(lease, { kind: "exited", ran: true, code: 0 }, 3);
    assert.deepEqual(w.reportOn(lease, { kind: "started" }, 4), []);
    assert.equal(w.outcomeOf("a"), "succeeded");
  });

  it("[S27] ends usage at the engine's time, but never before it began nor after now", () => {
    const w = world();
    w.submit("a", "lab", {});
    w.run("a");
    const lease = w.state.jobById.get(jobId("a"))!.leases[0]!;
    const startedAt = lease.since;
    w.now += minute;
    const report = {
      lease: lease.id,
      sequence: 3,
      bootId: "b",
      at: startedAt - minute,
      what: { kind: "exited", ran: true, code: 0 },
    } as const;
    w.reportOn(report.lease, report.what, 3);
    const ended = w.events.find((event) => event.kind === "lease-ended")!;
    assert.ok(ended.at >= startedAt && ended.at <= w.now);
  });

  it("tries again after its own failure, later each time, and then gives up", () => {
    const w = world();
    w.submit("a", "lab", { retry: 2 });
    w.run("a").exit("a", 1);
    assert.equal(reason(w, "a"), "not-yet");
    w.tick(second);
    w.run("a").exit("a", 1);
    w.tick(second);
    assert.equal(w.stateOf("a"), "waiting");
    w.tick(second);
    w.run("a").exit("a", 1);
    assert.equal(w.outcomeOf("a"), "failed");
  });

  it("runs no more elements of an array at once than its limit", () => {
    const w = world();
    w.submit("frames", "lab", { array: "1-5%2", gpus: 1 });
    assert.equal(w.state.leases.size, 2);
    w.run("frames.1").exit("frames.1", 0);
    assert.equal(w.stateOf("frames.3"), "starting");
    assert.equal(reason(w, "frames.4"), "not-yet");
    for (const i of [2, 3, 4, 5]) w.run(`frames.${i}`).exit(`frames.${i}`, i === 4 ? 9 : 0);
    assert.equal(w.state.arrays.size, 0);
  });

  it("waits for the job it is to run after, and ends with it when that one fails", () => {
    const w = world();
    w.submit("first", "lab", {});
    w.submit("then", "lab", { after: [{ job: jobId("first"), when: "succeeded" }] });
    w.submit("last", "lab", { after: [{ job: jobId("then"), when: "succeeded" }] });
    w.submit("anyway", "lab", { after: [{ job: jobId("first"), when: "ended" }] });
    assert.equal(reason(w, "then"), "dependency");
    w.run("first").exit("first", 1);
    assert.equal(w.outcomeOf("then"), "dependency-failed");
    assert.equal(w.outcomeOf("last"), "dependency-failed");
    assert.equal(w.stateOf("anyway"), "starting");
  });

  it("is held, released, not started before its time, and ended by its deadline", () => {
    const w = world();
    w.submit("later", "lab", { notBeforeAt: w.now + minute, deadlineAt: w.now + 2 * minute });
    assert.equal(reason(w, "later"), "not-yet");
    w.must({ kind: "job.hold", job: jobId("later") });
    w.tick(minute);
    assert.equal(reason(w, "later"), "held");
    w.tick(minute);
    assert.equal(w.outcomeOf("later"), "deadline-passed");
    w.submit("held", "lab", { gpus: 16, members: 1 });
    assert.equal(w.stateOf("held"), "ended");
  });

  it("[S7] never holds more than max at any level, in-flight and stopping work included", () => {
    const w = new World().nodes(["n0", "H100:8"]).account("org", { max: 3 }).account("org/a", {}).account("org/b", {});
    w.submit("a", "org/a", { gpus: 2 });
    w.submit("b", "org/b", { gpus: 2 });
    assert.equal(w.stateOf("b"), "waiting");
    assert.equal(reason(w, "b"), "quota");
    w.run("a").must({ kind: "job.cancel", job: jobId("a") });
    assert.equal(w.stateOf("b"), "waiting");
    w.report("a", { kind: "exited", ran: true, signal: "SIGTERM" });
    assert.equal(w.stateOf("b"), "starting");
    assert.ok(isRefusal(w.submit("c", "org/a", { gpus: 4 })));
  });

  it("starts inside its guarantee before another would borrow", () => {
    const w = new World().nodes(["n0", "H100:4"]).account("rich", { guarantee: 3 }).account("poor");
    w.submit("fill", "poor", { gpus: 4 });
    w.submit("poor1", "poor", { gpus: 1 });
    w.submit("rich1", "rich", { gpus: 3 });
    w.run("fill").exit("fill", 0);
    assert.equal(w.stateOf("rich1"), "starting");
    assert.equal(w.state.jobById.get(jobId("rich1"))!.class, "guaranteed");
    assert.equal(w.state.jobById.get(jobId("poor1"))!.class, "burst");
  });

  it("[S15] answers a repeated key with the same result and refuses another body", () => {
    const w = world();
    const command = { kind: "user.create", user: "usr_x" as never } as const;
    const key = { key: "k1", bodyHash: "h1" };
    assert.deepEqual(w.do(command, key), { events: w.events.slice(-2), result: "usr_x" });
    assert.deepEqual(w.do(command, key), { events: [], result: "usr_x", repeated: true });
    const other = w.do(command, { key: "k1", bodyHash: "h2" });
    assert.ok(isRefusal(other) && other.refused === "key-reused");
  });

  it("[S26] is the same after a snapshot is written and read back, also in what follows", () => {
    const w = world();
    w.submit("gang", "lab", { gpus: 8, nodes: 2 });
    w.submit("frames", "lab/vision", { array: "1-5%2", notBeforeAt: w.now + minute });
    w.submit("then", "lab", { after: [{ job: jobId("frames"), when: "ended" }] });
    w.run("gang");
    const text = writeSnapshot(w.state);
    const copy = new World(readSnapshot(text));
    copy.now = w.now;
    assert.equal(writeSnapshot(copy.state), text);
    for (const each of [w, copy]) {
      each.must({ kind: "node.drain", node: "n0", reason: "patch", until: each.now + second });
      each.tick(minute);
      each.reportOn("job_gang-1-0" as never, { kind: "exited", ran: true, code: 0 }, 9);
      each.reportOn("job_gang-1-1" as never, { kind: "exited", ran: true, code: 1 }, 9);
    }
    assert.equal(writeSnapshot(copy.state), writeSnapshot(w.state));
    assert.equal(w.state.fleet.nodeByName.get("test/n0")!.mode, "maintenance");
  });

  it("is refused where it could never run, and nothing changes", () => {
    const w = world();
    const before = writeSnapshot(w.state);
    for (const [raw, field] of [
      [{ gpus: "B200:1" }, "gpus"],
      [{ gpus: 9 }, "gpus"],
      [{ gpus: 8, nodes: 3 }, "nodes"],
      [{ memory: "2TiB" }, "memory"],
      [{ gpus: "H100:0.5" }, "gpus"],
      [{ schedule: "daily" }, "schedule"],
    ] as const) {
      const decision = w.submit("x", "lab", raw as never);
      assert.ok(isRefusal(decision), JSON.stringify(raw));
      assert.equal(decision.field, field);
      assert.ok(decision.hint.length > 0);
    }
    assert.equal(writeSnapshot(w.state), before);
  });
});

describe("GPU hours of a period", () => {
  it("let a job wait when they are used up, and start it when the next period begins", () => {
    const limits = { gpuTime: { unitMsMax: unitsPerGpu * minute, everyMs: 60 * minute } };
    const w = new World().nodes(["n0", "H100:8"]).account("lab", { limits });
    w.submit("long", "lab", {});
    w.run("long").tick(2 * minute);
    w.exit("long", 0);
    w.submit("next", "lab", {});
    assert.equal(reason(w, "next"), "quota");
    w.tick(30 * minute);
    assert.equal(w.stateOf("next"), "waiting");
    w.tick(60 * minute);
    assert.equal(w.stateOf("next"), "starting");
  });
});

describe("going inside a job", () => {
  const enter = (w: World, id: string, rank = 0) =>
    w.do({ kind: "job.enter", job: jobId(id), rank, user: ana, how: "exec", what: "nvidia-smi" });

  it("is written down and changes nothing else", () => {
    const w = world();
    w.submit("a", "lab", { gpus: 2 });
    w.run("a");
    const before = writeSnapshot(w.state);
    assert.ok(!isRefusal(enter(w, "a")));
    const entered = w.events.at(-1)!;
    assert.equal(entered.kind === "job-entered" && entered.user, ana);
    assert.equal(writeSnapshot(w.state), before);
  });

  it("needs a member that runs", () => {
    const w = world();
    w.submit("later", "lab", { gpus: 2 });
    w.submit("many", "lab", { array: "1-2" });
    const refused = (id: string, rank?: number) => {
      const answer = enter(w, id, rank);
      return isRefusal(answer) ? answer.detail : "";
    };
    assert.match(refused("later"), /is starting, and only a running job can be entered/);
    assert.match(refused("many"), /is an array/);
    assert.match(refused("gone"), /has ended/);
    w.run("later");
    assert.match(refused("later", 1), /is not a member of this job/);
  });
});
