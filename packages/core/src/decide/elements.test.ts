import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isRefusal } from "../journal/refusal.ts";
import type { JobId } from "../model/ids.ts";
import type { JobArray } from "../model/job.ts";
import { minute } from "../model/units.ts";
import { apply } from "../state/apply/apply.ts";
import { emptyState } from "../state/empty.ts";
import { readSnapshot, writeSnapshot } from "../state/snapshot/snapshot.ts";
import { unmadeById, unmadeCount } from "../state/unmade.ts";
import { jobId, World } from "../testing/world.ts";
import { jobsAheadOf } from "../why/jobs-ahead.ts";

/** An array of 250 elements on two GPUs. */
function longArray(raw: { array?: string } = {}): World {
  const w = new World().nodes(["n0", "H100:2"]).account("lab");
  w.submit("a", "lab", { gpus: 1, array: "1-250", ...raw });
  return w;
}

const arrayOf = (w: World): JobArray => w.state.arrayById.get(jobId("a"))!;
const element = (index: number) => `${jobId("a")}.${index}` as JobId;
const madeOf = (w: World) => [...w.state.jobs.values()].filter((job) => job.array === arrayOf(w)?.no);
const runningOf = (w: World) => madeOf(w).filter((job) => job.state !== "waiting");
const waitingOf = (w: World) => w.state.load.ofTenant(w.state.accountByPath.get("lab")!.no).waiting;

/** Ends what runs, as often as this. */
function endRunning(w: World, times = 1): void {
  for (let i = 0; i < times; i++)
    for (const { id } of runningOf(w)) {
      const name = id.slice("job_".length);
      w.run(name);
      w.exit(name, 0);
    }
}

