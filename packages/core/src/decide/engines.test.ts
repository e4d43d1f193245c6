import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { findNode } from "../fleet/find-node.ts";
import type { Event } from "../journal/event.ts";
import { isRefusal } from "../journal/refusal.ts";
import { DeviceTimeline } from "../meter/device-timeline.ts";
import { plainTerms } from "../model/account.ts";
import type { OperationId } from "../model/ids.ts";
import { day, minute, unitsPerGpu } from "../model/units.ts";
import { readSnapshot, writeSnapshot } from "../state/snapshot/snapshot.ts";
import { ana, nodeOf, World } from "../testing/world.ts";
import { reasonFor } from "../why/reason-for.ts";
import { decideBatch } from "./batch.ts";

/** Two engines, each with a node n0 of 8 H100; `east` also has n1. */
function world(): World {
  return new World().nodes(["east/n0", "H100:8"], ["east/n1", "H100:8"], ["west/n0", "H100:8"]).account("lab");
}

const terms = { kind: "kubernetes", lostAfterMs: 0, settings: {} } as const;

function modes(w: World): (string | undefined)[] {
  return w.state.fleet.nodes.map((node) => node?.mode);
}

/** The state is the same after a snapshot. */
function restarted(w: World): World {
  const text = writeSnapshot(w.state);
  const again = new World(readSnapshot(text));
  again.now = w.now;
  assert.equal(writeSnapshot(again.state), text);
  return again;
}

function enginesOf(w: World, id: string): string[] {
  return [...new Set(w.job(id).leases.map(({ node }) => w.state.fleet.node(node).facts.engine))];
}

describe("nodes of several engines", () => {
  it("are named by engine and name, or by a bare name that only one engine has", () => {
    const w = world();
    const { fleet } = w.state;
    const engineOf = (text: string) => {
      const node = findNode(fleet, text);
      return isRefusal(node) ? node.hint : `${node.facts.engine} ${node.facts.name}`;
    };
    assert.equal(engineOf("west/n0"), "west n0");
    assert.equal(engineOf("n1"), "east n1");
    assert.equal(engineOf("n0"), "name one of them: east/n0, west/n0");
    assert.equal(engineOf("south/n0"), "see: tess node get");
    w.must({ kind: "node.cordon", node: "west/n0", reason: "fan" });
    assert.deepEqual(
      fleet.nodes.map((node) => node?.mode),
      ["up", "up", "cordoned"],
    );
    assert.ok(isRefusal(w.do({ kind: "node.cordon", node: "n0", reason: "" })));
  });

  it("leave with the inventory of their own engine, also when it reports none at all", () => {
    const w = world();
    w.must({ kind: "node.register", engine: "east", nodes: [] });
    assert.deepEqual([...w.state.fleet.nodeByName.keys()], ["west/n0"]);
    w.must({ kind: "node.register", engine: "east", nodes: [nodeOf("east/n0", "H100:8")] });
    assert.deepEqual([...w.state.fleet.nodeByName.keys()], ["west/n0", "east/n0"]);
  });

  it("[U2] count under one name in quotas, whichever engine has the GPUs", () => {
    const w = new World().nodes(["east/n0", "H100:8"], ["west/n0", "H100:8"]);
    const quota = { guarantee: { H100: 6 * unitsPerGpu }, max: { H100: 10 * unitsPerGpu }, weight: 1 };
    w.account("lab", { ...plainTerms, quota });
    for (const id of ["a", "b", "c"]) w.submit(id, "lab", { gpus: "H100:4" });
    assert.deepEqual(enginesOf(w, "b"), enginesOf(w, "a"));
    w.submit("d", "lab", { gpus: "H100:2" });
    assert.equal(w.job("a").class, "guaranteed");
    assert.equal(w.job("b").class, "burst");
    assert.equal(w.stateOf("c"), "waiting");
    assert.deepEqual(enginesOf(w, "d"), ["west"]);
    assert.equal(w.job("d").class, "burst");
    w.submit("e", "lab", { gpus: "H100:1" });
    assert.equal(w.stateOf("e"), "waiting");
  });

  it("[S10] are told apart in records, also where both engines only count their GPUs", () => {
    const counted = (key: string) => {
      const facts = nodeOf(key, "H100:1");
      return { ...facts, gpus: facts.gpus.map((gpu) => ({ ...gpu, uuid: `${facts.name}/gpu/0` })) };
    };
    const w = new World();
    const timeline = new DeviceTimeline();
    const nodes = [counted("east/n0"), counted("west/n0")];
    const command = { kind: "node.register", nodes } as const;
    const op = "op_x" as OperationId;
    const input = { kind: "command", v: 1, op, actor: { user: ana }, request: op, command } as const;
    decideBatch(w.state, [input], w.now, { see: (event, state) => timeline.see(event, state) });
    assert.deepEqual(
      timeline.changes.map(({ gpu, node }) => [gpu, node]),
      [
        ["n0/gpu/0", "n0"],
        ["west/n0/gpu/0", "west/n0"],
      ],
    );
  });

  it("keep their engines and the numbers of their models in a snapshot", () => {
    const w = world();
    w.must({ kind: "node.register", engine: "east", nodes: [] });
    const text = writeSnapshot(w.state);
    const { fleet } = readSnapshot(text);
    assert.deepEqual(fleet.engines, ["east", "west"]);
    assert.deepEqual(fleet.modelEngine, [0, 1]);
    assert.equal(writeSnapshot(readSnapshot(text)), text);
  });
});

