import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { pricesOf } from "../bill/sample.fixture.ts";
import { isRefusal } from "../journal/refusal.ts";
import type { AccountNo } from "../model/ids.ts";
import { hour, minute } from "../model/units.ts";
import { writeSnapshot } from "../state/snapshot/snapshot.ts";
import { parseJob, type RawJob } from "../submit/parse.ts";
import { ana, jobId, nodeOf, World } from "../testing/world.ts";
import { type Alternative, alternativesFor } from "./alternatives.ts";
import { jobsAheadOf } from "./jobs-ahead.ts";
import type { Outlook } from "./outlook.ts";
import { startBand } from "./outlook.ts";
import { reasonFor } from "./reason-for.ts";
import { expected, type Rehearsal, rehearse } from "./rehearse.ts";

const offersAll = { offers: () => true, mayRaise: true };

function twoNodes(): World {
  return new World().nodes(["n0", "H100:8"], ["n1", "H100:8"]).account("lab");
}

function dry(w: World, account: string, raw: Partial<RawJob>): Rehearsal {
  const spec = parseJob({ run: "true", gpus: 1, ...raw }, { after: [] });
  assert.ok(!isRefusal(spec));
  const no = w.state.accountByPath.get(account)!.no as AccountNo;
  const before = writeSnapshot(w.state);
  const rehearsal = rehearse(w.state, no, ana, spec, w.now);
  assert.equal(writeSnapshot(w.state), before, "a rehearsal leaves no trace");
  assert.ok(!isRefusal(rehearsal), JSON.stringify(rehearsal));
  return rehearsal;
}

/** The submitted job must get what the rehearsal promised. */
function sameAsReal(w: World, account: string, raw: Partial<RawJob>, { outlook }: Rehearsal): void {
  w.submit("real", account, raw);
  const job = w.state.jobById.get(jobId("real"))!;
  assert.ok(outlook.when === "now");
  if (outlook.displaced.length === 0) assert.deepEqual(job.seats, outlook.placement.seats);
  else assert.deepEqual(job.claim?.seats, outlook.placement.seats);
  for (const { job: loser } of outlook.displaced) assert.equal(loser.state, "stopping");
}

function alternatives(w: World, id: string, terms = offersAll): Alternative[] {
  const job = w.state.jobById.get(jobId(id))!;
  const before = writeSnapshot(w.state);
  const found = alternativesFor(w.state, job, w.now, expected(w.state, job, w.now), terms);
  assert.equal(writeSnapshot(w.state), before, "looking for alternatives changes nothing");
  return found;
}

/** Each alternative that promises a start now must start when it is submitted to an equal world. */
function keepsItsWord(make: () => World, id: string): Alternative[] {
  const found = alternatives(make(), id);
  for (const { field, spec, outlook } of found.filter((each) => each.outlook.when === "now")) {
    const w = make();
    const { account } = w.state.jobById.get(jobId(id))!;
    const { path } = w.state.accounts[account]!;
    w.must({ kind: "job.cancel", job: jobId(id) });
    w.must({ kind: "job.submit", id: jobId("changed"), account: path, user: ana, spec, endedBefore: [] });
    const job = w.state.jobById.get(jobId("changed"))!;
    const evicts = outlook.when === "now" && outlook.displaced.length > 0;
    assert.equal(evicts ? job.claim !== undefined : job.state === "starting", true, `${field} does not help`);
  }
  return found;
}

const fields = (found: readonly Alternative[]) => found.map(({ field }) => field);
const byField = (found: readonly Alternative[], field: string) => found.find((each) => each.field === field);
const startOf = (outlook: Outlook) => (outlook.when === "later" ? outlook.at : undefined);

