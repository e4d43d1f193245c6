import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { replaceWhole } from "./lease/durable.ts";
import { leaseFile } from "./lease/folder.ts";
import { bareMachine } from "./limit/machine.fixture.ts";
import { examineMachine } from "./limit/machine.ts";
import { type Bench, openBench, orderOf, temporaryFolder } from "./order.fixture.ts";
import { argumentsOf, findProcess } from "./supervise/processes.ts";
import { startSupervisor } from "./supervise/start.ts";

const canary = "canary-5f3a9c-secret";
/** Everything must also hold where nothing is enforced. */
const machines = { "as this machine allows": examineMachine, "with nothing enforced": bareMachine };

function everyFile(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

function supervisorOf(bench: Bench, lease: string): number {
  return JSON.parse(readFileSync(join(bench.dir, "leases", lease, leaseFile.claim), "utf8")).pid;
}

/** Processes that run this very command line. */
function running(command: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && argumentsOf(Number(name)) === `${command.replaceAll(" ", "\0")}\0`)
    .map(Number)
    .filter((pid) => findProcess(pid) !== undefined);
}

/** A duration that no other test uses, to recognise a sleeping process by. */
let naps = 0;
function uniqueNap(): string {
  naps += 1;
  return `sleep ${100_000 + process.pid}.${naps}`;
}

