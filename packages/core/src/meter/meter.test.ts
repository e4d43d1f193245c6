import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { plainTerms } from "../model/account.ts";
import { plainPolicy } from "../model/policy.ts";
import { minute, second, unitsPerGpu } from "../model/units.ts";
import { readSnapshot, writeSnapshot } from "../state/snapshot/snapshot.ts";
import { jobId, nodeOf, World } from "../testing/world.ts";
import { meterEvents } from "./replay.fixture.ts";
import { openUsage, openUsageOf, type Stretch, stretchesUntil } from "./stretch.ts";
import type { Usage } from "./usage.ts";

const start = new World().now;

/** Stretches as `job state from-to gpus`, in seconds since the world began. */
function shown(stretches: readonly Stretch[]): string[] {
  return stretches.map(({ job, lease, state, fromAt, toAt, devices }) => {
    const name = job === "" ? lease : job.slice("job_".length);
    return `${name} ${state} ${(fromAt - start) / second}-${(toAt - start) / second} ${devices.length}`;
  });
}

/** One node of four GPUs, and an account that is guaranteed all of it. */
function smallWorld(): World {
  return new World().nodes(["n0", "H100:4"]).account("lab", { guarantee: 4 });
}

describe("the stretches of a lease", () => {
  it("[S10] one for each state: it starts, runs, stops and ends", () => {
    const w = smallWorld();
    w.submit("a", "lab", { gpus: 2 });
    w.tick(second);
    w.run("a");
    w.tick(4 * second);
    w.must({ kind: "job.cancel", job: jobId("a") });
    w.tick(2 * second);
    w.exit("a", 143);
    const { stretches, state } = meterEvents(w.events);
    assert.deepEqual(shown(stretches), ["a starting 0-1 2", "a running 1-5 2", "a stopping 5-7 2"]);
    assert.deepEqual(stretchesUntil(state, w.now), []);
  });

  it("[S10] names account, user, node, devices and class of the holder", () => {
    const w = smallWorld();
    w.account("lab/vision");
    w.submit("a", "lab/vision", { gpus: 1, cpus: 3, memory: "2GiB", topology: "node" });
    w.tick(second);
    w.run("a");
    const { lease, fromAt, toAt, ...rest } = meterEvents(w.events).stretches[0]!;
    assert.deepEqual([lease, fromAt, toAt], ["job_a-1-0", start, start + second]);
    assert.deepEqual(rest, {
      ...{ state: "starting", revision: 1, job: "job_a", account: "lab/vision", user: "usr_ana", node: "n0" },
      devices: [{ gpu: "GPU-n0-0", state: "starting" }],
      model: "H100",
      ...{ unitsEach: unitsPerGpu, profile: "", isolation: "whole", topology: "node", class: "guaranteed" },
      ...{ cpusMilli: 3000, memoryMiB: 2048 },
    });
  });

  it("[S10] go on while it is prepared, which is part of starting", () => {
    const w = smallWorld();
    w.submit("a", "lab");
    w.tick(second);
    w.report("a", { kind: "prepared", engineId: "e", enforcement: {} });
    w.tick(second);
    const { stretches, state } = meterEvents(w.events);
    assert.deepEqual(stretches, []);
    assert.deepEqual(shown(stretchesUntil(state, w.now)), ["a starting 0-2 1"]);
  });

  it("[S10] are not cut when a report comes late or a stop is ordered twice", () => {
    const w = smallWorld();
    w.submit("a", "lab");
    w.tick(second);
    w.must({ kind: "job.cancel", job: jobId("a") });
    w.tick(second);
    w.run("a");
    w.must({ kind: "job.cancel", job: jobId("a") });
    w.tick(second);
    w.exit("a", 0);
    assert.ok(w.events.some(({ kind }) => kind === "lease-started"));
    assert.deepEqual(shown(meterEvents(w.events).stretches), ["a starting 0-1 1", "a stopping 1-3 1"]);
  });

  it("[S10] that took no time leave no record", () => {
    const w = smallWorld();
    w.submit("a", "lab");
    w.run("a");
    w.exit("a", 0);
    assert.deepEqual(
      meterEvents(w.events).records.filter(({ is }) => is === "stretch"),
      [],
    );
  });

  it("[P1] of an elastic job are metered by member, from when each came", () => {
    const w = smallWorld();
    w.submit("other", "lab", { gpus: 2 });
    w.submit("wide", "lab", { gpus: 1, members: "2..4" });
    w.run("wide");
    w.tick(second);
    w.exit("other", 0);
    w.tick(second);
    assert.ok(w.events.some(({ kind }) => kind === "job-grown"));
    const open = stretchesUntil(meterEvents(w.events).state, w.now).filter(({ job }) => job === "job_wide");
    assert.deepEqual(shown(open), [
      "wide running 0-2 1",
      "wide running 0-2 1",
      "wide starting 1-2 1",
      "wide starting 1-2 1",
    ]);
    assert.equal(new Set(open.map(({ lease }) => lease)).size, 4);
  });

  it("[S10] of a lease without GPUs are of its cores and memory", () => {
    const w = smallWorld();
    w.submit("cpu", "lab", { gpus: 0, cpus: 4 });
    w.tick(second);
    w.run("cpu");
    const { metered } = meterEvents(w.events);
    const { gpus, model, state, cpusMilli } = metered.usage[0]!;
    assert.deepEqual({ gpus, model, state, cpusMilli }, { gpus: [], model: "", state: "starting", cpusMilli: 4000 });
  });

  it("[S10] [S11] are the same whether their events are in one row of the journal or in many", () => {
    const w = new World().nodes(["n0", "H100:4"]).account("lab").account("mill", { trust: "confidential" });
    w.submit("a", "mill", { gpus: 1, cpus: 64 });
    w.tick(second);
    w.submit("b", "mill", { gpus: 1 });
    w.exit("a", 0);
    w.tick(second);
    w.must({ kind: "node.cordon", node: "n0", reason: "" });
    w.tick(second);
    w.must({ kind: "node.down", node: "n0", reason: "lost" });
    const [many, one] = [meterEvents(w.events), meterEvents(w.events, { eventsPerRow: w.events.length })];
    assert.ok(many.stretches.length > 5);
    assert.deepEqual(one.stretches, many.stretches);
    assert.deepEqual(one.devices, many.devices);
  });
});