describe("a rehearsal", () => {
  it("[W1] gives the seats and the class that the job then gets", () => {
    const w = twoNodes().account("a", { guarantee: 4 });
    const raw = { gpus: "H100:4" };
    const rehearsal = dry(w, "a", raw);
    assert.ok(rehearsal.outlook.when === "now");
    assert.equal(rehearsal.outlook.placement.class, "guaranteed");
    sameAsReal(w, "a", raw, rehearsal);
  });

  it("[W1] names the jobs that would be evicted, with the rule, and evicts none", () => {
    const w = new World().nodes(["n0", "H100:8"]).account("org").account("own", { guarantee: 8 });
    for (let i = 0; i < 4; i++) w.submit(`b${i}`, "org", { gpus: 2 });
    const raw = { gpus: 4 };
    const rehearsal = dry(w, "own", raw);
    const { outlook } = rehearsal;
    assert.ok(outlook.when === "now");
    assert.deepEqual(
      outlook.displaced.map(({ rule, units, members }) => [rule, units, members]),
      [
        ["T1", 42_000, 0],
        ["T1", 42_000, 0],
      ],
    );
    assert.equal(outlook.placement.class, "guaranteed");
    assert.equal(outlook.graceMs, w.state.policy.graceMs);
    sameAsReal(w, "own", raw, rehearsal);
  });

  it("[W1] gives the planned start if time limits are known, and otherwise says why not", () => {
    const w = twoNodes();
    w.submit("a", "lab", { gpus: 8, max_time: "1h" });
    w.submit("b", "lab", { gpus: 8 });
    w.run("a").run("b");
    const { outlook, reason } = dry(w, "lab", { gpus: 8 });
    assert.equal(startOf(outlook), w.now + hour);
    assert.equal(reason!.kind, "capacity");
    const both = dry(w, "lab", { gpus: 8, nodes: 2 }).outlook;
    assert.deepEqual(both, {
      when: "unknown",
      why: "1 job that holds GPUs it could use has no max_time, and too few jobs like it have ended",
    });
    const early = dry(w, "lab", { gpus: 1 });
    assert.equal(early.outlook.when, "later");
  });

  it("[B2] does not promise a start that would delay a plan", () => {
    const w = twoNodes();
    w.submit("a", "lab", { gpus: 8, max_time: "1h" });
    w.run("a");
    w.submit("gang", "lab", { gpus: 8, nodes: 2, max_time: "1h" });
    const long = dry(w, "lab", { gpus: 4, max_time: "2h" });
    assert.equal(long.reason!.kind, "order");
    assert.equal(startOf(long.outlook), w.now + 2 * hour);
    assert.equal(dry(w, "lab", { gpus: 4, max_time: "30m" }).outlook.when, "now");
  });
});

describe("plans behind plans", () => {
  it("[B1] puts a job behind one that is planned on the same GPUs", () => {
    const w = new World().nodes(["n0", "H100:8"]).account("lab");
    w.submit("a", "lab", { gpus: 8, max_time: "1h" });
    w.run("a");
    w.submit("b", "lab", { gpus: 8, max_time: "2h" });
    w.submit("c", "lab", { gpus: 8, max_time: "1h" });
    const at = (id: string) => startOf(expected(w.state, w.state.jobById.get(jobId(id))!, w.now));
    assert.deepEqual([at("b"), at("c")], [w.now + hour, w.now + 3 * hour]);
    w.submit("d", "lab", { gpus: 4 });
    w.submit("e", "lab", { gpus: 8 });
    assert.equal(at("d"), w.now + 4 * hour);
    assert.equal(at("e"), undefined);
  });

  it("[W4] gives a range from past runs of comparable jobs, never beyond a time limit", () => {
    const w = new World().nodes(["n0", "H100:8"]).account("lab");
    for (const minutes of [10, 20, 30, 40]) {
      w.submit(`r${minutes}`, "lab", { name: "train" });
      w.run(`r${minutes}`).tick(minutes * minute);
      w.exit(`r${minutes}`, 0);
    }
    w.submit("a", "lab", { gpus: 8, name: "train", max_time: "35m" });
    w.run("a").submit("b", "lab", { gpus: 8 });
    const begun = w.now;
    w.tick(15 * minute);
    const b = w.state.jobById.get(jobId("b"))!;
    assert.deepEqual(startBand(w.state, b, w.now), { p50: begun + 30 * minute, p90: begun + 35 * minute, samples: 4 });
  });
});

