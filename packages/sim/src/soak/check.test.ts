import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { check, type Told, type ToldJob, type Verdict } from "./check.ts";
import { emptyHistory, type History, type Submission } from "./history.ts";
import { type Ran, readRuns } from "./truth.ts";

/** One job on one GPU that ran from 1 s to 2 s and returned 3, with records that agree. */
function sound(): { history: History; submission: Submission; ran: Ran[]; job: ToldJob; told: Told } {
  const submission: Submission = {
    ...{ key: "key-a", name: "a", body: {}, size: 1, members: 1 },
    answered: ["job_a", "job_a"],
    cancel: "not-asked",
  };
  const history = emptyHistory("soak0");
  history.submissions.push(submission);
  const ran = readRuns("job_a-1-0", "start 0 1000000000 GPU-1\nend 3 2000000000 GPU-1\n");
  const attempts = [{ attempt: 1, result: "failed", exitCode: 3 }];
  const job: ToldJob = { id: "job_a", name: "a", state: "ended", outcome: "failed", exitCode: 3, attempts };
  return { history, submission, ran, job, told: toldOf(job) };
}

function toldOf(job: ToldJob, change: Partial<Told> = {}): Told {
  return {
    jobs: new Map([[job.id, job]]),
    listed: [job],
    edits: new Map([["soak0", 0]]),
    usage: new Map([[job.id, 1_050 * 21_000]]),
    differenceUnitMs: 0,
    ...change,
  };
}

/** The counts of a verdict that are not 0. */
function counts({ faults: _, ...verdict }: Verdict): object {
  return Object.fromEntries(Object.entries(verdict).filter(([, count]) => count !== 0));
}

