import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isRefusal } from "../journal/refusal.ts";
import type { AccountTerms } from "../model/account.ts";
import { hour, unitsPerGpu } from "../model/units.ts";
import { parseJob, type RawJob } from "../submit/parse.ts";
import { nodeOf, World } from "../testing/world.ts";
import { mayAsk } from "./job.ts";

const twoNodes = () => new World().nodes(["n0", "H100:8"], ["n1", "H100:8"]);

/** Submits a job and returns the field, the reason and the hint of its refusal; undefined = it was admitted. */
function submitted(w: World, raw: Partial<RawJob>, account = "lab"): string[] | undefined {
  const decision = w.submit(`x${w.events.length}`, account, raw);
  return isRefusal(decision) ? [decision.field, decision.detail, decision.hint] : undefined;
}

function admits(w: World, raw: Partial<RawJob>, account = "lab"): void {
  assert.equal(submitted(w, raw, account), undefined);
}

function refuses(w: World, raw: Partial<RawJob>, field: string, text: RegExp, account = "lab"): void {
  const refusal = submitted(w, raw, account);
  assert.ok(refusal !== undefined, "was admitted");
  assert.equal(refusal[0], field);
  assert.match(`${refusal[1]}; ${refusal[2]}`, text);
}

describe("what an account allows", () => {
  const labOf = (terms: Partial<AccountTerms>) => twoNodes().account("lab", terms).account("lab/a");

  it("is refused by type, also in the accounts below", () => {
    const w = labOf({ allowed: { types: ["batch"] } });
    refuses(w, { type: "service" }, "type", /not allowed in lab; use one of batch/, "lab/a");
    admits(w, { type: "batch" }, "lab/a");
  });

  it("is refused by the beginning of an image", () => {
    const w = labOf({ allowed: { images: ["registry.lab/"] } });
    refuses(w, { image: "elsewhere/x" }, "image", /begins with registry.lab/);
    admits(w, { image: "registry.lab/x" });
    admits(w, {});
  });

  it("is refused by GPU model unless an alternative, or a job without GPUs, does not need it", () => {
    const w = labOf({ allowed: { models: ["A100"] } });
    refuses(w, { gpus: "H100:1" }, "gpus", /lab allows; use one of A100/);
    admits(w, { gpus: { any: ["A100:1", "H100:1"] } });
    admits(w, { gpus: 0, cpus: 1 });
  });

  it("limits the GPUs of one job and of one user by the smallest alternative", () => {
    const w = labOf({ limits: { gpusPerJobMax: 4 } });
    refuses(w, { gpus: 3, nodes: 2 }, "gpus", /more than the 4 GPUs that one job may hold in lab/);
    admits(w, { gpus: { any: ["H100:8", "H100:4"] } });
    refuses(labOf({ limits: { gpusPerUserMax: 4 } }), { gpus: 5 }, "gpus", /that one user may hold in lab/);
  });

  it("limits the run time, and asks for a max_time where there is none", () => {
    const w = labOf({ limits: { runMsMax: 2 * hour } });
    refuses(w, {}, "max_time", /is missing: jobs in lab run at most 2h/);
    refuses(w, { max_time: "3h" }, "max_time", /is too long/);
    admits(w, { max_time: "2h" });
  });

  it("limits what the folders of a member may hold", () => {
    const w = labOf({ limits: { scratchMiBMax: 1024 } });
    refuses(w, { scratch: "2GiB" }, "scratch", /is more than the 1GiB that a member may use in lab/);
    admits(w, { scratch: "1GiB" });
    admits(w, {});
  });

  it("limits the waiting jobs of a user, each element of an array counted", () => {
    const w = labOf({ limits: { waitingJobsPerUserMax: 3 } });
    w.must({ kind: "node.cordon", node: "n0", reason: "so that jobs wait" });
    w.must({ kind: "node.cordon", node: "n1", reason: "so that jobs wait" });
    refuses(w, { array: "1-4" }, "", /0 jobs waiting in lab \(limit 3\)/);
    admits(w, { array: "1-3" });
    refuses(w, {}, "", /3 jobs waiting in lab \(limit 3\)/);
  });
});