describe("parts of GPUs", () => {
  it("[U1] are metered with their sevenths of compute, their profile and how they are kept apart", () => {
    const w = new World();
    w.must({ kind: "node.register", nodes: [{ ...nodeOf("n0", "H100:1"), pool: "any" }] });
    w.account("lab");
    w.submit("slice", "lab", { gpus: "1g.10gb" });
    w.tick(second);
    w.report("slice", { kind: "reshaped", how: "cut" });
    w.run("slice");
    w.tick(second);
    w.exit("slice", 0);
    const { usage } = meterEvents(w.events).metered;
    for (const { unitsEach, profile, isolation } of usage) {
      assert.deepEqual({ unitsEach, profile, isolation }, { unitsEach: 3000, profile: "1g.10gb", isolation: "mig" });
    }
    assert.ok(usage.some(({ state }) => state === "running"));
  });
});

describe("GPUs that pass to another tenant", () => {
  /** Two of four GPUs need a scrub, because another tenant had them. */
  function handedOver(): World {
    const w = new World().nodes(["n0", "H100:4"]).account("lab").account("mill");
    w.must({ kind: "policy.set", policy: { ...plainPolicy, minRuntimeMs: 0, scrubMs: 10 * second } });
    w.submit("first", "lab", { gpus: 2 });
    w.run("first");
    w.exit("first", 0);
    w.submit("next", "mill", { gpus: 4, cpus: 2 });
    w.tick(3 * second);
    return w;
  }

  it("[P6] [S4] are metered as scrub, device by device, until the scrub is recorded", () => {
    const w = handedOver();
    w.report("next", { kind: "scrubbed", how: "reset" });
    w.tick(second);
    w.run("next");
    const { stretches, metered } = meterEvents(w.events);
    assert.deepEqual(
      stretches.map(({ devices }) => devices.map(({ state }) => state).sort()),
      [
        ["scrub", "scrub", "starting", "starting"],
        ["starting", "starting", "starting", "starting"],
      ],
    );
    assert.deepEqual(metered.usage.map(({ state, gpus }) => `${state} ${gpus.length}`).sort(), [
      "scrub 2",
      "starting 2",
      "starting 4",
    ]);
  });

  it("[S11] cores and memory of a lease are billed once, however many states its devices are in", () => {
    const w = handedOver();
    const open = openUsage(meterEvents(w.events).state, w.now);
    assert.equal(open.length, 2);
    assert.equal(
      open.reduce((sum, { cpusMilli }) => sum + cpusMilli, 0),
      2000,
    );
  });

  it("[P6] are metered as reshape while they are cut", () => {
    const w = new World();
    w.must({ kind: "policy.set", policy: { ...plainPolicy, reshapeMs: 15 * second } });
    w.must({ kind: "node.register", nodes: [{ ...nodeOf("n0", "H100:1"), pool: "any" }] });
    w.account("lab");
    w.submit("slice", "lab", { gpus: "1g.10gb" });
    w.tick(2 * second);
    w.report("slice", { kind: "reshaped", how: "cut" });
    w.tick(second);
    const { metered, state } = meterEvents(w.events);
    assert.deepEqual(
      metered.usage.map((usage) => usage.state),
      ["reshape"],
    );
    assert.deepEqual(
      openUsage(state, w.now).map((usage) => usage.state),
      ["starting"],
    );
  });
});