describe("[P9] a gang", () => {
  it("waits rather than span two engines", () => {
    const w = world();
    w.submit("all", "lab", { gpus: "H100:8", nodes: 3 });
    assert.ok(!w.state.jobById.has("job_all" as never), "the empty fleet never holds it");
    w.submit("two", "lab", { gpus: "H100:8", nodes: 2 });
    assert.deepEqual(enginesOf(w, "two"), ["east"]);
  });

  it("without GPUs stays in one engine too", () => {
    const w = world();
    w.submit("cores", "lab", { gpus: 0, nodes: 2, cpus: 60 });
    assert.deepEqual(enginesOf(w, "cores"), ["east"]);
    w.submit("more", "lab", { gpus: 0, nodes: 2, cpus: 60 });
    assert.equal(w.stateOf("more"), "waiting");
    w.submit("one", "lab", { gpus: 0, cpus: 60 });
    assert.deepEqual(enginesOf(w, "one"), ["west"]);
  });
});

describe("an engine", () => {
  it("is created once, with terms that make sense, and edited by name", () => {
    const w = world();
    const refused = (command: Parameters<World["do"]>[0]) => {
      const decision = w.do(command);
      return isRefusal(decision) ? `${decision.refused} ${decision.field}` : "done";
    };
    assert.equal(refused({ kind: "engine.create", name: "East", terms }), "invalid name");
    assert.equal(
      refused({ kind: "engine.create", name: "east", terms: { ...terms, lostAfterMs: -1 } }),
      "invalid lostAfterMs",
    );
    assert.equal(refused({ kind: "engine.create", name: "east", terms }), "done");
    assert.equal(refused({ kind: "engine.create", name: "east", terms }), "already-exists name");
    assert.equal(refused({ kind: "engine.edit", name: "east", terms: { ...terms, kind: "local" } }), "invalid kind");
    assert.equal(refused({ kind: "engine.edit", name: "east", terms: { ...terms, lostAfterMs: minute } }), "done");
    assert.equal(refused({ kind: "engine.cordon", name: "west", reason: "" }), "not-found engine");
    assert.equal(w.state.engines.get("east")?.terms.lostAfterMs, minute);
    assert.equal(w.state.engines.get("east")?.revision, 2);
  });

  it("[P12] that is out of reach takes nothing new and keeps what it has, and the others go on", () => {
    const w = world();
    w.must({ kind: "engine.create", name: "east", terms });
    w.submit("a", "lab", { gpus: "H100:8" });
    w.run("a");
    w.must({ kind: "engine.reach", name: "east", away: "connection refused" });
    assert.deepEqual(w.must({ kind: "engine.reach", name: "east", away: "timed out" }), [], "it is known already");
    assert.deepEqual(modes(w), ["unknown", "unknown", "up"]);
    assert.match(w.state.fleet.nodes[0]!.reason, /^engine east is out of reach: connection refused$/);
    assert.equal(w.stateOf("a"), "running");
    w.submit("b", "lab", { gpus: "H100:8" });
    w.submit("c", "lab", { gpus: "H100:8" });
    assert.deepEqual(enginesOf(w, "b"), ["west"]);
    assert.equal(w.stateOf("c"), "waiting");
    const again = restarted(w);
    assert.deepEqual(modes(again), ["unknown", "unknown", "up"]);
    for (const each of [w, again]) {
      each.tick(30 * day);
      assert.equal(each.stateOf("a"), "running", "the owner waits for ever");
      each.must({ kind: "engine.reach", name: "east" });
      assert.deepEqual(modes(each), ["up", "up", "up"]);
      assert.deepEqual(enginesOf(each, "c"), ["east"]);
    }
  });

  it("that takes nothing new is named in the reasons of jobs that it could hold", () => {
    const w = world();
    w.must({ kind: "engine.create", name: "east", terms });
    w.must({ kind: "engine.create", name: "west", terms });
    w.must({ kind: "engine.reach", name: "east", away: "connection refused" });
    w.submit("a", "lab", { gpus: "H100:8" });
    w.submit("b", "lab", { gpus: "H100:8" });
    const out = (id: string) => {
      const { kind, engines } = reasonFor(w.state, w.job(id), w.now);
      return { kind, engines };
    };
    const away = { name: "east", cause: "away", gpus: { gpus: 16, model: "H100" }, since: w.now };
    assert.deepEqual(out("b"), { kind: "health", engines: [away] });
    w.must({ kind: "engine.cordon", name: "west", reason: "" });
    w.submit("c", "lab", { gpus: 0, cpus: 1 });
    assert.deepEqual(out("c").engines, [
      { ...away, gpus: { gpus: 0, model: "" } },
      { name: "west", cause: "cordoned", gpus: { gpus: 0, model: "" } },
    ]);
  });

  it("[P12] that is out of reach for longer than its owner waits has lost its jobs, which start elsewhere", () => {
    const w = world();
    w.must({ kind: "engine.create", name: "east", terms: { ...terms, lostAfterMs: 10 * minute } });
    w.submit("a", "lab", { gpus: "H100:8", retry: { max: 1 } });
    w.run("a");
    w.must({ kind: "engine.reach", name: "east", away: "connection refused" });
    const again = restarted(w);
    for (const each of [w, again]) {
      each.tick(10 * minute - 1);
      assert.equal(each.stateOf("a"), "running");
      each.tick(1);
      assert.equal(each.stateOf("a"), "starting");
      assert.deepEqual(enginesOf(each, "a"), ["west"]);
      assert.equal(each.state.fleet.nodes[0]!.leases, 0);
      assert.equal(each.state.fleet.nodes[0]!.mode, "unknown");
    }
  });

  it("counts from when it went away, also when its owner changes how long to wait", () => {
    const w = world();
    w.must({ kind: "engine.create", name: "east", terms });
    w.submit("a", "lab", { gpus: "H100:8", retry: { max: 1 } });
    w.run("a");
    w.must({ kind: "engine.reach", name: "east", away: "connection refused" });
    w.tick(5 * minute);
    w.must({ kind: "engine.edit", name: "east", terms: { ...terms, lostAfterMs: 6 * minute } });
    w.tick(minute);
    assert.deepEqual(enginesOf(w, "a"), ["west"]);
  });

  it("is cordoned and brought up by its owner, apart from what is said of single nodes", () => {
    const w = world();
    w.must({ kind: "engine.create", name: "east", terms });
    w.must({ kind: "node.cordon", node: "east/n1", reason: "fan" });
    w.must({ kind: "engine.cordon", name: "east", reason: "upgrade" });
    assert.deepEqual(modes(w), ["cordoned", "cordoned", "up"]);
    assert.equal(w.state.fleet.nodes[0]!.reason, "engine east is cordoned: upgrade");
    assert.equal(w.state.fleet.nodes[1]!.reason, "fan");
    w.must({ kind: "engine.up", name: "east" });
    assert.deepEqual(modes(w), ["up", "cordoned", "up"]);
  });

  it("leaves with its nodes when what runs there has ended, and a late inventory does not bring it back", () => {
    const w = world();
    w.must({ kind: "engine.create", name: "east", terms });
    w.must({ kind: "engine.create", name: "west", terms });
    w.submit("a", "lab", { gpus: "H100:8" });
    w.run("a");
    w.must({ kind: "engine.delete", name: "east" });
    assert.deepEqual(modes(w), ["cordoned", "cordoned", "up"]);
    assert.equal(w.stateOf("a"), "running");
    w.exit("a", 0);
    assert.deepEqual([...w.state.engines.keys()], ["west"]);
    assert.deepEqual([...w.state.fleet.nodeByName.keys()], ["west/n0"]);
    assert.deepEqual(w.must({ kind: "node.register", engine: "east", nodes: [nodeOf("east/n0", "H100:8")] }), []);
    restarted(w);
  });

  it("that was to leave stays when its owner brings it up", () => {
    const w = world();
    w.must({ kind: "engine.create", name: "east", terms });
    w.submit("a", "lab", { gpus: "H100:8" });
    w.must({ kind: "engine.delete", name: "east" });
    w.must({ kind: "engine.up", name: "east" });
    assert.deepEqual(modes(w), ["up", "up", "up"]);
    assert.equal(w.state.engines.get("east")?.leaving, undefined);
  });
});