describe("a job that its quota could never hold", () => {
  it("[C5] is refused beyond the max of any account on its path", () => {
    const w = twoNodes().account("lab", { max: 4 }).account("lab/a");
    refuses(w, { gpus: 5 }, "gpus", /needs 5 GPUs, and lab may hold at most 4/, "lab/a");
    admits(w, { gpus: 4 }, "lab/a");
  });

  it("[U1] is refused by the memory of a part where that is larger than its compute", () => {
    const w = new World().account("lab", { max: 0.2 });
    w.must({ kind: "node.register", nodes: [{ ...nodeOf("n0", "H100:8"), pool: "mig" }] });
    refuses(w, { gpus: "1g.20gb" }, "gpus", /needs 0.25 GPUs by their memory, and lab may hold at most 0.2/);
    admits(w, { gpus: "1g.10gb" });
  });

  it("[C5] is refused where no guarantee covers it and other accounts lend too little", () => {
    const quota = { guarantee: { "*": 12 * unitsPerGpu }, lendable: { "*": 2 * unitsPerGpu }, weight: 1 };
    const w = twoNodes().account("keeper", { quota }).account("lab").account("owner", { guarantee: 4 });
    refuses(w, { gpus: 4, nodes: 2 }, "gpus", /needs 8 GPUs; no guarantee .* other accounts lend at most 6/);
    admits(w, { gpus: 3, nodes: 2 });
    admits(w, { gpus: 4, members: 3 }, "keeper");
  });
});

describe("a job that the empty fleet could not hold", () => {
  it("is refused with the model that the fleet does not have", () => {
    refuses(twoNodes().account("lab"), { gpus: "B200:1" }, "gpus", /The fleet has no B200.*models of the fleet: H100/);
  });

  it("is refused with the resource of which one member asks too much, and the most that one node has", () => {
    const w = twoNodes().account("lab");
    refuses(w, { cpus: 65 }, "cpus", /ask for at most 64 cores/);
    refuses(w, { memory: "600GiB" }, "memory", /ask for at most 500 GiB/);
    refuses(w, { gpu_memory: "90GiB" }, "gpu_memory", /ask for at most 79.6 GiB/);
    refuses(w, { gpus: 9 }, "gpus", /the largest node has 8 H100 GPUs/);
  });

  it("is admitted if one of its alternatives fits", () => {
    admits(twoNodes().account("lab"), { gpus: { any: ["H100:9", "H100:8"] } });
  });

  it("[P1] is refused if not all of its members fit", () => {
    const w = twoNodes().account("lab");
    refuses(w, { gpus: 8, nodes: 3 }, "nodes", /holds 2 such members when it is empty; ask for at most 2/);
    refuses(w, { gpus: 4, members: 5 }, "members", /holds 4 such members/);
    admits(w, { gpus: 8, nodes: 2 });
  });

  it("[P2] is refused if no domain of the level that it requires holds all members", () => {
    const w = new World().account("lab");
    const inRack = (name: string, rack: string) => {
      const facts = nodeOf(name, "H100:8");
      return { ...facts, place: { ...facts.place, rack } };
    };
    w.must({ kind: "node.register", nodes: [inRack("n0", "r0"), inRack("n1", "r1")] });
    refuses(w, { gpus: 8, nodes: 2, topology: "rack" }, "topology", /no rack can hold 2 such members/);
    admits(w, { gpus: 8, nodes: 2, topology: "rack?" });
  });

  it("[P7] is refused if it spreads over more racks than there are", () => {
    const w = twoNodes().account("lab");
    refuses(w, { gpus: 1, nodes: 2, spread: "rack" }, "spread", /fewer than 2 places of this level/);
    admits(w, { gpus: 1, nodes: 2, spread: "rack?" });
  });

  it("[P3] is refused if no GPU can be divided into its part", () => {
    const w = new World().nodes(["n0", "T4:1"]).account("lab");
    refuses(w, { gpus: "T4:0.5", isolation: "mig" }, "gpus", /is a part, and T4 is given out in whole GPUs only/);
    admits(w, { gpus: "T4:1" });
  });

  it("is admitted again once a node that holds it has joined", () => {
    const w = new World().nodes(["n0", "H100:4"]).account("lab");
    refuses(w, { gpus: 8 }, "gpus", /the largest node has 4 H100 GPUs/);
    admits(w.nodes(["n1", "H100:8"]), { gpus: 8 });
  });
});

describe("a change to a waiting job", () => {
  it("[W3] is judged by what accounts allow and the fleet could hold, not by the number of waiting jobs", () => {
    const w = twoNodes().account("lab", { limits: { waitingJobsPerUserMax: 0 }, allowed: { types: ["batch"] } });
    const { no } = w.state.accountByPath.get("lab")!;
    const may = (raw: Partial<RawJob>) => {
      const spec = parseJob({ run: "true", ...raw }, { after: [] });
      assert.ok(!isRefusal(spec));
      return mayAsk(w.state, no, spec);
    };
    assert.equal(may({ gpus: 8 }), true);
    assert.equal(may({ gpus: 9 }), false);
    assert.equal(may({ gpus: 8, type: "service" }), false);
  });
});
