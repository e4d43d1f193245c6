import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isRefusal } from "../journal/refusal.ts";
import { Meter } from "../meter/meter.ts";
import type { CheckRecord, FindingSource, HealthFinding } from "../model/health.ts";
import { day, minute } from "../model/units.ts";
import { readSnapshot, writeSnapshot } from "../state/snapshot/snapshot.ts";
import { jobId, nodeOf, World } from "../testing/world.ts";

const retry = { max: 0, when: ["node_lost", "preempted"] } as const;

/** Two nodes of two GPUs; `a` holds the first GPU of n0, `b` the second. */
function fleet(): World {
  const w = new World().nodes(["n0", "H100:2"], ["n1", "H100:2"]);
  for (const name of ["lab", "shop", "mint", "yard"]) w.account(name);
  w.submit("a", "lab", { gpus: 1, retry });
  w.submit("b", "shop", { gpus: 1, retry });
  return w.run("a").run("b");
}

function find(w: World, code: number | string, change: Partial<HealthFinding> & { source?: FindingSource } = {}) {
  const about = {
    node: "n0",
    gpuUuid: "GPU-n0-0",
    at: w.now,
    source: "xid",
    code: String(code),
    text: "as logged",
  } as const;
  return w.must({ kind: "node.finding", ...about, ...change });
}

function check(w: World, result: CheckRecord["result"], node = "n0") {
  return w.must({ kind: "node.checked", node, results: [{ name: "memory", result, text: "the pattern" }] });
}

const modeOf = (w: World, name = "n0") => w.state.fleet.nodeByName.get(`test/${name}`)?.own.mode;
const nodeOfJob = (w: World, id: string) => w.job(id).leases[0]?.node;

describe("a finding", () => {
  it("[H1] that is to be ignored or watched changes no node and no job", () => {
    for (const code of [37, 43, 45, 63, 92, 106, 152, 162, 9_999]) {
      const w = fleet();
      const kinds = find(w, code).map(({ kind }) => kind);
      assert.deepEqual(
        [kinds, modeOf(w), w.stateOf("a"), w.state.repairs.size],
        [["finding-noted"], "up", "running", 0],
      );
    }
  });

  it("[H1] of the bus takes the node out of use and stops all jobs there", () => {
    const w = fleet();
    find(w, 79);
    assert.deepEqual([modeOf(w), w.stateOf("a"), w.stateOf("b")], ["draining", "stopping", "stopping"]);
  });

  it("[H1] that a reset cures stops only the jobs of that GPU, and one that drains stops none", () => {
    const reset = fleet();
    find(reset, 95);
    assert.deepEqual([modeOf(reset), reset.stateOf("a"), reset.stateOf("b")], ["draining", "stopping", "running"]);
    const drained = fleet();
    find(drained, "width", { source: "pcie" });
    assert.deepEqual([modeOf(drained), drained.stateOf("a"), drained.stateOf("b")], ["draining", "running", "running"]);
  });

  it("[H1] that reached one program only stops that one", () => {
    const w = new World().nodes(["n0", "H100:1"]).account("lab");
    w.must({ kind: "node.register", nodes: [{ ...nodeOf("n0", "H100:1"), pool: "timeslice" }] });
    for (const id of ["one", "two"]) w.submit(id, "lab", { gpus: 0.5, isolation: "timeslice" });
    w.run("one").run("two");
    find(w, 94, { lease: w.job("two").leases[0]!.id });
    assert.deepEqual([w.stateOf("one"), w.stateOf("two")], ["running", "stopping"]);
  });

  it("[H1] follows what the driver recommends, where it says so", () => {
    const text = (to: string) => ({ text: `GPU recovery action changed from 0x0 (None) to ${to}` });
    for (const [to, mode, a] of [
      ["0x1 (GPU Reset Required)", "draining", "stopping"],
      ["0x2 (Node Reboot Required)", "draining", "stopping"],
      ["0x4 (Drain and Reset)", "draining", "running"],
      ["0x0 (None)", "up", "running"],
    ] as const) {
      const w = fleet();
      find(w, 154, text(to));
      assert.deepEqual([modeOf(w), w.stateOf("a")], [mode, a], to);
    }
  });

  it("of a node that has left changes nothing", () => {
    const w = fleet();
    assert.deepEqual(find(w, 79, { node: "gone" }), []);
  });
});