describe("jobs ahead", () => {
  it("[W2] are counted by class, for the own account and for all others, in queue order", () => {
    const w = new World().nodes(["n0", "H100:8"]).account("full").account("own", { guarantee: 2 }).account("poor");
    w.submit("wall", "full", { gpus: 8 });
    w.run("wall");
    w.must({ kind: "node.cordon", node: "n0", reason: "so that no job moves" });
    for (let i = 0; i < 3; i++) w.submit(`p${i}`, "poor", { gpus: 3 });
    for (let i = 0; i < 3; i++) w.submit(`g${i}`, "own", { gpus: 1 });
    w.submit("mine", "full", { gpus: 2 });
    w.submit("first", "full", { gpus: 1, priority: 5 });
    const ahead = (id: string) => jobsAheadOf(w.state, w.state.jobById.get(jobId(id))!);
    // With its job, full would hold 10 of 8 GPUs; poor stays below that with all of its jobs, 9 GPUs.
    assert.deepEqual(ahead("mine"), { own: { guaranteed: 0, burst: 1 }, others: { guaranteed: 2, burst: 4 } });
    // Two of own's jobs are inside its guarantee and go first [O1]; its third would have the smaller share.
    assert.deepEqual(ahead("p0"), { own: { guaranteed: 0, burst: 0 }, others: { guaranteed: 2, burst: 1 } });
    assert.deepEqual(ahead("p2"), { own: { guaranteed: 0, burst: 2 }, others: { guaranteed: 2, burst: 1 } });
    assert.deepEqual(ahead("g1"), { own: { guaranteed: 1, burst: 0 }, others: { guaranteed: 0, burst: 0 } });
  });
});

