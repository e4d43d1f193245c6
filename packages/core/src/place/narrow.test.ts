import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isRefusal, type Refusal, refusalText } from "../journal/refusal.ts";
import type { NodeFacts, NodeOffers } from "../model/node.ts";
import { jobId, nodeOf, World } from "../testing/world.ts";

const gold = { tier: "gold" };
const everything: NodeOffers = {
  images: true,
  withoutImage: true,
  isolation: ["whole", "mps"],
  workdir: true,
  code: true,
  mounts: true,
};

function fleetOf(...nodes: NodeFacts[]): World {
  const w = new World();
  w.must({ kind: "node.register", nodes });
  return w.account("lab").account("lab/vision").account("guest").account("owner", { guarantee: 2 });
}

function node(name: string, change: Partial<NodeFacts> & { region?: string } = {}, gpus = "H100:2"): NodeFacts {
  const { region, ...facts } = change;
  const plain = nodeOf(name, gpus);
  return { ...plain, ...facts, place: { ...plain.place, ...(region !== undefined && { region }) } };
}

function nodesOf(w: World, id: string): string[] {
  return w.job(id).leases.map((lease) => w.state.fleet.node(lease.node).facts.name);
}

function textOf(decision: unknown): string {
  assert.ok(isRefusal(decision), JSON.stringify(decision));
  return refusalText(decision as Refusal);
}