describe("a program's own fault", () => {
  it("[H2] ends the job with the driver's message, keeps the GPU, and costs a retry", () => {
    const w = fleet();
    find(w, 31);
    find(w, 45);
    assert.deepEqual([modeOf(w), w.stateOf("a")], ["up", "running"]);
    w.exit("a", 134);
    const ended = w.events.findLast((event) => event.kind === "job-ended");
    assert.equal(
      ended?.kind === "job-ended" && ended.reason,
      "Xid 31: the program used a GPU address at which nothing is mapped",
    );
    assert.equal(w.outcomeOf("a"), "failed");
  });

  it("[H2] says nothing of a job that ends well, or of its next attempt", () => {
    const w = fleet();
    find(w, 13);
    w.exit("a", 0);
    assert.equal(w.outcomeOf("a"), "succeeded");
    w.submit("again", "lab", { gpus: 1, retry: { max: 1, when: ["failed"] } });
    w.run("again");
    find(w, 13, { lease: w.job("again").leases[0]!.id });
    w.exit("again", 1);
    assert.equal(w.job("again").fault, undefined);
  });

  it("[H2] of three tenants on one GPU within a day makes the GPU suspicious; of one tenant or of two it does not", () => {
    const w = new World().nodes(["n0", "H100:1"]);
    for (const name of ["lab", "shop", "mint"]) w.account(name);
    const fail = (id: string, account: string) => {
      w.submit(id, account, { gpus: 1 });
      w.run(id);
      find(w, 31);
      w.exit(id, 1);
    };
    for (const id of ["a", "b", "c", "d"]) fail(id, "lab");
    fail("e", "shop");
    assert.equal(modeOf(w), "up");
    w.now += 2 * day;
    fail("f", "mint");
    assert.equal(modeOf(w), "up");
    fail("g", "shop");
    fail("h", "lab");
    assert.equal(modeOf(w), "maintenance");
    assert.equal([...w.state.repairs.values()][0]?.action, "drain");
  });

  it("[H2] that repeats asks for a reset, where the catalogue says so", () => {
    const w = fleet();
    for (const _ of [1, 2]) find(w, 109);
    assert.equal(modeOf(w), "up");
    find(w, 109);
    assert.deepEqual([modeOf(w), w.stateOf("a")], ["draining", "stopping"]);
  });
});

describe("jobs on a node with a fault", () => {
  it("[H3] leave with their grace and start elsewhere, which costs no retry", () => {
    const w = new World().nodes(["n0", "H100:1"], ["n1", "H100:1"]).account("lab");
    w.submit("a", "lab", { gpus: 1, retry, checkpoint: { every: "5m", grace: "2m" } });
    w.run("a");
    const stop = find(w, 79).find((event) => event.kind === "lease-stopping");
    assert.deepEqual(stop?.kind === "lease-stopping" && [stop.cause, stop.graceMs], ["unhealthy", 2 * minute]);
    w.exit("a", 1);
    assert.deepEqual([w.job("a").attempts[0]?.result, w.job("a").failures, nodeOfJob(w, "a")], ["node_fault", 0, 1]);
    assert.match(w.job("a").attempts[0]?.why ?? "", /its node had a fault: Xid 79/);
  });

  it("[H3] end where their retry rule brings them back from nothing", () => {
    const w = new World().nodes(["n0", "H100:1"]).account("lab");
    w.submit("a", "lab", { gpus: 1, retry: { max: 0, when: [] } });
    w.run("a");
    find(w, 79);
    w.exit("a", 1);
    assert.equal(w.outcomeOf("a"), "infra-failed");
  });

  it("[H4] are credited with the work that they lose", () => {
    const w = new World().nodes(["n0", "H100:1"]).account("lab");
    w.submit("a", "lab", { gpus: 1, retry });
    w.run("a");
    w.tick(10 * minute);
    find(w, 79);
    const meter = new Meter(1);
    const lease = w.job("a").leases[0]!.id;
    const at = w.now;
    meter.see({ kind: "lease-ended", v: 1, at, lease, sequence: 9, result: "exited", exitCode: 137 }, w.state);
    const lost = meter.records.flatMap((each) => (each.is === "lost" ? [each.record] : []));
    assert.deepEqual(
      lost.map(({ cause, lostMs }) => [cause, lostMs]),
      [["node_fault", 10 * minute]],
    );
  });
});

