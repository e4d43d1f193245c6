import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { needOf } from "../fleet/fit.ts";
import type { NodeNo } from "../model/ids.ts";
import { hour } from "../model/units.ts";
import { jobId, World } from "../testing/world.ts";
import { FutureRoom } from "./future-room.ts";
import { PlanList } from "./plan-list.ts";
import { endOf } from "./run-time.ts";

const jobOf = (w: World, id: string) => w.state.jobById.get(jobId(id))!;

/** A node of four GPUs, two of them held for an hour and two for two hours; a job waits for all four. */
function world(): World {
  const w = new World().nodes(["n", "H100:4"]).account("lab");
  w.submit("hour", "lab", { gpus: 2, max_time: "1h" });
  w.submit("two", "lab", { gpus: 2, max_time: "2h" });
  w.run("hour").run("two").submit("wide", "lab", { gpus: 4, max_time: "1h" });
  return w;
}

function roomFor(w: World, id: string): FutureRoom {
  const job = jobOf(w, id);
  const plans = new PlanList(w.state, w.now, endOf);
  const room = new FutureRoom(plans, { job, choice: 0, need: needOf(job.spec, 0, 0, undefined), isPart: false });
  room.countAll();
  return room;
}

const membersOf = (room: FutureRoom) => [...(room.spread()?.values() ?? [])];

describe("room at a later instant", () => {
  it("[B1] grows with each job that has ended by then", () => {
    const w = world();
    const room = roomFor(w, "wide");
    assert.deepEqual(membersOf(room), []);
    room.moveTo(w.now + hour);
    room.end(jobOf(w, "hour"));
    assert.deepEqual(membersOf(room), []);
    room.moveTo(w.now + 2 * hour);
    room.end(jobOf(w, "two"));
    assert.deepEqual(membersOf(room), [1]);
    const { takes, spare, parts } = room.reserve(room.spread()!);
    assert.deepEqual([...takes.values()], [{ gpus: 4, cpusMilli: 0, memoryMiB: 0 }]);
    assert.deepEqual([spare.get(0 as NodeNo)!.gpus, parts.size], [0, 0]);
  });

  it("[T1] counts GPUs that could be reclaimed, and leaves them again", () => {
    const w = world();
    const room = roomFor(w, "wide");
    room.moveTo(w.now + hour);
    room.end(jobOf(w, "hour"));
    room.reclaim(new Map([[0 as NodeNo, 2]]));
    assert.deepEqual([membersOf(room), room.isReclaiming], [[1], true]);
    room.reclaimNothing();
    assert.deepEqual([membersOf(room), room.isReclaiming], [[], false]);
  });

  it("[B5] has none on a node that goes out of use before the job would end", () => {
    const w = world();
    const window = { from: w.now + 150 * 60_000, to: w.now + 4 * hour, reason: "new driver" };
    w.must({ kind: "node.maintenance", node: "n", window });
    const room = roomFor(w, "wide");
    room.moveTo(w.now + 2 * hour);
    room.end(jobOf(w, "hour"));
    room.end(jobOf(w, "two"));
    assert.deepEqual(membersOf(room), []);
    room.moveTo(w.now + 4 * hour);
    room.count(0);
    assert.deepEqual(membersOf(room), [1]);
  });

  it("moves forward only, and reserves seats for every member", () => {
    const w = world();
    const room = roomFor(w, "wide");
    room.moveTo(w.now + hour);
    assert.throws(() => room.moveTo(w.now), /not in order/);
    assert.throws(() => room.reserve(new Map()), /every member/);
  });
});
