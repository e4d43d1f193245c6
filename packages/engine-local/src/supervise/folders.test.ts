import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { type JobId, leaseIdOf } from "@tessera/core";
import { bareMachine, isRoot } from "../limit/machine.fixture.ts";
import { examineMachine } from "../limit/machine.ts";
import { openBench, orderOf, temporaryFolder } from "../order.fixture.ts";

const machines = { "as this machine allows": examineMachine, "with nothing enforced": bareMachine };

for (const [name, examine] of Object.entries(machines)) {
  describe(`the folders of a job, ${name}`, () => {
    it("survive attempts where $TESS_CHECKPOINT says, are shared by the gang, and belong to the job alone", async (t) => {
      const bench = await openBench(t, {}, examine);
      const job = "job_keeps" as JobId;
      const member = (attempt: number, rank: number, run: string) =>
        orderOf(run, { job, attempt, rank, size: 2, lease: leaseIdOf(job, attempt, rank) });
      const first = member(1, 0, 'echo step 7 > "$TESS_CHECKPOINT/state"; echo x > "$TESS_OUT/x"; ls -A "$TESS_OUT"');
      assert.equal((await bench.run(first)).code, 0);
      assert.equal(await bench.text(first.lease), "x");
      const beside = member(1, 1, 'cat "$TESS_CHECKPOINT/state"; ls -A "$TESS_OUT"');
      await bench.run(beside);
      assert.equal(await bench.text(beside.lease), "step 7", "the gang shares it, and each member has its own output");
      await bench.engine.acknowledge(first.lease, 3);
      const second = member(2, 0, 'cat "$TESS_CHECKPOINT/state"; ls -A "$TESS_OUT" .');
      await bench.run(second);
      assert.equal((await bench.text(second.lease)).split("\n")[0], "step 7");
      const other = orderOf('ls -A "$TESS_CHECKPOINT"; echo end');
      await bench.run(other);
      assert.equal(await bench.text(other.lease), "end");
      await bench.engine.sweep(() => false);
      assert.ok(existsSync(join(bench.dir, "jobs", job, "checkpoint")), "and it stays a while after the end");
    });
  });
}

it("stops a job whose folders hold more than its scratch, and says so", async (t) => {
  const bench = await openBench(t);
  const limits = { cpusMilli: 0, memoryMiB: 0, processesMax: 0, runMsMax: 0, scratchMiB: 4 };
  const order = orderOf("trap 'exit 0' TERM; head -c 6000000 /dev/zero > big; while :; do sleep 0.1; done", { limits });
  const end = await bench.run(order);
  assert.equal(end.limit, "scratch");
  assert.match(end.reason!, /hold 6 MiB, more than its limit of 4 MiB/);
  assert.notEqual(end.code, 0, "also where it leaves politely");
  assert.match((await bench.until(order.lease, "prepared")).enforcement.scratch!, /measured/);
});

describe("in a mount namespace", { skip: !isRoot && "needs root" }, () => {
  it("gives /dev/shm the size that was asked for", async (t) => {
    const bench = await openBench(t);
    const limits = { cpusMilli: 0, memoryMiB: 0, processesMax: 0, runMsMax: 0, shmMiB: 3 };
    const order = orderOf("df -k /dev/shm | tail -1", { limits });
    await bench.run(order);
    assert.match(await bench.text(order.lease), /\s3072\s/);
  });

  it("never gives away what a link of an earlier attempt points to", async (t) => {
    const bench = await openBench(t);
    const outside = await temporaryFolder(t);
    const job = "job_links" as JobId;
    const first = orderOf("true", { job, lease: leaseIdOf(job, 1, 0) });
    await bench.run(first);
    const folder = join(bench.dir, "jobs", job);
    assert.equal(statSync(folder).uid, 0, "the job cannot rename its checkpoint folder");
    assert.ok(statSync(join(folder, "checkpoint")).uid >= 200_000);
    rmSync(join(folder, "checkpoint"), { recursive: true });
    mkdirSync(join(outside, "kept"));
    symlinkSync(join(outside, "kept"), join(folder, "checkpoint"));
    const second = orderOf("true", { job, attempt: 2, lease: leaseIdOf(job, 2, 0) });
    await bench.engine.bind(second);
    assert.match((await bench.until(second.lease, "refused")).reason, /is not a folder/);
    assert.equal(statSync(join(outside, "kept")).uid, 0);
    assert.deepEqual(readdirSync(join(outside, "kept")), []);
  });
});