describe("dedicated nodes", () => {
  function confidential(): World {
    const w = new World().nodes(["n0", "H100:4"]).account("lab");
    w.account("mill", { trust: "confidential", guarantee: 4 });
    return w;
  }

  it("[U3] what a confidential tenant leaves free of its node is metered to it, GPU by GPU", () => {
    const w = confidential();
    w.submit("a", "mill", { gpus: 3 });
    w.run("a");
    w.tick(4 * second);
    w.exit("a", 0);
    const { stretches, state } = meterEvents(w.events);
    assert.deepEqual(shown(stretches), ["a running 0-4 3", "dedicated-GPU-n0-3 dedicated 0-4 1"]);
    const { account, class: jobClass, unitsEach, cpusMilli } = stretches[1]!;
    assert.deepEqual([account, jobClass, unitsEach, cpusMilli], ["mill", "guaranteed", unitsPerGpu, 0]);
    assert.deepEqual(stretchesUntil(state, w.now), []);
  });

  it("[U3] a second job of the tenant ends the stretch of what was left, and the end of its job begins another", () => {
    const w = confidential();
    w.submit("a", "mill", { gpus: 3 });
    w.tick(second);
    w.submit("b", "mill", { gpus: 1 });
    w.tick(second);
    w.exit("b", 0);
    w.tick(second);
    const { stretches, state } = meterEvents(w.events);
    const left = (all: readonly Stretch[]) => shown(all).filter((line) => line.startsWith("dedicated"));
    assert.deepEqual(left(stretches), ["dedicated-GPU-n0-3 dedicated 0-1 1"]);
    assert.deepEqual(left(stretchesUntil(state, w.now)), ["dedicated-GPU-n0-3 dedicated 2-3 1"]);
  });

  it("[U3] a change of trust begins and ends it, without any event of a lease", () => {
    const w = new World().nodes(["n0", "H100:2"]).account("mill");
    const trust = (as: "confidential" | "trusted") =>
      w.must({ kind: "account.edit", path: "mill", terms: { ...plainTerms, trust: as } });
    w.submit("a", "mill", { gpus: 1 });
    w.tick(second);
    trust("confidential");
    w.tick(second);
    trust("trusted");
    assert.deepEqual(shown(meterEvents(w.events).stretches), ["dedicated-GPU-n0-1 dedicated 1-2 1"]);
  });

  it("[U3] a node that is down is not metered", () => {
    const w = confidential();
    w.submit("a", "mill", { gpus: 3 });
    w.run("a");
    w.tick(second);
    w.must({ kind: "node.down", node: "n0", reason: "lost" });
    w.tick(second);
    const { stretches, state } = meterEvents(w.events);
    assert.deepEqual(shown(stretches).sort(), ["a running 0-1 3", "dedicated-GPU-n0-3 dedicated 0-1 1"]);
    assert.deepEqual(stretchesUntil(state, w.now), []);
  });
});