describe("alternatives", () => {
  it("[W3] offers the largest number of GPUs and of nodes that starts now", () => {
    const make = () => {
      const w = twoNodes();
      w.submit("a", "lab", { gpus: 3 });
      w.run("a").submit("big", "lab", { gpus: 8, nodes: 2 });
      return w;
    };
    const found = keepsItsWord(make, "big");
    assert.equal(byField(found, "nodes")?.spec.members.min, 1);
    assert.equal(byField(found, "gpus")?.spec.gpus[0]?.count, 5);
  });

  it("[W3] offers another model that starts now or sooner", () => {
    const make = () => {
      const w = new World().nodes(["n0", "H100:8"], ["n1", "A100:8"], ["n2", "L40:8"]).account("lab");
      w.submit("a", "lab", { gpus: "H100:8", max_time: "2h" });
      w.submit("b", "lab", { gpus: "A100:8", max_time: "1h" });
      w.run("a").run("b").submit("x", "lab", { gpus: "H100:8" });
      return w;
    };
    const found = keepsItsWord(make, "x");
    assert.deepEqual(
      found.map(({ spec, outlook }) => [spec.gpus[0]!.model, outlook.when]),
      [
        ["L40", "now"],
        ["A100", "later"],
      ],
    );
  });

  it("[W3] offers the price that an hour costs where max_price stops the job, which says so", () => {
    const make = () => {
      const w = twoNodes();
      w.must({ kind: "price.add", version: pricesOf() });
      w.submit("thrifty", "lab", { max_price: "1.50" });
      return w;
    };
    const [first] = keepsItsWord(make, "thrifty");
    assert.deepEqual([first?.field, first?.spec.maxPriceMicros], ["max_price", 3_000_000]);
    const w = make();
    assert.deepEqual(expected(w.state, w.job("thrifty"), w.now), {
      when: "unknown",
      why: "an hour costs more than its max_price, and no lower price is known ahead",
    });
    const budget = { limitMicros: "1", every: "month", alertsPerMille: [], stop: "stop-all" } as const;
    w.must({ kind: "budget.set", budget: { account: "lab", currency: "EUR", ...budget } });
    w.must({ kind: "budget.reach", account: "lab", stop: "stop-all", perMille: 1000, spentMicros: "2" });
    const { when, ...rest } = expected(w.state, w.job("thrifty"), w.now);
    assert.deepEqual([when, rest], ["unknown", { why: "the budget of lab is spent" }]);
  });

  it("[W3] offers to start a job before its not_before, and nothing else, since nothing else would", () => {
    const make = () => {
      const w = twoNodes();
      w.submit("later", "lab", { gpus: 8, notBeforeAt: w.now + hour });
      return w;
    };
    const found = keepsItsWord(make, "later");
    assert.deepEqual(fields(found), ["not_before"]);
    assert.deepEqual([found[0]?.spec.notBeforeAt, found[0]?.outlook.when], [undefined, "now"]);
  });

  it("[W3] offers a wider topology level, then the same level as a preference", () => {
    const make = () => {
      const w = new World();
      const place = (rack: string, block: string) => ({ zone: "z", block, rack, nvlink: `${block}${rack}` });
      w.must({
        kind: "node.register",
        nodes: [
          { ...nodeOf("n0", "H100:8"), place: place("r0", "b0") },
          { ...nodeOf("n1", "H100:8"), place: place("r0", "b0") },
          { ...nodeOf("n2", "H100:8"), place: place("r1", "b0") },
        ],
      });
      w.account("lab");
      w.submit("a", "lab", { gpus: 8 });
      w.run("a").submit("x", "lab", { gpus: 8, nodes: 2, topology: "rack" });
      return w;
    };
    const w = make();
    assert.equal(reasonFor(w.state, w.state.jobById.get(jobId("x"))!, w.now).kind, "shape");
    const found = keepsItsWord(make, "x").filter(({ field }) => field === "topology");
    assert.deepEqual(
      found.map(({ spec }) => spec.topology),
      [
        { level: "block", required: true },
        { level: "rack", required: false },
      ],
    );
  });

  it("[W3, B2] offers a shorter max_time that ends before a plan begins", () => {
    const make = () => {
      const w = twoNodes();
      w.submit("a", "lab", { gpus: 8, max_time: "1h" });
      w.run("a").submit("gang", "lab", { gpus: 8, nodes: 2, max_time: "1h" });
      w.submit("x", "lab", { gpus: 4, max_time: "5h" });
      return w;
    };
    const [first] = keepsItsWord(make, "x");
    assert.equal(first?.field, "max_time");
    assert.equal(first.spec.maxTimeMs, 59 * minute);
  });

  it("[W3, C4] offers preemptible: true if no guarantee has room", () => {
    const make = () => {
      const w = twoNodes().account("a", { guarantee: 2 });
      w.submit("a", "a", { gpus: 2 });
      w.run("a").submit("x", "a", { gpus: 4, preemptible: false });
      return w;
    };
    const w = make();
    const { values } = reasonFor(w.state, w.state.jobById.get(jobId("x"))!, w.now);
    assert.deepEqual(values, { cause: "not-preemptible", guarantee: { account: "a", gpus: 2, held: 2 } });
    assert.equal(keepsItsWord(make, "x")[0]?.field, "preemptible");
  });

  it("[W3, T3] offers a priority above its account's running jobs, only to users who may submit there", () => {
    const make = () => {
      const w = new World().nodes(["n0", "H100:8"]).account("lab");
      w.must({ kind: "policy.set", policy: { ...w.state.policy, minRuntimeMs: 0 } });
      w.submit("a", "lab", { gpus: 8, priority: 3 });
      w.run("a").submit("x", "lab", { gpus: 8 });
      return w;
    };
    const found = keepsItsWord(make, "x");
    const raised = byField(found, "priority");
    assert.equal(raised?.spec.priority, 4);
    assert.ok(raised.outlook.when === "now");
    assert.deepEqual(
      raised.outlook.displaced.map(({ rule }) => rule),
      ["T3"],
    );
    assert.equal(byField(alternatives(make(), "x", { ...offersAll, mayRaise: false }), "priority"), undefined);
  });

  it("[W3] puts the change for which the fewest GPUs must be left by other jobs first", () => {
    const w = new World().nodes(["n0", "H100:8"]).account("lab");
    w.must({ kind: "policy.set", policy: { ...w.state.policy, minRuntimeMs: 0 } });
    w.submit("a", "lab", { gpus: 6, priority: 3 });
    w.run("a").submit("x", "lab", { gpus: 8 });
    const found = fields(alternatives(w, "x"));
    assert.ok(found.includes("priority"));
    assert.equal(found[0], "gpus");
  });

  it("[W3, P5] offers to drop a latency promise that a neighbour would break", () => {
    const w = new World().account("lab");
    const sliced = (name: string) => ({ ...nodeOf(name, "H100:1"), pool: "timeslice" as const });
    w.must({ kind: "node.register", nodes: [sliced("n0"), nodeOf("n1", "A100:1")] });
    w.submit("a", "lab", { gpus: "H100:0.5" });
    const slo = { p99: "150ms", alone: "100ms" };
    w.run("a").submit("x", "lab", { type: "service", gpus: "H100:0.25", slo });
    assert.deepEqual(reasonFor(w.state, w.state.jobById.get(jobId("x"))!, w.now), {
      kind: "isolation",
      values: { cause: "latency", model: "H100", stretchMax: 1.5 },
    });
    assert.deepEqual(fields(alternatives(w, "x")), ["slo"]);
  });

  it("[L3] says of a job that a fault ended on a shared GPU that it runs alone by MPS now", () => {
    const w = new World().account("lab");
    w.must({ kind: "node.register", nodes: [{ ...nodeOf("n0", "H100:1"), pool: "mps" }] });
    for (const id of ["a", "x"]) w.submit(id, "lab", { gpus: "0.25" });
    w.run("a").run("x").report("x", { kind: "exited", ran: true, code: 1, neighbour: true });
    assert.deepEqual(reasonFor(w.state, w.job("x"), w.now), {
      kind: "isolation",
      values: { cause: "part-alone", model: "H100" },
    });
  });

  it("[W3, P3] offers weaker isolation only if trust allows the neighbours", () => {
    const make = (group: string | undefined) => () => {
      const w = new World();
      w.must({ kind: "node.register", nodes: [{ ...nodeOf("n0", "H100:1"), pool: "any" }] });
      w.account("org", { trustGroup: "friends" }).account("other", group === undefined ? {} : { trustGroup: group });
      w.submit("a", "org", { gpus: 0.5, isolation: "mps" });
      w.run("a").submit("x", "other", { gpus: 0.25, isolation: "mig" });
      return w;
    };
    const friends = keepsItsWord(make("friends"), "x");
    assert.deepEqual(fields(friends), ["isolation", "isolation"]);
    assert.deepEqual(alternatives(make(undefined)(), "x"), []);
  });

  it("[W3] offers fewer cores or less memory, whichever is missing, and names it", () => {
    const make = () => {
      const w = new World().nodes(["n0", "H100:8"]).account("lab");
      w.submit("a", "lab", { gpus: 1, cpus: 40, memory: "100GiB" });
      w.run("a").submit("x", "lab", { gpus: 1, cpus: 30 });
      w.submit("y", "lab", { gpus: 1, memory: "450GiB" });
      return w;
    };
    const w = make();
    const reason = (id: string) => reasonFor(w.state, w.state.jobById.get(jobId(id))!, w.now);
    assert.deepEqual(
      [reason("x").missing, reason("x").values],
      ["cpus", { cause: "cpus", each: { gpus: 1, model: "H100" }, mostMilli: 24_000, neededMilli: 30_000 }],
    );
    assert.equal(reason("y").missing, "memory");
    assert.equal(byField(keepsItsWord(make, "x"), "cpus")?.spec.cpusMilli, 24_000);
    assert.equal(byField(keepsItsWord(make, "y"), "memory")?.spec.memoryMiB, 400 * 1024);
  });

  it("[W3] offers members that may share a node", () => {
    const make = () => {
      const w = twoNodes();
      w.submit("a", "lab", { gpus: 8 });
      w.run("a").submit("x", "lab", { gpus: 4, nodes: 2 });
      return w;
    };
    assert.equal(keepsItsWord(make, "x")[0]?.field, "members");
  });

  it("[W3] offers nothing that an account does not allow", () => {
    const w = new World().nodes(["n0", "H100:8"], ["n1", "A100:8"]).account("lab", { allowed: { models: ["H100"] } });
    w.submit("a", "lab", { gpus: "H100:8" });
    w.run("a").submit("x", "lab", { gpus: "H100:8" });
    assert.deepEqual(alternatives(w, "x"), []);
  });
});

