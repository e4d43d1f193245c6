import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isRefusal } from "../journal/refusal.ts";
import { hour, minute } from "../model/units.ts";
import { readSnapshot, writeSnapshot } from "../state/snapshot/snapshot.ts";
import { jobId, World } from "../testing/world.ts";
import { outlookOf } from "../why/outlook.ts";
import { reasonFor } from "../why/reason-for.ts";

function world(): World {
  return new World().nodes(["n0", "H100:4"], ["n1", "H100:4"]).account("lab", { guarantee: 8 });
}

const plan = (w: World, node: string, inMs: number, lengthMs = hour) =>
  w.do({
    kind: "node.maintenance",
    node,
    window: { from: w.now + inMs, to: w.now + inMs + lengthMs, reason: "new driver" },
  });
const jobOf = (w: World, id: string) => w.state.jobById.get(jobId(id))!;
const nodesOf = (w: World, id: string) => jobOf(w, id).leases.map(({ node }) => node);
const modeOf = (w: World, no: number) => w.state.fleet.nodes[no]!.mode;

describe("a node with a maintenance window", () => {
  it("[B5] takes jobs with a time limit only if they end before it", () => {
    const w = world();
    plan(w, "n0", hour);
    w.submit("short", "lab", { max_time: "1h", gpus: 4 });
    assert.deepEqual(nodesOf(w, "short"), [0]);
    w.submit("long", "lab", { max_time: "61m", gpus: 4 });
    assert.deepEqual(nodesOf(w, "long"), [1]);
  });

  it("[B5] takes jobs without a limit, and drains them when the window begins; they start again elsewhere", () => {
    const w = world();
    plan(w, "n0", hour);
    w.submit("open", "lab", { gpus: 4 });
    assert.deepEqual(nodesOf(w, "open"), [0]);
    w.run("open");
    w.tick(hour);
    assert.deepEqual([modeOf(w, 0), jobOf(w, "open").stopCause], ["draining", "drain"]);
    w.report("open", { kind: "exited", ran: true, signal: "SIGTERM" });
    assert.equal(modeOf(w, 0), "maintenance");
    assert.deepEqual(nodesOf(w, "open"), [1]);
    w.tick(hour);
    assert.equal(modeOf(w, 0), "up");
    assert.equal(w.state.fleet.maintained.size, 0);
  });

  it("[B5] takes no job without a limit that is not preemptible", () => {
    const w = world();
    plan(w, "n0", hour);
    w.submit("firm", "lab", { gpus: 4, preemptible: false });
    assert.deepEqual(nodesOf(w, "firm"), [1]);
  });

  it("[B5] makes a job that fits nowhere else wait with reason reservation, planned for its end", () => {
    const w = world();
    w.submit("busy", "lab", { gpus: 4, max_time: "10h" });
    w.run("busy");
    const other = nodesOf(w, "busy")[0] === 0 ? "n1" : "n0";
    plan(w, other, minute);
    w.submit("late", "lab", { gpus: 4, max_time: "2h" });
    const reason = reasonFor(w.state, jobOf(w, "late"), w.now);
    assert.deepEqual([reason.kind, reason.until], ["reservation", w.now + minute + hour]);
    const outlook = outlookOf(w.state, jobOf(w, "late"), w.now);
    assert.deepEqual([outlook.when, outlook.when === "later" && outlook.at], ["later", w.now + minute + hour]);
    w.tick(minute);
    assert.equal(w.stateOf("late"), "waiting");
    assert.equal(reasonFor(w.state, jobOf(w, "late"), w.now).kind, "health");
    w.tick(hour);
    assert.deepEqual(nodesOf(w, "late").length, 1);
  });

  it("[B5] holds parts of GPUs to the same rule", () => {
    const w = world();
    const nodes = w.state.fleet.nodes.map((node) => ({ ...node!.facts, pool: "any" as const }));
    w.must({ kind: "node.register", nodes });
    for (const name of ["n0", "n1"]) plan(w, name, minute);
    w.submit("part", "lab", { gpus: "0.5", max_time: "1h" });
    assert.equal(reasonFor(w.state, jobOf(w, "part"), w.now).kind, "reservation");
  });

  it("[B5] can have its window cancelled or ended early, also after a snapshot", () => {
    const w = world();
    plan(w, "n0", hour);
    assert.ok(isRefusal(plan(w, "n0", hour + minute)), "it overlaps");
    assert.ok(isRefusal(plan(w, "n0", hour, 0)));
    assert.ok(!isRefusal(plan(w, "n0", 3 * hour)));
    const text = writeSnapshot(w.state);
    const back = readSnapshot(text);
    assert.equal(writeSnapshot(back), text);
    assert.equal(back.timers.nextAt, w.state.timers.nextAt);
    w.tick(hour);
    assert.equal(modeOf(w, 0), "maintenance");
    w.must({ kind: "node.up", node: "n0" });
    assert.deepEqual([modeOf(w, 0), w.state.fleet.nodes[0]!.maintenance?.length], ["up", 1]);
    w.must({ kind: "node.maintenance", node: "n0", window: null });
    assert.equal(w.state.fleet.nodes[0]!.maintenance, undefined);
  });

  it("[B5] stays out of use after the window if its owner had drained it before", () => {
    const w = world();
    plan(w, "n0", minute, minute);
    w.must({ kind: "node.drain", node: "n0", reason: "by hand" });
    w.tick(minute);
    w.tick(minute);
    assert.equal(modeOf(w, 0), "maintenance");
  });
});