describe("floors and capacity", () => {
  it("[U2] [S11] every change of a guarantee is recorded, the later of one instant with the higher revision", () => {
    const w = new World().nodes(["n0", "H100:4"]).account("lab", { guarantee: 1 });
    const quota = { guarantee: { H100: 3 * unitsPerGpu }, lendable: { H100: unitsPerGpu }, weight: 1 };
    w.must({ kind: "account.edit", path: "lab", terms: { ...plainTerms, quota } });
    w.must({ kind: "account.delete", path: "lab" });
    const { floors } = meterEvents(w.events).metered;
    assert.deepEqual(
      floors.map(({ account, guarantee, lendable }) => [account, guarantee, lendable]),
      [
        ["lab", { "*": unitsPerGpu }, undefined],
        ["lab", { H100: 3 * unitsPerGpu }, { H100: unitsPerGpu }],
        ["lab", {}, undefined],
      ],
    );
    assert.deepEqual(
      floors.map(({ revision }) => revision),
      floors.map(({ revision }) => revision).toSorted((a, b) => a - b),
    );
    assert.equal(new Set(floors.map(({ revision }) => revision)).size, 3);
  });

  it("[S10] capacity leaves with maintenance and a lost node, comes back, and is not changed by a cordon", () => {
    const w = new World().nodes(["n0", "H100:4"]);
    const added = () => meterEvents(w.events).metered.capacity.map(({ unitsAdded }) => unitsAdded / unitsPerGpu);
    w.must({ kind: "node.cordon", node: "n0", reason: "" });
    assert.deepEqual(added(), [4]);
    w.must({ kind: "node.drain", node: "n0", reason: "" });
    w.tick(second);
    assert.deepEqual(added(), [4, -4]);
    w.must({ kind: "node.down", node: "n0", reason: "" });
    assert.deepEqual(added(), [4, -4], "it was out of service already");
    w.must({ kind: "node.up", node: "n0" });
    w.must({ kind: "node.down", node: "n0", reason: "" });
    assert.deepEqual(added(), [4, -4, 4, -4]);
  });

  it("[S10] a node that comes back with other GPUs leaves and joins", () => {
    const w = new World().nodes(["n0", "H100:4"]);
    w.must({ kind: "node.register", nodes: [nodeOf("n0", "A100:2")] });
    const { capacity } = meterEvents(w.events).metered;
    assert.deepEqual(
      capacity.map(({ model, unitsAdded }) => `${model} ${unitsAdded / unitsPerGpu}`),
      ["H100 4", "H100 -4", "A100 2"],
    );
  });
});

