import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Event } from "../journal/event.ts";
import { rootAccount } from "../model/ids.ts";
import { plainPolicy } from "../model/policy.ts";
import { hour, minute, unitsPerGpu } from "../model/units.ts";
import { readSnapshot, writeSnapshot } from "../state/snapshot/snapshot.ts";
import type { RawJob } from "../submit/parse.ts";
import { jobId, World } from "../testing/world.ts";

const movable = { checkpoint: { every: "1h" } } satisfies Partial<RawJob>;

/** For each name a node of two GPUs with a job on one of them, which started two minutes ago. */
function scattered(...jobs: (string | readonly [name: string, every: string])[]): World {
  const named = new Map(jobs.map((job) => (typeof job === "string" ? [job, "1h"] : job)));
  const names = [...named.keys()];
  const world = new World().nodes(...names.map((name) => [`n-${name}`, "H100:2"] as [string, string]));
  world.account("a").account("b");
  world.must({ kind: "policy.set", policy: { ...plainPolicy, rebalance: "off", minRuntimeMs: minute } });
  for (const [name, every] of named) {
    // A filler keeps the next job from the same node.
    world.submit(name, "a", { checkpoint: { every } });
    world.submit(`fill-${name}`, "a");
    world.run(name).run(`fill-${name}`);
  }
  for (const name of names) world.exit(`fill-${name}`, 0);
  world.tick(2 * minute);
  return world;
}

function nodeOf(world: World, id: string): string {
  const [seat] = world.state.jobById.get(jobId(id))!.seats;
  return world.state.fleet.node(seat!.node as never).facts.name;
}

/** The engine has stopped the job: it is off its old seat. */
function leave(world: World, id: string): Event[] {
  return world.report(id, { kind: "exited", ran: true, signal: "SIGTERM" });
}

function claimsOf(events: readonly Event[]) {
  return events.flatMap((event) => (event.kind === "job-claimed" ? [event] : []));
}

function held(world: World, path: string): number {
  return world.state.usage[world.state.accountByPath.get(path)!.no]!.units / unitsPerGpu;
}

