import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { hour, minute } from "../model/units.ts";
import { jobId, World } from "../testing/world.ts";
import { before } from "./in-account.ts";

const jobOf = (w: World, id: string) => w.state.jobById.get(jobId(id))!;

/** Two nodes that are full for a long time, and two jobs that ask for ten hours more. */
function busy(): World {
  const w = new World().nodes(["n0", "H100:2"], ["n1", "H100:2"]).account("a", { order: "aged-shortest" });
  w.must({ kind: "policy.set", policy: { rebalance: "off", minRuntimeMs: 0, graceMs: 0, backfill: false } });
  for (const id of ["s0", "s1"]) {
    w.submit(id, "a", { gpus: 2 });
    w.run(id);
  }
  return w;
}

/** Whether a job that has waited so long goes before one that comes now and asks for ten minutes of one GPU. */
function goesFirst(asks: Record<string, unknown>, waitedMs: number): boolean {
  const w = busy();
  w.submit("waits", "a", { expected_time: "10h", ...asks });
  w.tick(waitedMs);
  w.submit("short", "a", { gpus: 1, expected_time: "10m" });
  const [waits, short] = ["waits", "short"].map((id) => jobOf(w, id));
  return before(w.state, waits!, short!, "aged-shortest");
}

describe("a job that has waited far longer than its backlog under aged-shortest", () => {
  it("[O3] goes first: on several nodes, after 1.75 times its backlog", () => {
    const gang = { gpus: 1, nodes: 2 }; // it alone would take 5 h of the 4 GPUs
    assert.equal(goesFirst(gang, 525 * minute), false);
    assert.equal(goesFirst(gang, 526 * minute), true);
  });

  it("[O3] goes first: with several GPUs of one node, after three times its backlog", () => {
    assert.equal(goesFirst({ gpus: 2 }, 15 * hour), false);
    assert.equal(goesFirst({ gpus: 2 }, 15 * hour + minute), true);
  });

  it("[O3] goes in its usual order where it asks for one GPU, or declares no run time", () => {
    assert.equal(goesFirst({ gpus: 1 }, 30 * hour), false);
    assert.equal(goesFirst({ gpus: 2, expected_time: undefined }, 30 * hour), false);
  });

  it("[O3] stays behind a higher priority", () => {
    const w = busy();
    w.submit("waits", "a", { gpus: 1, nodes: 2, expected_time: "10h" });
    w.tick(100 * hour);
    w.submit("urgent", "a", { gpus: 1, expected_time: "20h", priority: 1 });
    assert.equal(before(w.state, jobOf(w, "waits"), jobOf(w, "urgent"), "aged-shortest"), false);
  });
});
