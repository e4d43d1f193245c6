import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { pricesOf } from "../bill/sample.fixture.ts";
import { hour, minute, unitsPerGpu } from "../model/units.ts";
import { jobId, nodeOf, World } from "../testing/world.ts";
import type { Reason, ReasonKind } from "./reason.ts";
import { reasonFor } from "./reason-for.ts";

/** What of a reason can be put beside each other, waited for, or opened. */
type Tells = "needed" | "held" | "limit" | "free" | "fits" | "until" | "awaited" | "account" | "price" | "nothing else";

interface Case {
  readonly title: string;
  /** A world in which the job `x` waits for this reason. */
  readonly make: () => World;
  readonly tells: readonly Tells[];
  readonly unit?: Reason["unit"];
}

const lab = (...gpus: string[]) =>
  new World().nodes(...gpus.map((each, no): [string, string] => [`n${no}`, each])).account("lab");

function limited(limits: object): World {
  return new World().nodes(["n", "H100:8"]).account("lab", { limits });
}

/** Each kind has its cases; a new one does not compile until it has some. */
const cases: Readonly<Record<ReasonKind, readonly Case[]>> = {
  never: [
    {
      title: "no node that it may use is left",
      make() {
        const w = new World();
        const gold = { ...nodeOf("n", "H100:2"), labels: { tier: "gold" } };
        w.must({ kind: "node.register", nodes: [gold] });
        w.account("lab");
        w.submit("first", "lab", { gpus: 2, where: { tier: "gold" } });
        w.submit("x", "lab", { gpus: 2, where: { tier: "gold" } });
        w.must({ kind: "node.register", nodes: [nodeOf("n", "H100:2")] });
        return w;
      },
      tells: ["nothing else"],
    },
  ],
  held: [
    {
      title: "a user held it",
      make() {
        const w = lab("H100:2");
        w.submit("x", "lab", { notBeforeAt: w.now + hour });
        w.must({ kind: "job.hold", job: jobId("x") });
        return w;
      },
      tells: ["nothing else"],
    },
  ],
  "not-yet": [
    {
      title: "not_before",
      make() {
        const w = lab("H100:2");
        w.submit("x", "lab", { notBeforeAt: w.now + hour });
        return w;
      },
      tells: ["until"],
    },
    {
      title: "the limit of its array",
      make() {
        const w = lab("H100:4");
        w.submit("x", "lab", { array: "1-3%2", gpus: 1 });
        return w;
      },
      tells: ["held", "limit"],
      unit: "elements",
    },
  ],
  dependency: [
    {
      title: "a job before it",
      make() {
        const w = lab("H100:2");
        w.submit("first", "lab");
        w.submit("x", "lab", { after: [{ job: jobId("first"), when: "succeeded" }] });
        return w;
      },
      tells: ["awaited"],
    },
  ],
  budget: [
    {
      title: "a spent budget; its amounts are added where it is explained",
      make() {
        const w = lab("H100:1");
        w.submit("first", "lab");
        w.submit("x", "lab");
        w.must({ kind: "price.add", version: pricesOf({}) });
        const limits = { limitMicros: "1", every: "month", alertsPerMille: [], stop: "refuse-new" } as const;
        w.must({ kind: "budget.set", budget: { account: "lab", currency: "EUR", ...limits } });
        w.must({ kind: "budget.reach", account: "lab", stop: "refuse-new", perMille: 1000, spentMicros: "2" });
        return w;
      },
      tells: ["account"],
    },
  ],
  price: [
    {
      title: "an hour that costs more",
      make() {
        const w = lab("H100:4");
        w.must({ kind: "price.add", version: pricesOf({}) });
        w.submit("x", "lab", { max_price: "0.50" });
        return w;
      },
      tells: ["price"],
    },
  ],
  evicting: [
    {
      title: "room that is being made",
      make() {
        const w = new World().nodes(["n", "H100:2"]).account("guest").account("lab", { guarantee: 2 });
        w.submit("lent", "guest", { gpus: 2 });
        w.run("lent");
        w.submit("x", "lab", { gpus: 2 });
        return w;
      },
      tells: ["needed", "until"],
    },
  ],
  quota: [
    {
      title: "a max of GPUs",
      make() {
        const w = new World().nodes(["n", "H100:8"]).account("lab", { max: 4 });
        w.submit("first", "lab", { gpus: 3 });
        w.submit("x", "lab", { gpus: 2 });
        return w;
      },
      tells: ["needed", "held", "limit", "account"],
    },
    {
      title: "GPUs for each user",
      make() {
        const w = limited({ gpusPerUserMax: 2 });
        w.submit("first", "lab", { gpus: 2 });
        w.submit("x", "lab", { gpus: 1 });
        return w;
      },
      tells: ["needed", "held", "limit", "account"],
    },
    {
      title: "members without GPUs",
      make() {
        const w = limited({ cpuMembersMax: 2 });
        w.submit("first", "lab", { gpus: 0, nodes: 1, cpus: 1 });
        w.submit("second", "lab", { gpus: 0, cpus: 1 });
        w.submit("x", "lab", { gpus: 0, cpus: 1 });
        return w;
      },
      tells: ["needed", "held", "limit", "account"],
      unit: "members",
    },
    {
      title: "GPU hours of a period",
      make() {
        const w = limited({ gpuTime: { unitMsMax: unitsPerGpu * hour, everyMs: 24 * hour } });
        w.submit("first", "lab", { gpus: 2 });
        w.run("first");
        w.tick(hour);
        w.submit("x", "lab");
        return w;
      },
      tells: ["held", "limit", "until", "account"],
      unit: "GPU-hours",
    },
    {
      title: "work that may not be preempted, without a guarantee",
      make() {
        const w = lab("H100:4");
        w.submit("x", "lab", { preemptible: false });
        return w;
      },
      tells: ["needed", "held", "limit"],
    },
  ],
  capacity: [
    {
      title: "too few GPUs",
      make() {
        const w = lab("H100:2");
        w.submit("first", "lab", { gpus: 2 });
        w.submit("x", "lab", { gpus: 2 });
        return w;
      },
      tells: ["needed", "free"],
    },
  ],
  shape: [
    {
      title: "GPUs on too many nodes",
      make() {
        const w = lab("H100:4", "H100:4");
        w.submit("a", "lab", { gpus: 3 });
        w.submit("b", "lab", { gpus: 3 });
        w.submit("x", "lab", { gpus: 2 });
        return w;
      },
      tells: ["needed", "fits", "free"],
    },
    {
      title: "nodes that it may not use",
      make() {
        const w = new World();
        const gold = { ...nodeOf("n1", "H100:2"), labels: { tier: "gold" } };
        w.must({ kind: "node.register", nodes: [nodeOf("n0", "H100:2"), gold] });
        w.account("lab");
        w.submit("first", "lab", { gpus: 2, where: { tier: "gold" } });
        w.submit("x", "lab", { gpus: 2, where: { tier: "gold" } });
        return w;
      },
      tells: ["needed"],
    },
  ],
  isolation: [
    {
      title: "nodes of a confidential tenant",
      make() {
        const w = new World().nodes(["n0", "H100:4"], ["n1", "H100:4"]);
        w.account("bank", { trust: "confidential" }).account("lab");
        w.submit("b", "bank", { gpus: 1 });
        w.submit("l", "lab", { gpus: 2 });
        w.submit("x", "lab", { gpus: 3 });
        return w;
      },
      tells: ["needed"],
    },
  ],
  health: [
    {
      title: "nodes that take no work",
      make() {
        const w = lab("H100:8");
        w.must({ kind: "node.cordon", node: "n0", reason: "" });
        w.submit("x", "lab");
        return w;
      },
      tells: ["needed", "free"],
    },
  ],
  reservation: [
    {
      title: "maintenance ahead",
      make() {
        const w = lab("H100:4");
        const window = { from: w.now + minute, to: w.now + hour, reason: "" };
        w.must({ kind: "node.maintenance", node: "n0", window });
        w.submit("x", "lab", { gpus: 4, max_time: "2h" });
        return w;
      },
      tells: ["needed", "free", "until"],
    },
  ],
  order: [
    {
      title: "a plan that it would delay",
      make() {
        const w = lab("H100:8", "H100:8");
        w.submit("a", "lab", { gpus: 8, max_time: "1h" });
        w.run("a");
        w.submit("gang", "lab", { gpus: 8, nodes: 2, max_time: "1h" });
        w.submit("x", "lab", { gpus: 4, max_time: "2h" });
        return w;
      },
      tells: ["nothing else"],
    },
  ],
};

function toldBy(reason: Reason): Tells[] {
  const told: Tells[] = (["needed", "held", "limit", "free", "fits", "until", "account"] as const).filter(
    (part) => reason[part] !== undefined,
  );
  if (reason.kind === "dependency" && reason.values.awaited.length > 0) told.push("awaited");
  if (reason.kind === "price") told.push("price");
  return told.length === 0 ? ["nothing else"] : told;
}

describe("each waiting reason", () => {
  for (const [kind, each] of Object.entries(cases)) {
    for (const { title, make, tells, unit } of each) {
      it(`tells what is known of it: ${kind}, ${title}`, () => {
        const w = make();
        const job = [...w.state.jobs.values()].find(
          ({ id, state, claim }) => state === "waiting" && id.startsWith(jobId("x")) && (kind === "evicting" || !claim),
        );
        assert.ok(job, "x waits");
        const reason = reasonFor(w.state, job, w.now);
        assert.deepEqual([reason.kind, reason.unit], [kind, unit]);
        assert.deepEqual(toldBy(reason).sort(), [...tells].sort());
      });
    }
  }
});