describe("the checker of the crash soak", () => {
  it("finds nothing where everybody agrees", () => {
    const { history, ran, told } = sound();
    assert.deepEqual(counts(check([history], ran, told)), {});
  });

  it("counts an acknowledged job that is unknown, unfinished, or ended otherwise than it really did", () => {
    const { history, ran, job } = sound();
    const lost = (changed: ToldJob | undefined) => {
      const told = toldOf(job, { jobs: new Map(changed === undefined ? [] : [[job.id, changed]]) });
      return check([history], ran, told).lost;
    };
    assert.equal(lost(undefined), 1);
    assert.equal(lost({ ...job, state: "running" }), 1);
    assert.equal(lost({ ...job, outcome: "succeeded" }), 1);
    assert.equal(lost({ ...job, outcome: "infra-failed" }), 1);
    assert.equal(lost({ ...job, outcome: "cancelled" }), 1);
  });

  it("[S22] counts a job that went its own way after its cancel was acknowledged", () => {
    const { history, submission, ran, told } = sound();
    submission.cancel = "acknowledged";
    assert.equal(check([history], ran, told).lost, 1);
    submission.cancel = "unsure";
    assert.equal(check([history], ran, told).lost, 0);
  });

  it("counts an edit that was acknowledged and is gone", () => {
    const { history, ran, told } = sound();
    history.edit = { asked: 5, acknowledged: 4 };
    assert.equal(check([history], ran, { ...told, edits: new Map([["soak0", 3]]) }).lost, 1);
    assert.equal(check([history], ran, { ...told, edits: new Map([["soak0", 5]]) }).lost, 0);
  });

  it("[S15] counts a key with two jobs, two jobs of one name, and a job that no client requested", () => {
    const { history, submission, ran, job, told } = sound();
    const other = { ...job, id: "job_b" };
    assert.equal(check([history], ran, { ...told, listed: [job, other] }).duplicated, 1);
    assert.equal(check([history], ran, { ...told, listed: [job, { ...other, name: "b" }] }).duplicated, 1);
    submission.answered.push("job_b");
    assert.equal(check([history], ran, told).duplicated, 1);
  });

  it("[S16] counts a member that was started twice", () => {
    const { history, told } = sound();
    const ran = readRuns("job_a-1-0", "start 0 1000000000 GPU-1\nstart 0 1500000000 GPU-1\nend 3 2000000000 GPU-1\n");
    assert.equal(check([history], ran, told).ranTwice, 1);
  });

  it("[S17] counts an attempt that begins before the one before it is over", () => {
    const { history, ran, told } = sound();
    const early = readRuns("job_a-2-0", "start 0 1900000000 GPU-2\nend 3 2900000000 GPU-2\n");
    const late = readRuns("job_a-2-0", "start 0 2000000000 GPU-2\nend 3 2900000000 GPU-2\n");
    assert.equal(check([history], [...ran, ...early], told).ranTwice, 1);
    assert.equal(check([history], [...ran, ...late], told).ranTwice, 0);
  });

  it("[S20] counts a job that was evicted and requeued twice or not at all, and one that no job might take", () => {
    const { history, submission, ran, job } = sound();
    const verdict = (results: readonly [number, string][], covered?: true) => {
      history.submissions.splice(0, 1, { ...submission, ...(covered && { covered }) });
      const attempts = results.map(([attempt, result]) => ({ attempt, result, exitCode: 3 }));
      const { lost, duplicated } = check([history], ran, toldOf({ ...job, attempts }));
      return [lost, duplicated];
    };
    const taken = [1, "preempted"] as [number, string];
    assert.deepEqual(verdict([taken, [2, "failed"]]), [0, 0]);
    assert.deepEqual(verdict([taken, [3, "failed"]]), [0, 1]);
    assert.deepEqual(verdict([taken]), [1, 0]);
    assert.deepEqual(verdict([taken, [2, "failed"]], true), [1, 0]);
    history.submissions.splice(0, 1, { ...submission, cancel: "acknowledged" });
    const attempts = [{ attempt: 1, result: "preempted", exitCode: 3 }];
    assert.equal(check([history], ran, toldOf({ ...job, attempts, outcome: "cancelled" })).lost, 0);
  });

  it("[S1] counts two members on one GPU at one time, whichever began first", () => {
    const { history, ran, told } = sound();
    const inside = readRuns("job_z-1-0", "start 0 1200000000 GPU-0,GPU-1\nend 0 1300000000 GPU-0,GPU-1\n");
    const after = readRuns("job_z-1-0", "start 0 2000000000 GPU-1\nend 0 2100000000 GPU-1\n");
    assert.equal(check([history], [...inside, ...ran], told).gpuOverlaps, 1);
    assert.equal(check([history], [...ran, ...after], told).gpuOverlaps, 0);
  });

  it("counts an exit code that is reported wrong, or not at all, or for a job that never ran", () => {
    const { history, ran, job } = sound();
    const lost = (changed: Partial<ToldJob>, really = ran) =>
      check([history], really, toldOf({ ...job, ...changed })).exitCodesLost;
    assert.equal(lost({ attempts: [{ attempt: 1, result: "failed", exitCode: 4 }] }), 1);
    assert.equal(lost({ attempts: [{ attempt: 1, result: "failed" }] }), 1);
    assert.equal(lost({}, []), 1);
  });

  it("takes the code of the member that failed by itself, and any code where all members were stopped", () => {
    const { history, submission, job } = sound();
    const gang = { ...submission, members: 2 };
    history.submissions.splice(0, 1, gang);
    const ran = [
      ...readRuns("job_a-1-0", "start 0 1000000000 GPU-1\nend 143 2000000000 GPU-1\n"),
      ...readRuns("job_a-1-1", "start 0 1000000000 GPU-2\nend 3 1900000000 GPU-2\n"),
    ];
    const lost = (result: string, exitCode: number) =>
      check([history], ran, toldOf({ ...job, attempts: [{ attempt: 1, result, exitCode }] })).exitCodesLost;
    assert.equal(lost("failed", 3), 0);
    assert.equal(lost("failed", 143), 1);
    assert.equal(lost("drain", 143), 0);
    assert.equal(lost("drain", 0), 1);
  });

  it("[S10] counts books that do not balance, and GPU time that was used and not metered", () => {
    const { history, ran, job, told } = sound();
    assert.equal(check([history], ran, { ...told, differenceUnitMs: -21_001 }).unbalancedMs, 2);
    assert.equal(check([history], ran, toldOf(job, { usage: new Map([["job_a", 990 * 21_000]]) })).unbalancedMs, 10);
  });
});