describe("an array with a limit", () => {
  it("[W1] counts the element for which room is being made, as the scheduler does", () => {
    const w = new World().nodes(["n", "H100:2"]).account("guest").account("lab", { guarantee: 2 });
    w.submit("lent", "guest", { gpus: 2 });
    w.run("lent");
    w.submit("all", "lab", { gpus: 1, array: "1-3%1" });
    const elements = [...w.state.jobs.values()].filter(({ array }) => array !== undefined);
    const claimant = elements.find(({ claim }) => claim !== undefined)!;
    assert.equal(reasonFor(w.state, claimant, w.now).kind, "evicting");
    assert.notEqual(expected(w.state, claimant, w.now).when, "unknown");
    const other = elements.find(({ claim }) => claim === undefined)!;
    const values = { cause: "array", running: 1, limit: 1 };
    assert.deepEqual(reasonFor(w.state, other, w.now), {
      kind: "not-yet",
      values,
      unit: "elements",
      held: 1,
      limit: 1,
    });
    assert.equal(expected(w.state, other, w.now).when, "unknown");
  });
});

describe("the reason of a waiting job", () => {
  it("never names a model that is gone from the fleet", () => {
    const w = new World().nodes(["old", "A100:4"]).account("lab");
    w.nodes(["n0", "H100:8"], ["n1", "H100:8"]);
    w.submit("one", "lab", { gpus: 1 });
    w.submit("big", "lab", { gpus: 8, nodes: 2 });
    const reason = reasonFor(w.state, w.job("big"), w.now);
    assert.deepEqual(reason, {
      kind: "capacity",
      values: { cause: "gpus", needed: { gpus: 16, model: "H100" }, free: 15 },
      needed: 16,
      free: 15,
    });
    const hintFor = (gpus: string | number) => {
      const outcome = w.submit(`of-${gpus}`, "lab", { gpus });
      return isRefusal(outcome) ? outcome.hint : "";
    };
    assert.match(hintFor("A100:1"), /models of the fleet: H100$/);
    assert.match(hintFor(9), /the largest node has 8 H100 GPUs/);
  });

  it("says how many GPUs are free on nodes that take no work", () => {
    const w = twoNodes();
    for (const node of ["n0", "n1"]) w.must({ kind: "node.cordon", node, reason: "" });
    w.submit("one", "lab", { gpus: 1 });
    const reason = reasonFor(w.state, w.job("one"), w.now);
    assert.deepEqual([reason.kind, reason.values], ["health", { free: { gpus: 16, model: "H100" } }]);
  });
});