describe("a repair", () => {
  it("[H5] holds what was found and what has to be done; further findings are added, and a harder one makes it harder", () => {
    const w = fleet();
    find(w, "width", { source: "pcie", text: "x8 of x16" });
    find(w, 79, { text: "GPU has fallen off the bus." });
    const [repair, ...others] = w.state.repairs.values();
    assert.deepEqual(others, []);
    assert.deepEqual([repair?.cause, repair?.action, repair?.noted], ["pcie width", "quarantine", 2]);
    assert.deepEqual(
      repair?.evidence.map(({ text }) => text),
      ["pcie width: x8 of x16", "Xid 79: GPU has fallen off the bus."],
    );
    assert.equal(w.stateOf("b"), "stopping");
  });

  it("[H5] keeps the first evidence and counts the rest", () => {
    const w = fleet();
    for (let i = 0; i < 30; i++) find(w, 79, { text: `line ${i}` });
    const [repair] = w.state.repairs.values();
    assert.deepEqual([repair?.evidence.length, repair?.noted, repair?.evidence[0]?.text], [20, 30, "Xid 79: line 0"]);
  });

  it("[H6] is closed by checks that pass, and only then is the node up again", () => {
    const w = fleet();
    find(w, 79);
    for (const id of ["a", "b"]) w.exit(id, 1);
    assert.equal(modeOf(w), "maintenance");
    const refused = w.do({ kind: "node.up", node: "n0" });
    assert.ok(isRefusal(refused) && /tess node check n0/.test(refused.hint));
    for (const result of ["skipped", "ended"] as const) {
      check(w, result);
      assert.equal(modeOf(w), "maintenance", result);
    }
    check(w, "passed");
    assert.equal(modeOf(w), "up");
    assert.equal([...w.state.repairs.values()][0]?.closedWhy, "passed memory");
  });

  it("[H6] is closed by the owner's word where no check can say so", () => {
    const w = fleet();
    find(w, 79);
    for (const id of ["a", "b"]) w.exit(id, 1);
    w.must({ kind: "repair.close", repair: 1, reason: "riser changed" });
    assert.equal(modeOf(w), "up");
    assert.ok(isRefusal(w.do({ kind: "repair.close", repair: 1, reason: "again" })));
    assert.ok(isRefusal(w.do({ kind: "repair.close", repair: 2, reason: "none" })));
  });

  it("[H6] is opened by a check that fails, on an idle node as well", () => {
    const w = fleet();
    check(w, "failed", "n1");
    assert.deepEqual([modeOf(w, "n1"), [...w.state.repairs.values()][0]?.cause], ["maintenance", "check memory"]);
  });

  it("[H6] outlives the node: with fewer GPUs, after a restart and at the end of a window it stays out of use", () => {
    const w = new World().nodes(["n0", "H100:2"]).account("lab");
    find(w, 79);
    w.nodes(["n0", "H100:1"]);
    assert.equal(modeOf(w), "maintenance");
    w.must({ kind: "node.register", nodes: [] });
    w.must({ kind: "node.register", engine: "test", nodes: [] });
    w.nodes(["n0", "H100:2"]);
    assert.equal(modeOf(w), "maintenance");
    const other = new World().nodes(["n0", "H100:2"]);
    other.must({
      kind: "node.maintenance",
      node: "n0",
      window: { from: other.now, to: other.now + minute, reason: "disk" },
    });
    find(other, 79);
    other.tick(2 * minute);
    assert.deepEqual(
      [modeOf(other), other.state.fleet.nodeByName.get("test/n0")?.reason],
      ["maintenance", "quarantine: Xid 79: the GPU no longer answers on the bus"],
    );
  });

  it("[H6] leaves a node alone that its owner took out of use", () => {
    const w = new World().nodes(["n0", "H100:2"]);
    w.must({ kind: "node.drain", node: "n0", reason: "moving" });
    find(w, 79);
    check(w, "passed");
    assert.deepEqual([modeOf(w), w.state.fleet.nodeByName.get("test/n0")?.reason], ["maintenance", "moving"]);
  });

  it("[H6] of the third fault within a week is closed by the owner only", () => {
    const w = new World().nodes(["n0", "H100:2"]);
    for (const fault of [1, 2, 3]) {
      find(w, 79);
      check(w, "passed");
      assert.equal(modeOf(w), fault < 3 ? "up" : "maintenance", String(fault));
      w.now += day;
    }
    w.must({ kind: "repair.close", repair: 3, reason: "new board" });
    assert.equal(modeOf(w), "up");
    w.now += 8 * day;
    find(w, 79);
    check(w, "passed");
    assert.equal(modeOf(w), "up");
  });
});

describe("acceptance", () => {
  const real = (name: string) => ({ ...nodeOf(name, "H100:1"), virtual: false });

  it("[H6] keeps new nodes with real GPUs out of use until they have passed the checks, where the owner asks for it", () => {
    const w = new World();
    w.must({ kind: "node.register", nodes: [real("n0")] });
    w.must({ kind: "policy.set", policy: { ...w.state.policy, acceptance: true } });
    w.must({ kind: "node.register", nodes: [real("n0"), real("n1"), nodeOf("v0", "H100:1")] });
    assert.deepEqual([modeOf(w), modeOf(w, "n1"), modeOf(w, "v0")], ["up", "maintenance", "up"]);
    check(w, "skipped", "n1");
    assert.equal(modeOf(w, "n1"), "maintenance");
    check(w, "passed", "n1");
    assert.equal(modeOf(w, "n1"), "up");
  });

  it("[H6] may be given by the owner's word", () => {
    const w = new World();
    w.must({ kind: "policy.set", policy: { ...w.state.policy, acceptance: true } });
    w.must({ kind: "node.register", nodes: [real("n1")] });
    w.must({ kind: "node.up", node: "n1" });
    assert.equal(modeOf(w, "n1"), "up");
  });
});

it("what was found is part of a snapshot, and absent where nothing was", () => {
  const w = fleet();
  assert.ok(!writeSnapshot(w.state).includes('"health"'));
  find(w, 31);
  find(w, 79);
  const text = writeSnapshot(w.state);
  assert.equal(writeSnapshot(readSnapshot(text)), text);
  assert.equal(w.state.health.get("test/n0")?.findings.length, 2);
  assert.equal(w.state.jobById.get(jobId("a"))?.fault?.startsWith("Xid 31"), true);
});
