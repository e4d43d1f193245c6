import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { hour, minute } from "../model/units.ts";
import { readSnapshot, writeSnapshot } from "../state/snapshot/snapshot.ts";
import { jobId, World } from "../testing/world.ts";
import { outlookOf } from "../why/outlook.ts";
import { reasonFor } from "../why/reason-for.ts";

/** Eight GPUs on two nodes, and an account whose past runs of `train` took these minutes. */
function practised(...minutes: number[]): World {
  const w = new World().nodes(["n0", "H100:4"], ["n1", "H100:4"]).account("lab").account("other");
  for (const [i, each] of minutes.entries()) {
    w.submit(`past${i}`, "lab", { name: "train" });
    w.run(`past${i}`).tick(each * minute);
    w.exit(`past${i}`, 0);
  }
  return w;
}

const jobOf = (w: World, id: string) => w.state.jobById.get(jobId(id))!;
const plannedAt = (w: World, id: string) => w.memory.startsAt.get(jobOf(w, id));

describe("the run time of a job that declares none", () => {
  it("[B1] is what four of five of its user, account and name took", () => {
    const w = practised(10, 20, 30, 40, 90);
    w.submit("a", "lab", { name: "train", gpus: 4 });
    w.submit("b", "lab", { name: "train", gpus: 4 });
    for (const id of ["a", "b"]) w.run(id);
    w.submit("wide", "other", { nodes: 2, gpus: 4 });
    assert.equal(plannedAt(w, "wide"), w.now + 40 * minute);
  });

  it("[B1] is not known from fewer than three, from another name, user or account, or without a name", () => {
    for (const [name, account] of [
      ["train", "other"],
      ["else", "lab"],
      [undefined, "lab"],
    ] as const) {
      const w = practised(10, 10, 10);
      w.submit("a", account, { ...(name !== undefined && { name }), gpus: 4 });
      w.run("a").submit("wide", "other", { nodes: 2, gpus: 4 });
      assert.equal(plannedAt(w, "wide"), undefined);
    }
    const few = practised(10, 10);
    few.submit("a", "lab", { name: "train", gpus: 4 });
    few.run("a").submit("wide", "other", { nodes: 2, gpus: 4 });
    assert.equal(plannedAt(few, "wide"), undefined);
  });

  it("[B1] is half as long again once the job has run longer, as often as necessary", () => {
    const w = practised(40, 40, 40);
    w.submit("a", "lab", { name: "train", gpus: 4 });
    const begun = w.now;
    w.run("a").submit("wide", "other", { nodes: 2, gpus: 4 });
    assert.equal(plannedAt(w, "wide"), begun + 40 * minute);
    const at = () => outlookOf(w.state, jobOf(w, "wide"), w.now);
    w.tick(40 * minute);
    assert.deepEqual(at(), { when: "later", at: begun + 60 * minute, nodes: [0, 1], guessed: true });
    w.tick(20 * minute);
    assert.deepEqual(at(), { when: "later", at: begun + 90 * minute, nodes: [0, 1], guessed: true });
  });

  it("[B1] is its limit where it has one, whatever past runs took", () => {
    const w = practised(10, 10, 10);
    w.submit("a", "lab", { name: "train", gpus: 4, max_time: "2h" });
    w.run("a").submit("wide", "other", { nodes: 2, gpus: 4 });
    assert.equal(plannedAt(w, "wide"), w.now + 2 * hour);
  });

  it("[B2] decides whether it may start before a plan begins", () => {
    const w = practised(10, 10, 10);
    w.submit("wall", "other", { gpus: 4, max_time: "1h" });
    w.run("wall").submit("wide", "other", { nodes: 2, gpus: 4 });
    w.submit("unknown", "lab", { name: "new", gpus: 2 });
    w.submit("short", "lab", { name: "train", gpus: 2 });
    assert.deepEqual([w.stateOf("unknown"), w.stateOf("short")], ["waiting", "starting"]);
    assert.equal(reasonFor(w.state, jobOf(w, "unknown"), w.now).kind, "order");
  });

  it("[S26] is the same after a restart", () => {
    const w = practised(10, 20, 30);
    w.submit("a", "lab", { name: "train", gpus: 4 });
    w.run("a").tick(7 * minute);
    const back = readSnapshot(writeSnapshot(w.state));
    assert.equal(writeSnapshot(back), writeSnapshot(w.state));
    const endings = (state: World["state"]) => state.endings.inOrder(w.now).map(({ at, job }) => [at, job.id]);
    assert.deepEqual(endings(back), endings(w.state));
    assert.equal(endings(back).length, 1);
  });
});