describe("moving jobs so that a job finds its GPUs together", () => {
  it("[T9] moves a job that can move to a seat that is held for it, and both run", () => {
    const world = scattered("x", "y");
    world.submit("wide", "b", { gpus: 2 });
    assert.equal(world.stateOf("x"), "stopping");
    assert.equal(world.stateOf("y"), "running");
    const stop = world.events.findLast((event) => event.kind === "lease-stopping");
    assert.ok(stop?.kind === "lease-stopping" && stop.cause === "move" && stop.why !== undefined);
    const events = leave(world, "x");
    const requeued = events.find((event) => event.kind === "job-requeued");
    assert.equal(requeued?.kind === "job-requeued" && requeued.cause, "moved");
    assert.equal(nodeOf(world, "wide"), "n-x");
    assert.equal(nodeOf(world, "x"), "n-y");
    const { evictions, failures, evictedAt, attempt } = world.state.jobById.get(jobId("x"))!;
    assert.deepEqual(
      { evictions, failures, evictedAt, attempt },
      { evictions: 0, failures: 0, evictedAt: [], attempt: 2 },
    );
  });

  it("[T9] moves the jobs that lose the least work, and none whose move is not needed", () => {
    // Two minutes after their start, z has lost ten seconds, y half a minute, x all of it.
    const world = scattered(["x", "1h"], ["y", "90s"], ["z", "110s"]);
    world.submit("wide", "b", { gpus: 2 });
    assert.deepEqual(claimsOf(world.events)[0]?.moves, [world.noOf("z")]);
    assert.equal(claimsOf(world.events).length, 2);
    leave(world, "z");
    assert.equal(nodeOf(world, "wide"), "n-z");
  });

  it("[T9] moves several jobs where several must move, and none unless each has a new seat", () => {
    for (const [free, moves] of [
      [["H100:2", "H100:1"], 2],
      [["H100:1", "H100:1", "H100:1"], undefined],
    ] as const) {
      const world = new World().nodes(["n0", "H100:4"], ...free.map((gpus, i) => [`m${i}`, gpus] as [string, string]));
      world.account("a").account("b");
      world.must({ kind: "policy.set", policy: { ...plainPolicy, rebalance: "off", minRuntimeMs: 0 } });
      for (const node of free.keys()) world.must({ kind: "node.cordon", node: `m${node}`, reason: "test" });
      world.submit("one", "a", movable);
      world.submit("two", "a", { gpus: 2, ...movable });
      for (const node of free.keys()) world.must({ kind: "node.up", node: `m${node}` });
      world.submit("wide", "b", { gpus: 4 });
      assert.equal(claimsOf(world.events)[0]?.moves?.length, moves);
      assert.equal(world.stateOf("one"), moves === undefined ? "starting" : "stopping");
    }
  });

  it("[T9][T8] leaves jobs in place that cannot move, must not be preempted or have just started", () => {
    for (const [raw, waitMs] of [
      [{}, 2 * minute],
      [{ ...movable, preemptible: false }, 2 * minute],
      [movable, minute / 2],
    ] as const) {
      const world = new World().nodes(["n0", "H100:2"], ["n1", "H100:2"]).account("a", { guarantee: 4 }).account("b");
      world.must({ kind: "policy.set", policy: { ...plainPolicy, rebalance: "off", minRuntimeMs: minute } });
      for (const id of ["x", "fill", "y"]) world.submit(id, "a", id === "fill" ? {} : raw);
      for (const id of ["x", "fill", "y"]) world.run(id);
      world.exit("fill", 0);
      world.tick(waitMs);
      world.submit("wide", "b", { gpus: 2 });
      assert.equal(claimsOf(world.events).length, 0);
      world.tick(2 * minute);
      assert.equal(
        claimsOf(world.events).length,
        raw === movable ? 2 : 0,
        "min_runtime is over for jobs that can move",
      );
    }
  });

  it("[T9] keeps to the owner's budget of moves per hour, and goes on when the hour is over", () => {
    const world = scattered("x", "y", "u", "v");
    const policy = { ...plainPolicy, rebalance: "off", minRuntimeMs: minute, movesPerHourMax: 1 } as const;
    world.must({ kind: "policy.set", policy });
    world.submit("wide-1", "b", { gpus: 2 });
    leave(world, "x");
    world.run("x").run("wide-1");
    world.submit("wide-2", "b", { gpus: 2 });
    assert.equal(world.stateOf("wide-2"), "waiting");
    assert.equal(world.state.jobById.get(jobId("wide-2"))!.claim, undefined);
    const again = new World(readSnapshot(writeSnapshot(world.state)));
    again.now = world.now;
    assert.equal(claimsOf(again.tick(hour - 1)).length, 0);
    assert.equal(claimsOf(again.tick(1)).length, 2, "also after a restart");
    assert.equal(claimsOf(world.tick(hour)).length, 2);
    world.must({ kind: "policy.set", policy: { ...policy, movesPerHourMax: 0 } });
  });

  it("[S7][T9] counts a moved job once: on its old seat, then on its new one", () => {
    const world = scattered("x", "y");
    world.must({
      kind: "account.edit",
      path: "a",
      terms: {
        ...world.state.accountByPath.get("a")!.terms,
        quota: { guarantee: {}, max: { "*": 2 * unitsPerGpu }, weight: 1 },
      },
    });
    world.submit("wide", "b", { gpus: 2 });
    assert.equal(held(world, "a"), 2);
    assert.equal(held(world, "b"), 2);
    assert.equal(world.state.usage[rootAccount]!.leaving.units, 0, "it stays with its account");
    leave(world, "x");
    assert.equal(held(world, "a"), 2);
    assert.equal(nodeOf(world, "x"), "n-y");
    world.run("x").run("wide");
    for (const id of ["x", "y", "wide"]) world.exit(id, 0);
    assert.equal(held(world, "a") + held(world, "b"), 0);
  });

  it("[T9] keeps the class of a moved job", () => {
    const world = new World().nodes(["n0", "H100:2"], ["n1", "H100:2"]).account("a", { guarantee: 2 });
    world.must({ kind: "policy.set", policy: { ...plainPolicy, rebalance: "off", minRuntimeMs: 0 } });
    for (const id of ["x", "fill", "y"]) world.submit(id, "a", id === "fill" ? {} : movable);
    for (const id of ["x", "fill", "y"]) world.run(id);
    world.exit("fill", 0);
    world.submit("wide", "a", { gpus: 2 });
    leave(world, "x");
    assert.equal(world.state.jobById.get(jobId("x"))!.class, "guaranteed");
    assert.equal(world.state.jobById.get(jobId("wide"))!.class, "burst");
  });

  it("[S26][T9] survives a restart in the middle of a move", () => {
    const world = scattered("x", "y");
    world.submit("wide", "b", { gpus: 2 });
    const text = writeSnapshot(world.state);
    const again = new World(readSnapshot(text));
    assert.equal(writeSnapshot(again.state), text);
    again.now = world.now;
    const lease = again.state.jobById.get(jobId("x"))!.leases[0]!;
    again.reportOn(lease.id, { kind: "exited", ran: true, signal: "SIGTERM" }, lease.reportSequence + 1);
    leave(world, "x");
    assert.equal(writeSnapshot(again.state), writeSnapshot(world.state));
    assert.equal(nodeOf(again, "x"), "n-y");
    assert.equal(nodeOf(again, "wide"), "n-x");
  });

  it("[T9] starts moved jobs again when the claimant gives up, and lets them wait when their new node fails", () => {
    const given = scattered("x", "y");
    given.submit("wide", "b", { gpus: 2 });
    given.must({ kind: "job.cancel", job: jobId("wide") });
    leave(given, "x");
    assert.equal(nodeOf(given, "x"), "n-y");
    assert.equal(held(given, "b"), 0);

    const failed = scattered("x", "y");
    failed.submit("wide", "b", { gpus: 2 });
    failed.must({ kind: "node.cordon", node: "n-y", reason: "test" });
    leave(failed, "x");
    assert.equal(nodeOf(failed, "wide"), "n-x");
    assert.equal(failed.stateOf("x"), "waiting");
    assert.equal(held(failed, "a"), 1);
    failed.must({ kind: "node.up", node: "n-y" });
    assert.equal(nodeOf(failed, "x"), "n-y");
  });

  it("[S22][T9] ends a moved job that is cancelled or ends by itself, and frees the seats held for it", () => {
    const cancelled = scattered("x", "y");
    cancelled.submit("wide", "b", { gpus: 2 });
    cancelled.must({ kind: "job.cancel", job: jobId("x") });
    leave(cancelled, "x");
    assert.equal(cancelled.outcomeOf("x"), "cancelled");
    assert.equal(nodeOf(cancelled, "wide"), "n-x");
    assert.equal(held(cancelled, "a"), 1);
    cancelled.submit("small", "a");
    assert.equal(nodeOf(cancelled, "small"), "n-y");

    const done = scattered("x", "y");
    done.submit("wide", "b", { gpus: 2 });
    done.report("x", { kind: "exited", ran: true, code: 0, done: true });
    assert.equal(done.outcomeOf("x"), "succeeded");
    assert.equal(nodeOf(done, "wide"), "n-x");
  });

  it("[T9][P1] makes room for the one member of a gang that has no seat", () => {
    const world = new World().nodes(["n0", "H100:2"], ["n1", "H100:2"], ["n2", "H100:2"]).account("a").account("b");
    world.must({ kind: "policy.set", policy: { ...plainPolicy, rebalance: "off", minRuntimeMs: 0 } });
    for (const id of ["x", "fill", "y"]) world.submit(id, "a", id === "fill" ? {} : movable);
    for (const id of ["x", "fill", "y"]) world.run(id);
    world.exit("fill", 0);
    world.submit("gang", "b", { nodes: 2, gpus: 2 });
    assert.equal(claimsOf(world.events)[0]?.moves?.length, 1);
    leave(world, "x");
    assert.equal(world.state.jobById.get(jobId("gang"))!.leases.length, 2);
    assert.equal(nodeOf(world, "x"), "n1");
  });
});