for (const [name, examine] of Object.entries(machines)) {
  describe(`a member, ${name}`, () => {
    it("gets a clean environment with the names that other systems use, then its own, then its secrets", async (t) => {
      process.env.TESSERA_TEST_LEAK = "leaked";
      t.after(() => delete process.env.TESSERA_TEST_LEAK);
      const bench = await openBench(t, {}, examine);
      const order = orderOf('env; echo "HERE $(pwd)"; touch "$TMPDIR/x" && [ -z "$(ls -A)" ] && echo WRITABLE', {
        rank: 1,
        size: 2,
        gangNodes: ["virtual-0", "virtual-0"],
        gpuUuids: ["GPU-virtual-virtual-0-3", "GPU-virtual-virtual-0-4"],
        arrayIndex: 7,
        env: {
          PLAIN: 'it\'s "quoted" $HOME `x` \\n\nsecond line',
          RANK: "mine",
          UID: "77",
          TESS_RANK: "no",
        },
        secrets: { TOKEN: canary },
      });
      assert.equal((await bench.run(order)).code, 0);
      const text = await bench.text(order.lease);
      for (const line of [
        'PLAIN=it\'s "quoted" $HOME `x` \\n',
        "second line",
        "RANK=mine",
        "UID=77",
        "TOKEN=******",
        "TESS_RANK=1",
        "TESS_SIZE=2",
        "TESS_NODES=1",
        "TESS_INDEX=7",
        "LOCAL_RANK=1",
        "WORLD_SIZE=2",
        "SLURM_PROCID=1",
        "SLURM_NTASKS=2",
        "SLURM_ARRAY_TASK_ID=7",
        "SKYPILOT_NODE_RANK=1",
        "SKYPILOT_NUM_NODES=2",
        "CUDA_VISIBLE_DEVICES=GPU-virtual-virtual-0-3,GPU-virtual-virtual-0-4",
        "NVIDIA_VISIBLE_DEVICES=GPU-virtual-virtual-0-3,GPU-virtual-virtual-0-4",
        "WRITABLE",
      ]) {
        assert.ok(text.split("\n").includes(line), `${line} is missing in\n${text}`);
      }
      assert.match(text, /^MASTER_ADDR=[\d.]+$/m);
      assert.match(text, /^MASTER_PORT=\d+$/m);
      assert.notEqual(
        /^HOME=(.*)$/m.exec(text)?.[1],
        /^HERE (.*)$/m.exec(text)?.[1],
        "its home is apart from its work",
      );
      assert.ok(!text.includes("leaked"), "nothing of the server's own environment");
    });

    it("sees no GPU when it was given none", async (t) => {
      const bench = await openBench(t, {}, examine);
      const order = orderOf('echo "<$CUDA_VISIBLE_DEVICES>"');
      await bench.run(order);
      assert.equal(await bench.text(order.lease), "<>");
    });

    it("runs setup first, on its own stream, and fails when setup does", async (t) => {
      const bench = await openBench(t, {}, examine);
      const good = orderOf("cat made; echo running", { setup: "echo preparing; echo hello > made" });
      assert.equal((await bench.run(good)).code, 0);
      assert.deepEqual(
        (await bench.lines(good.lease)).map((line) => `${line.stream} ${line.text}`),
        ["setup preparing", "stdout hello", "stdout running"],
      );
      const bad = orderOf("echo running", { setup: "exit 9" });
      const end = await bench.run(bad);
      assert.deepEqual([end.code, end.reason], [9, "setup ended with code 9"]);
      assert.ok(!(await bench.text(bad.lease)).includes("running"));
    });

    it("begins in its workdir, or says that it cannot", async (t) => {
      const bench = await openBench(t, {}, examine);
      const good = orderOf("pwd", { workdir: "/usr/lib" });
      assert.equal((await bench.run(good)).code, 0);
      assert.equal(await bench.text(good.lease), "/usr/lib");
      const bad = orderOf("echo ran", { workdir: "/no/such folder" });
      const end = await bench.run(bad);
      assert.equal(end.code, 126);
      assert.match(end.reason!, /^workdir \/no\/such folder is not there for this job: there is no \/no; /);
      assert.ok(!(await bench.text(bad.lease)).split("\n").includes("ran"));
    });

    it("tells the signal that ended it as 128 plus its number", async (t) => {
      const bench = await openBench(t, {}, examine);
      assert.equal((await bench.run(orderOf("kill -USR1 $$"))).code, 138);
    });

    it("takes with it what it left in the background, also what left its session", async (t) => {
      const bench = await openBench(t, {}, examine);
      const [near, far] = [uniqueNap(), uniqueNap()];
      const order = orderOf(`${near} & (setsid ${far} >/dev/null 2>&1 &) ; sleep 0.2; exit 3`);
      assert.equal((await bench.run(order)).code, 3);
      assert.deepEqual([...running(near), ...running(far)], []);
    });

    it("is killed with everything it started when it does not listen", async (t) => {
      const bench = await openBench(t, {}, examine);
      const nap = uniqueNap();
      const order = orderOf(`trap '' TERM; (setsid ${nap} >/dev/null 2>&1 &); echo deaf; while :; do sleep 0.05; done`);
      await bench.start(order, "deaf");
      await bench.engine.stop(order.lease, { signal: "SIGTERM", graceMs: 200 });
      assert.equal((await bench.until(order.lease, "exited")).code, 137);
      assert.deepEqual(running(nap), []);
      assert.match(await bench.text(order.lease), /told to stop: SIGTERM, then 200 ms of grace/);
    });

    it("has its grace to save its work, and a later order can only shorten it", async (t) => {
      const bench = await openBench(t, {}, examine);
      const saves = orderOf(
        "trap 'echo saving; sleep 0.3; echo saved; exit 5' USR1; echo ready; while :; do sleep 0.05; done",
      );
      const hangs = orderOf("trap 'echo ignored' TERM; echo ready; while :; do sleep 0.05; done");
      for (const order of [saves, hangs]) {
        await bench.start(order, "ready");
      }
      await bench.engine.stop(saves.lease, { signal: "USR1", graceMs: 60_000 });
      assert.equal((await bench.until(saves.lease, "exited")).code, 5);
      assert.match(await bench.text(saves.lease), /saved/);
      await bench.engine.stop(hangs.lease, { signal: "SIGTERM", graceMs: 600_000 });
      await bench.untilPrinted(hangs.lease, "ignored");
      await bench.engine.stop(hangs.lease, { signal: "SIGTERM", graceMs: 600_000 });
      await bench.engine.stop(hangs.lease, { signal: "SIGTERM", graceMs: 0 });
      assert.equal((await bench.until(hangs.lease, "exited")).code, 137);
    });

    it("[S16] runs once when two supervisors are started for it", async (t) => {
      const bench = await openBench(t, {}, examine);
      const order = orderOf("echo ran; sleep 0.2");
      await bench.engine.bind(order);
      const ends: Promise<string>[] = [1, 2].map(
        () =>
          new Promise((resolve, reject) => {
            startSupervisor(join(bench.dir, "leases", order.lease), { secrets: {} }, undefined, resolve).catch(reject);
          }),
      );
      await bench.until(order.lease, "prepared");
      await bench.engine.release(order.lease);
      await bench.until(order.lease, "exited");
      assert.deepEqual(await Promise.all(ends), ["", ""], "the others leave without a word");
      assert.equal(await bench.text(order.lease), "ran");
      assert.deepEqual(
        bench.reports.map((report) => report.what.kind),
        ["prepared", "started", "exited"],
      );
    });

    it("is lost when its supervisor is killed, and nothing of it is left by then", async (t) => {
      const bench = await openBench(t, {}, examine);
      const [near, far] = [uniqueNap(), uniqueNap()];
      const order = orderOf(`(setsid ${far} >/dev/null 2>&1 &); echo up; ${near}`);
      await bench.start(order, "up");
      process.kill(supervisorOf(bench, order.lease), "SIGKILL");
      assert.match((await bench.until(order.lease, "lost")).reason, /supervisor is gone/);
      assert.deepEqual([...running(near), ...running(far)], []);
      assert.deepEqual(
        bench.reports.map((report) => report.sequence),
        [1, 2, 3],
      );
    });

    it("[S28] leaves no secret value in any file, argument or log", async (t) => {
      const bench = await openBench(t, {}, examine);
      const order = orderOf('echo "$TOKEN" >&2; printf "%s" "$TOKEN" | cut -c1-10; echo done; sleep 100000', {
        setup: 'echo "setup $TOKEN"',
        secrets: { TOKEN: canary, EMPTY: "" },
      });
      await bench.start(order, "done");
      const work = join(bench.dir, "work");
      const kept = everyFile(bench.dir).filter((file) => !file.startsWith(work));
      assert.ok(kept.length >= 4);
      for (const file of kept) assert.ok(!readFileSync(file, "latin1").includes(canary), `${file} holds the secret`);
      const supervisor = supervisorOf(bench, order.lease);
      for (const what of ["cmdline", "environ"]) {
        assert.ok(!readFileSync(`/proc/${supervisor}/${what}`, "latin1").includes(canary), `supervisor's ${what}`);
      }
      const shown = readdirSync("/proc").filter(
        (pid) => /^\d+$/.test(pid) && argumentsOf(Number(pid)).includes(canary),
      );
      assert.deepEqual(shown, [], "processes that show the secret in their arguments");
    });
  });
}