describe("what an engine says of a node", () => {
  const east = nodeOf("east/n0", "H100:4");
  const [first, second] = east.gpus.map(({ uuid }) => uuid) as [string, string];
  function one(): World {
    return new World().nodes(["east/n0", "H100:4"]).account("lab");
  }
  function inventory(w: World, change: Partial<typeof east>): Event["kind"][] {
    return w.must({ kind: "node.register", engine: "east", nodes: [{ ...east, ...change }] }).map(({ kind }) => kind);
  }

  it("keeps new work off it and leaves what runs, until the engine takes it back", () => {
    const w = one();
    w.submit("a", "lab", { gpus: 1 });
    w.run("a");
    const condition = { state: "cordoned", reason: "kubectl cordon" } as const;
    assert.deepEqual(inventory(w, { condition }), ["node-changed"]);
    assert.deepEqual(modes(w), ["cordoned"]);
    assert.equal(w.state.fleet.nodes[0]!.reason, "kubectl cordon");
    w.submit("b", "lab", { gpus: 1 });
    assert.equal(w.stateOf("b"), "waiting");
    inventory(w, { condition: { state: "unknown", reason: "NotReady" } });
    assert.deepEqual(modes(restarted(w)), ["unknown"]);
    assert.equal(w.stateOf("a"), "running");
    inventory(w, {});
    assert.equal(w.stateOf("b"), "starting");
  });

  it("[P12] does not undo what its owner said", () => {
    const w = one();
    inventory(w, { condition: { state: "cordoned", reason: "kubectl cordon" } });
    w.must({ kind: "node.cordon", node: "n0", reason: "fan" });
    inventory(w, {});
    assert.deepEqual(modes(w), ["cordoned"]);
    w.must({ kind: "node.up", node: "n0" });
    assert.deepEqual(modes(w), ["up"]);
  });

  it("[P12] withholds free GPUs, which are not offered and count as there", () => {
    const w = one();
    inventory(w, { withheld: [first, second] });
    assert.equal(w.state.fleet.nodeFreeGpus[0], 2);
    assert.equal(w.state.fleet.freeUnitsUp(), 2 * unitsPerGpu);
    assert.equal(w.state.fleet.totals.gpuUnits, 4 * unitsPerGpu);
    assert.ok(!isRefusal(w.submit("all", "lab", { gpus: 4 })), "it fits once they are back");
    assert.equal(w.stateOf("all"), "waiting");
    w.submit("b", "lab", { gpus: 2 });
    assert.deepEqual(w.job("b").leases[0]!.gpus, [2, 3]);
    const again = restarted(w);
    for (const each of [w, again]) {
      inventory(each, {});
      each.run("b");
      each.exit("b", 0);
      assert.equal(each.stateOf("all"), "starting");
    }
  });

  it("leaves a withheld GPU to the lease that holds it, and offers it to no other afterwards", () => {
    const w = one();
    w.submit("a", "lab", { gpus: 2 });
    w.run("a");
    inventory(w, { withheld: [first] });
    assert.equal(w.stateOf("a"), "running");
    w.exit("a", 0);
    assert.equal(w.state.fleet.nodeFreeGpus[0], 3);
    w.submit("b", "lab", { gpus: 3 });
    assert.deepEqual(w.job("b").leases[0]!.gpus, [1, 2, 3]);
  });

  it("drops a claim on a GPU that is withheld", () => {
    const w = new World().nodes(["east/n0", "H100:4"]).account("owner", { guarantee: 4 }).account("guest");
    w.submit("lent", "guest", { gpus: 4 });
    w.run("lent");
    w.submit("own", "owner", { gpus: 4 });
    assert.ok(w.job("own").claim !== undefined);
    inventory(w, { withheld: [first] });
    assert.equal(w.job("own").claim, undefined);
    w.report("lent", { kind: "exited", ran: true, signal: "SIGTERM" });
    assert.equal(w.state.fleet.nodeFreeGpus[0], 3);
    inventory(w, {});
    assert.equal(w.stateOf("own"), "starting");
  });
});