describe("[P10] a job that asks for some nodes only", () => {
  it("is placed on nodes with its labels, in its region, of its engine", () => {
    const w = fleetOf(node("n0"), node("n1", { labels: gold }), node("n2", { labels: gold, region: "eu" }));
    w.submit("label", "lab", { where: gold, gpus: 2 });
    w.submit("region", "lab", { region: "eu", gpus: 2 });
    w.submit("engine", "lab", { engine: "test", gpus: 2 });
    assert.deepEqual(
      ["label", "region", "engine"].map((id) => nodesOf(w, id)),
      [["n1"], ["n2"], ["n0"]],
    );
  });

  it("counts engine and region as labels", () => {
    const w = fleetOf(node("n0"), node("n1", { region: "eu" }));
    w.submit("a", "lab", { where: { engine: "test", region: "eu" } });
    assert.deepEqual(nodesOf(w, "a"), ["n1"]);
  });

  it("waits while only other nodes are free, and starts when one of its own is", () => {
    const w = fleetOf(node("n0"), node("n1", { labels: gold }));
    w.submit("first", "lab", { where: gold, gpus: 2 });
    w.submit("second", "lab", { where: gold, gpus: 2 });
    w.submit("plain", "lab", { gpus: 1 });
    assert.deepEqual([w.stateOf("second"), nodesOf(w, "plain")], ["waiting", ["n0"]]);
    w.run("first").exit("first", 0);
    assert.deepEqual(nodesOf(w, "second"), ["n1"]);
  });

  it("may ask for other nodes while it waits, and keeps its place", () => {
    const w = fleetOf(node("n0"), node("n1", { labels: gold }));
    w.submit("a", "lab", { where: gold, gpus: 2 });
    w.submit("b", "lab", { where: gold, gpus: 2 });
    const { no, spec } = w.job("b");
    w.must({ kind: "job.edit", job: jobId("b"), spec: { ...spec, where: { engine: "test" } } });
    assert.deepEqual([nodesOf(w, "b"), w.job("b").no], [["n0"], no]);
  });

  it("starts when a node gets its label", () => {
    const w = fleetOf(node("n0"), node("n1", { labels: gold }));
    w.submit("a", "lab", { where: gold, gpus: 2 });
    w.submit("b", "lab", { where: gold, gpus: 2 });
    assert.equal(w.stateOf("b"), "waiting");
    w.must({ kind: "node.register", nodes: [node("n0", { labels: gold }), node("n1", { labels: gold })] });
    assert.deepEqual(nodesOf(w, "b"), ["n0"]);
  });

  it("keeps a gang on such nodes, in one rack or not, and one job's room is not another's", () => {
    const nodes = Array.from({ length: 4 }, (_, i) => node(`n${i}`, i < 2 ? {} : { labels: gold }));
    const w = fleetOf(...nodes);
    w.submit("gold", "lab", { where: gold, nodes: 2, gpus: 2, topology: "rack" });
    w.submit("any", "lab", { nodes: 2, gpus: 2 });
    assert.deepEqual(
      [nodesOf(w, "gold"), nodesOf(w, "any")],
      [
        ["n2", "n3"],
        ["n0", "n1"],
      ],
    );
    w.submit("more", "lab", { where: gold, nodes: 2, gpus: 1 });
    assert.equal(w.stateOf("more"), "waiting");
  });

  it("keeps parts of GPUs on such nodes", () => {
    const w = fleetOf(node("n0", { pool: "mps" }), node("n1", { pool: "mps", labels: gold }));
    w.submit("part", "lab", { gpus: "H100:0.5", isolation: "mps", where: gold });
    assert.deepEqual(nodesOf(w, "part"), ["n1"]);
  });

  it("lets growth come to such nodes only", () => {
    const w = fleetOf(node("n0"), node("n1", { labels: gold }));
    w.submit("grows", "lab", { where: gold, members: "1..4", gpus: 1 });
    assert.deepEqual(nodesOf(w, "grows"), ["n1", "n1"]);
  });

  it("takes victims only where that makes room", () => {
    const w = fleetOf(node("n0"), node("n1", { labels: gold }));
    w.must({ kind: "policy.set", policy: { ...w.state.policy, minRuntimeMs: 0 } });
    for (const id of ["a", "b", "c", "d"]) w.submit(id, "guest", { gpus: 1 });
    for (const id of ["a", "b", "c", "d"]) w.run(id);
    w.tick(1_000);
    w.submit("own", "owner", { where: gold, gpus: 2 });
    const leaving = ["a", "b", "c", "d"].filter((id) => w.stateOf(id) === "stopping");
    assert.deepEqual(
      leaving.flatMap((id) => nodesOf(w, id)),
      ["n1", "n1"],
    );
  });

  it("is planned on such nodes only", () => {
    const w = fleetOf(node("n0"), node("n1", { labels: gold }));
    w.submit("short", "lab", { gpus: 2, max_time: "1h", engine: "test" });
    w.submit("long", "lab", { gpus: 2, max_time: "5h", where: gold });
    for (const id of ["short", "long"]) w.run(id);
    assert.deepEqual(nodesOf(w, "short"), ["n0"]);
    w.submit("planned", "lab", { gpus: 2, max_time: "1h", where: gold });
    const plan = w.events.findLast((event) => event.kind === "job-planned");
    assert.equal(plan?.kind === "job-planned" && plan.startsAt - w.now, 5 * 3_600_000);
  });

  it("is refused where no node is like that, with what there is", () => {
    const w = fleetOf(node("n0", { region: "eu" }), node("n1", { labels: gold, region: "eu" }, "A100:2"));
    assert.match(textOf(w.submit("a", "lab", { engine: "k8s" })), /engine "k8s" is an engine without nodes/);
    assert.match(textOf(w.submit("b", "lab", { region: "us" })), /region "us" is a region without nodes/);
    assert.match(textOf(w.submit("c", "lab", { where: { tier: "x" } })), /where.tier "x" is a label that no node has/);
    assert.match(
      textOf(w.submit("d", "lab", { where: gold, gpus: "A100:1", nodes: 2 })),
      /the nodes that it may use hold 1/,
    );
    assert.match(
      textOf(w.submit("e", "lab", { where: gold, gpus: "H100:2" })),
      /gpus "H100:2" is more than any node that it may use has/,
    );
  });
});