it("keeps the log of each member within its size while it runs on", async (t) => {
  const bench = await openBench(t, { logBytesMax: 80_000, logFilesMax: 4 });
  const order = orderOf("i=0; while [ $i -lt 5000 ]; do echo line $i; i=$((i+1)); done");
  await bench.run(order);
  const lines = await bench.lines(order.lease);
  assert.equal(lines.at(-1)?.text, "line 4999");
  assert.ok(lines.length < 5_000 && lines.length > 500, `${lines.length} lines are kept`);
  const bytes = everyFile(join(bench.dir, "logs")).reduce((sum, file) => sum + statSync(file).size, 0);
  assert.ok(bytes < 200_000, `${bytes} bytes are kept`);
});

it("is not held up by a reader that does not read", async (t) => {
  const bench = await openBench(t);
  const order = orderOf("seq 1 200000");
  await bench.engine.bind(order);
  await bench.until(order.lease, "prepared");
  const reader = bench.engine.logs(order.lease, { follow: true })[Symbol.asyncIterator]();
  await bench.engine.release(order.lease);
  assert.equal((await reader.next()).value?.text, "1");
  assert.equal((await bench.until(order.lease, "exited")).code, 0);
  await reader.return?.();
});

it("[S16] takes up a lease whose engine died before it started the supervisor, and starts it once", async (t) => {
  const [bound, stopped] = [orderOf("echo ran"), orderOf("echo ran")];
  const first = await openBench(t);
  for (const { lease } of [bound, stopped]) await mkdir(join(first.dir, "leases", lease));
  await first.engine.close();
  const bench = await openBench(t, { dir: first.dir });
  assert.deepEqual(
    (await bench.engine.list()).map(({ state, sequence }) => [state, sequence]),
    [
      ["held", 0],
      ["held", 0],
    ],
  );
  assert.equal((await bench.run(bound)).code, 0);
  await bench.engine.stop(stopped.lease, { signal: "SIGTERM", graceMs: 0 });
  assert.equal((await bench.until(stopped.lease, "exited")).ran, false);
  await bench.engine.bind(stopped);
  assert.equal(await bench.text(stopped.lease), "");
});

it("gives up a member of before a restart of the machine", async (t) => {
  const first = await openBench(t, {}, bareMachine);
  const order = orderOf("sleep 100000");
  const lease = join(first.dir, "leases", order.lease);
  await first.engine.bind(order);
  await first.until(order.lease, "prepared");
  await first.engine.stop(order.lease, { signal: "SIGTERM", graceMs: 0 });
  await first.until(order.lease, "exited");
  await first.engine.close();
  // The same folder as a machine would find it that lost power while the member was held.
  const claim = JSON.parse(readFileSync(join(lease, leaseFile.claim), "utf8"));
  await replaceWhole(join(lease, leaseFile.claim), JSON.stringify({ ...claim, bootId: "another-boot" }));
  const reports = readFileSync(join(lease, leaseFile.reports), "utf8").split("\n");
  await replaceWhole(join(lease, leaseFile.reports), `${reports[0]}\n{"torn`);
  const bench = await openBench(t, { dir: first.dir });
  assert.equal((await bench.until(order.lease, "lost")).reason, "the machine was restarted");
  assert.deepEqual(
    bench.reports.map((report) => report.sequence),
    [1, 2],
  );
});

it("does not outlive its folder: nobody could ever stop it again", async (t) => {
  const bench = await openBench(t);
  const nap = uniqueNap();
  const order = orderOf(`echo up; ${nap}`);
  await bench.start(order, "up");
  const supervisor = supervisorOf(bench, order.lease);
  await rm(join(bench.dir, "leases", order.lease), { recursive: true });
  while (findProcess(supervisor) !== undefined || (await bench.engine.list()).length > 0) await sleep(20);
  assert.deepEqual(running(nap), []);
});

it("refuses a script that no shell could be given, and says what to do", async (t) => {
  const bench = await openBench(t);
  const order = orderOf(`# ${"x".repeat(140_000)}\ntrue`);
  await bench.engine.bind(order);
  assert.match((await bench.until(order.lease, "refused")).reason, /run is longer than .* put it into a file/);
});

it("hears why a supervisor could not start", async (t) => {
  const folder = await temporaryFolder(t);
  const complaint = await new Promise<string>((resolve, reject) => {
    startSupervisor(folder, { secrets: { TOKEN: canary } }, undefined, resolve).catch(reject);
  });
  assert.match(complaint, /no such file.*order\.json/);
  assert.ok(!complaint.includes(canary));
});