describe("lost work", () => {
  it("[S10] a lost node ends the stretch, and the work since the last checkpoint is recorded", () => {
    const w = smallWorld();
    w.submit("a", "lab", { gpus: 2 });
    w.run("a");
    w.tick(5 * second);
    w.must({ kind: "node.down", node: "n0", reason: "lost" });
    const { stretches, metered } = meterEvents(w.events);
    assert.deepEqual(shown(stretches), ["a running 0-5 2"]);
    const [lost] = metered.lost;
    assert.deepEqual(
      [lost!.job, lost!.cause, lost!.units, lost!.lostMs, lost!.model],
      ["job_a", "node_lost", 2 * unitsPerGpu, 5 * second, "H100"],
    );
  });

  it("[L3] by the fault of a neighbour is recorded like that by a lost node, for each member of a gang", () => {
    const w = smallWorld();
    w.submit("a", "lab", { gpus: 1, members: 2 });
    w.run("a");
    w.tick(5 * second);
    w.report("a", { kind: "exited", ran: true, code: 1, neighbour: true }, 1);
    w.report("a", { kind: "exited", ran: true, signal: "SIGTERM" }, 0);
    const { lost } = meterEvents(w.events).metered;
    assert.deepEqual(
      lost.map(({ job, cause, lostMs }) => [job, cause, lostMs]),
      [
        ["job_a", "neighbour_fault", 5 * second],
        ["job_a", "neighbour_fault", 5 * second],
      ],
    );
  });

  /** A borrower on all GPUs, and a tenant that takes its floor back. */
  function preempted(exitCode: number): World {
    const w = new World().nodes(["n0", "H100:2"]).account("guest").account("owner", { guarantee: 2 });
    w.submit("lent", "guest", { gpus: 2 });
    w.run("lent");
    w.tick(20 * minute);
    w.submit("own", "owner", { gpus: 2 });
    w.tick(second);
    w.exit("lent", exitCode);
    return w;
  }

  it("[T1] of a preempted job is recorded with the grace that it was promised", () => {
    const [lost] = meterEvents(preempted(143).events).metered.lost;
    assert.deepEqual([lost!.job, lost!.cause, lost!.lostMs], ["job_lent", "preempted", 20 * minute + second]);
    assert.ok(lost!.graceMs > 0);
  });

  it("[T1] is credited up to the owner's number, whatever grace the job asks for", () => {
    const w = new World().nodes(["n0", "H100:2"]).account("guest").account("owner", { guarantee: 2 });
    w.must({ kind: "policy.set", policy: { ...plainPolicy, lostWorkMsMax: minute } });
    w.submit("lent", "guest", { gpus: 2, checkpoint: { grace: "15m", signal: "SIGUSR1" } });
    w.run("lent");
    w.tick(20 * minute);
    w.submit("own", "owner", { gpus: 2 });
    w.exit("lent", 143);
    const [lost] = meterEvents(w.events).metered.lost;
    assert.deepEqual([lost!.lostMs, lost!.graceMs], [20 * minute, minute]);
  });

  it("[T1] there is none where the job came to a good end while it was told to leave", () => {
    assert.deepEqual(meterEvents(preempted(0).events).metered.lost, []);
  });

  it("[S10] there is none where a job ends by itself, is cancelled or never ran", () => {
    const w = smallWorld();
    for (const id of ["done", "cancelled", "unstarted"]) w.submit(id, "lab");
    for (const id of ["done", "cancelled"]) w.run(id);
    w.tick(second);
    w.exit("done", 1);
    w.must({ kind: "job.cancel", job: jobId("cancelled") });
    w.exit("cancelled", 143);
    w.must({ kind: "node.down", node: "n0", reason: "lost" });
    assert.deepEqual(meterEvents(w.events).metered.lost, []);
  });
});

describe("open stretches", () => {
  it("[S11] have the identity of the closed one and a lower revision, so that each counts once", () => {
    const w = smallWorld();
    w.submit("a", "lab");
    w.run("a");
    w.tick(second);
    const open = openUsage(meterEvents(w.events).state, w.now);
    assert.deepEqual(
      open.map(({ revision, toAt }) => [revision, toAt]),
      [[0, w.now]],
    );
    w.tick(second);
    w.exit("a", 0);
    const closed = meterEvents(w.events).metered.usage;
    const identity = ({ lease, state, fromAt }: Usage) => [lease, state, fromAt];
    assert.deepEqual(open.map(identity), closed.map(identity), "so one replaces the other");
    assert.deepEqual(
      closed.map(({ revision }) => revision),
      [1],
    );
  });

  it("[S10] of one job are the part of all that is its own", () => {
    const w = smallWorld();
    for (const id of ["a", "b"]) w.submit(id, "lab");
    w.tick(second);
    const { state } = meterEvents(w.events);
    const all = openUsage(state, w.now);
    assert.equal(all.length, 2);
    for (const job of state.jobs.values()) {
      assert.deepEqual(
        openUsageOf(state, job, w.now),
        all.filter((usage) => usage.job === job.id),
      );
    }
  });

  it("[S26] a restart in the middle of a stretch, from a snapshot, changes no record", () => {
    const w = new World().nodes(["n0", "H100:4"]).account("lab").account("mill", { trust: "confidential" });
    w.submit("a", "mill", { gpus: 3 });
    w.tick(second);
    w.run("a");
    w.tick(second);
    w.must({ kind: "job.cancel", job: jobId("a") });
    w.tick(second);
    w.exit("a", 143);
    w.submit("b", "lab", { gpus: 2 });
    w.tick(10 * minute);
    const whole = meterEvents(w.events);
    const restarted = meterEvents(w.events, { restart: (state) => readSnapshot(writeSnapshot(state)) });
    assert.equal(whole.stretches.length, 4);
    assert.deepEqual(restarted.records, whole.records);
    assert.deepEqual(restarted.devices, whole.devices);
    assert.deepEqual(stretchesUntil(restarted.state, w.now), stretchesUntil(whole.state, w.now));
  });
});