describe("[P10] what nodes offer", () => {
  it("keeps a job with an image, a folder, files, mounts or an isolation on nodes that can run it", () => {
    const bare = {
      ...everything,
      images: false,
      code: false,
      mounts: false,
      workdir: false,
      isolation: ["whole"] as const,
    };
    const w = fleetOf(node("n0", { offers: bare }), node("n1", { offers: everything, pool: "any" }, "H100:8"));
    const raws = [
      { image: "python" },
      { workdir: "/data" },
      { venv: "/opt/env" },
      { mounts: { "/data": "vol:data" } },
      { gpus: "H100:0.5", isolation: "mps" as const },
      { gpus: "H100:0.5" },
    ];
    for (const [i, raw] of raws.entries()) {
      w.submit(`j${i}`, "lab", raw);
      assert.deepEqual(nodesOf(w, `j${i}`), ["n1"], JSON.stringify(raw));
    }
    w.submit("plain", "lab", {});
    assert.deepEqual(nodesOf(w, "plain"), ["n0"]);
  });

  it("keeps a job without an image off nodes that run images only", () => {
    const w = fleetOf(node("n0", { offers: { ...everything, withoutImage: false } }), node("n1", {}, "H100:4"));
    w.submit("plain", "lab", {});
    w.submit("image", "lab", { image: "python" });
    assert.deepEqual([nodesOf(w, "plain"), nodesOf(w, "image")], [["n1"], ["n0"]]);
  });

  it("refuses a job that no engine can run, naming what each lacks", () => {
    const w = fleetOf(
      node("n0", { engine: "local", offers: { ...everything, images: false } }),
      node("n1", { engine: "east", offers: { ...everything, workdir: false } }),
    );
    const text = textOf(w.submit("a", "lab", { image: "python", workdir: "/data" }));
    assert.match(text, /local runs no container images; east takes no folder of its nodes as workdir/);
    assert.equal(isRefusal(w.submit("b", "lab", { image: "python" })), false);
    assert.deepEqual(nodesOf(w, "b"), ["n1"]);
  });
});

describe("[P11] a pool with tenants", () => {
  const labels = gold;

  it("takes jobs of these accounts and those below, and of no other", () => {
    const w = fleetOf(node("n0", { labels }), node("n1", {}, "H100:1"));
    w.must({ kind: "pool.create", name: "gold", terms: { labels, tenants: ["lab"], perMille: 1000 } });
    w.submit("guest", "guest", { gpus: 1 });
    w.submit("again", "guest", { gpus: 1 });
    w.submit("below", "lab/vision", { gpus: 1 });
    assert.deepEqual([nodesOf(w, "guest"), w.stateOf("again"), nodesOf(w, "below")], [["n1"], "waiting", ["n0"]]);
    assert.match(textOf(w.submit("large", "guest", { gpus: 2 })), /gpus 2 is more than any node that it may use has/);
    assert.match(textOf(w.submit("label", "guest", { where: gold })), /guest.* may not use the pool gold/);
  });

  it("opens to waiting jobs when it is edited or deleted, and ends no running work when it is closed", () => {
    for (const kind of ["pool.edit", "pool.delete"] as const) {
      const w = fleetOf(node("n0", { labels }), node("n1", {}, "H100:1"));
      w.submit("runs", "guest", { gpus: 2 });
      w.run("runs");
      const terms = { labels, tenants: ["lab"], perMille: 1000 };
      w.must({ kind: "pool.create", name: "gold", terms });
      assert.equal(w.stateOf("runs"), "running");
      w.exit("runs", 0);
      w.submit("a", "guest", { gpus: 1 });
      w.submit("b", "guest", { gpus: 1 });
      assert.deepEqual([w.stateOf("a"), w.stateOf("b")], ["starting", "waiting"]);
      w.must({ kind, name: "gold", terms: { ...terms, tenants: ["lab", "guest"] } });
      assert.deepEqual(nodesOf(w, "b"), ["n0"]);
    }
  });

  it("lets go of seats that were being emptied for a job which may no longer use them", () => {
    const w = fleetOf(node("n0", { labels }), node("n1", {}, "H100:1"));
    w.must({ kind: "policy.set", policy: { ...w.state.policy, minRuntimeMs: 0 } });
    w.submit("victim", "guest", { gpus: 2 });
    w.run("victim");
    w.tick(1_000);
    w.submit("own", "owner", { gpus: 2 });
    assert.ok(w.job("own").claim !== undefined);
    w.must({ kind: "pool.create", name: "gold", terms: { labels, tenants: ["lab"], perMille: 1000 } });
    w.report("victim", { kind: "exited", ran: true, code: 0 });
    assert.deepEqual([w.stateOf("own"), w.job("own").claim], ["waiting", undefined]);
  });
});