describe("the elements of a long array", () => {
  it("[O5] are made as earlier ones start, in their order, and count as waiting before", () => {
    const w = longArray();
    assert.deepEqual([madeOf(w).length, runningOf(w).map(({ index }) => index)], [102, [1, 2]]);
    assert.deepEqual([waitingOf(w), unmadeCount(arrayOf(w)), arrayOf(w).live], [248, 148, 250]);
    endRunning(w, 10);
    assert.deepEqual([madeOf(w).length, runningOf(w).map(({ index }) => index)], [102, [21, 22]]);
    assert.deepEqual([waitingOf(w), unmadeCount(arrayOf(w)), arrayOf(w).succeeded], [228, 128, 20]);
    endRunning(w, 114);
    assert.deepEqual([unmadeCount(arrayOf(w)), arrayOf(w).later, arrayOf(w).live], [0, undefined, 2]);
    endRunning(w);
    assert.deepEqual([w.state.arrays.size, waitingOf(w), w.state.accountByPath.get("lab")!.liveJobs], [0, 0, 0]);
  });

  it("[O5] give the same state from the journal and from a snapshot, at every step", () => {
    const w = longArray({ array: "1-400:2,900" });
    const again = () => {
      const replayed = emptyState();
      for (const event of w.events) apply(replayed, event);
      const text = writeSnapshot(w.state);
      assert.equal(writeSnapshot(replayed), text);
      const read = readSnapshot(text);
      assert.equal(writeSnapshot(read), text);
      const { no } = w.state.accountByPath.get("lab")!;
      assert.deepEqual(read.load.ofTenant(no), w.state.load.ofTenant(no));
    };
    again();
    endRunning(w, 3);
    w.must({ kind: "job.cancel", job: element(399) });
    w.must({ kind: "job.hold", job: element(900) });
    again();
    w.must({ kind: "job.hold", job: jobId("a") });
    again();
    w.must({ kind: "job.cancel", job: jobId("a") });
    again();
  });

  it("[O5] are all made at once in a journal from before", () => {
    const w = longArray();
    const [submitted] = w.events.filter((event) => event.kind === "job-submitted");
    const { window: _, ...old } = submitted!;
    const state = emptyState();
    for (const event of w.events) {
      if (event === submitted) break;
      apply(state, event);
    }
    apply(state, old);
    assert.equal([...state.jobs.values()].length, 250);
    assert.equal(state.arrayById.get(jobId("a"))!.later, undefined);
  });

  it("[O5] can be cancelled, held and released one by one before they are made", () => {
    const w = longArray();
    w.must({ kind: "job.cancel", job: element(200) });
    assert.equal(unmadeById(w.state, element(200)), undefined);
    assert.deepEqual([arrayOf(w).live, unmadeCount(arrayOf(w)), waitingOf(w)], [249, 147, 247]);
    const again = w.do({ kind: "job.cancel", job: element(200) });
    assert.ok(isRefusal(again) && again.detail === "has ended");
    w.must({ kind: "job.hold", job: element(150) });
    assert.equal(w.state.jobById.get(element(150))!.held, true);
    w.must({ kind: "job.release", job: element(150) });
    assert.equal(w.state.jobById.get(element(150))!.held, false);
    assert.deepEqual([unmadeCount(arrayOf(w)), waitingOf(w)], [146, 247]);
    endRunning(w, 125);
    assert.equal(w.state.arrays.size, 0, "no element was made twice or left out");
  });

  it("[O5] go on when those that are made are held by themselves, or wait to be tried again", () => {
    const w = longArray();
    for (const { id } of madeOf(w)) if (id !== element(1)) w.do({ kind: "job.hold", job: id });
    endRunning(w, 2);
    assert.deepEqual(
      runningOf(w).map(({ index }) => index),
      [105, 106],
    );
  });

  it("[O5] are held and released with their array", () => {
    const w = longArray();
    w.must({ kind: "job.hold", job: jobId("a") });
    endRunning(w, 1);
    assert.deepEqual([runningOf(w).length, madeOf(w).length, unmadeById(w.state, element(250))!.held], [0, 100, true]);
    w.must({ kind: "job.release", job: element(240) });
    assert.deepEqual(
      runningOf(w).map(({ index }) => index),
      [240],
    );
    w.must({ kind: "job.release", job: jobId("a") });
    assert.deepEqual([runningOf(w).length, unmadeById(w.state, element(250))!.held], [2, false]);
    w.must({ kind: "job.suspend", job: jobId("a") });
    assert.deepEqual([...new Set(madeOf(w).map(({ held }) => held))], [true]);
  });

  it("[O5] end with their array, each with its own record, and with the deadline", () => {
    for (const end of ["cancel", "deadline"] as const) {
      const w = longArray();
      if (end === "cancel") w.must({ kind: "job.cancel", job: jobId("a") });
      else {
        const { spec } = arrayOf(w);
        w.must({ kind: "job.edit", job: jobId("a"), spec: { ...spec, deadlineAt: w.now + minute } });
        w.tick(minute);
      }
      const ended = w.events.filter((event) => event.kind === "job-ended");
      assert.deepEqual([ended.length, new Set(ended.map(({ job }) => job)).size], [248, 248], end);
      assert.deepEqual([waitingOf(w), arrayOf(w).live, arrayOf(w).later], [0, 2, undefined], end);
    }
  });

  it("[O5] are made with what an edit of their array asks for", () => {
    const w = longArray();
    const { spec } = arrayOf(w);
    w.must({ kind: "job.edit", job: jobId("a"), spec: { ...spec, maxTimeMs: minute } });
    assert.equal(unmadeById(w.state, element(250))!.spec.maxTimeMs, minute);
    w.must({ kind: "job.edit", job: element(250), spec: { ...spec, maxTimeMs: minute / 2 } });
    assert.equal(w.state.jobById.get(element(250))!.spec.maxTimeMs, minute / 2);
  });

  it("[O5] end where a job that they run after does not succeed, and start where it does", () => {
    for (const code of [0, 1]) {
      const w = new World().nodes(["n0", "H100:2"]).account("lab");
      w.submit("first", "lab", { gpus: 1 });
      w.submit("a", "lab", { gpus: 1, array: "1-250", after: [{ job: jobId("first"), when: "succeeded" }] });
      assert.equal(runningOf(w).length, 0);
      w.run("first");
      w.exit("first", code);
      if (code === 1) assert.deepEqual([w.state.arrays.size, w.state.jobs.size, waitingOf(w)], [0, 0, 0]);
      else assert.deepEqual([runningOf(w).length, unmadeById(w.state, element(250))!.waitsFor], [2, 0]);
    }
  });

  it("[O5] can be run after before they are made", () => {
    const w = longArray();
    w.submit("last", "lab", { gpus: 1, after: [{ job: element(250), when: "ended" }] });
    endRunning(w, 124);
    assert.equal(w.job("last").waitsFor, 1);
    endRunning(w, 1);
    assert.equal(w.job("last").state, "starting");
  });

  it("[W2] count among the jobs ahead", () => {
    const w = longArray();
    w.submit("behind", "lab", { gpus: 1 });
    const { own } = jobsAheadOf(w.state, w.job("behind"));
    assert.equal(own.guaranteed + own.burst, 248);
    const last = jobsAheadOf(w.state, unmadeById(w.state, element(250))!).own;
    assert.equal(last.guaranteed + last.burst, 247);
  });
});
