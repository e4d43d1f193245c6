import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { describe, it, type TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { LogWriter, maskerOf } from "@tessera/engine/log";
import { stateFolder } from "../lease/folder.ts";
import type { Means } from "../limit/closet.ts";
import { bareMachine, isRoot } from "../limit/machine.fixture.ts";
import { examineMachine, type Machine } from "../limit/machine.ts";
import { Networks } from "../limit/network/networks.ts";
import { planRun } from "../limit/plan.ts";
import { atEnd, openBench, orderOf, temporaryFolder } from "../order.fixture.ts";
import { environmentOf } from "./environment.ts";
import { initDescriptor, initScript, initSettings } from "./init.ts";
import { type Step, startStep } from "./job.ts";
import { MemberNetwork } from "./network/member-network.ts";
import { prepare } from "./prepare.ts";
import { endTree } from "./tree.ts";

type Examine = (folder: string) => Promise<Machine>;

/** Every way to close a job in that this process may use; the first two may come to the same. */
const ways: { readonly [name: string]: Examine } = {
  "as this machine allows": examineMachine,
  ...(isRoot && {
    "with util-linux alone": (folder: string) => examineMachine(folder, ["bwrap"]),
    "as another user alone": (folder: string) => examineMachine(folder, ["bwrap", "unshare"]),
  }),
  "with nothing": bareMachine,
};
const namespaced: readonly Means[] = ["bwrap", "unshare"];

/** Prints `saved` half a second after the signal. */
const saver = `sh -c 'trap "sleep 0.5; echo saved; exit 0" TERM; echo up; while :; do sleep 0.05; done'`;

for (const [name, examine] of Object.entries(ways)) {
  describe(`the init, ${name}`, { concurrency: true }, () => {
    it("leaves the grace to children and grandchildren of a shell that the signal ends", async (t) => {
      const bench = await openBench(t, {}, examine);
      const lines = [`echo a; ${saver}; echo after`, `sh -c "$INNER; true"; echo after`];
      const orders = lines.map((run) => orderOf(run, { env: { INNER: saver } }));
      for (const order of orders) await bench.start(order, "up");
      for (const { lease } of orders) await bench.engine.stop(lease, { signal: "SIGTERM", graceMs: 20_000 });
      for (const { lease } of orders) {
        assert.equal((await bench.until(lease, "exited")).code, 143);
        const text = await bench.text(lease);
        assert.match(text, /\bsaved\b/);
        assert.doesNotMatch(text, /after/, "the shell runs no next command");
      }
    });

    it("gives the command plain signals, no input and none of its own descriptors", async (t) => {
      const bench = await openBench(t, {}, examine);
      const order = orderOf(
        [
          "grep -E '^Sig(Ign|Blk)' /proc/self/status",
          "readlink /proc/self/fd/0",
          "for fd in 3 4 5 6 7 8 9; do [ ! -e /proc/$$/fd/$fd ] || echo open $fd; done",
        ].join("\n"),
      );
      assert.equal((await bench.run(order)).code, 0);
      const lines = (await bench.text(order.lease)).split("\n");
      assert.deepEqual(lines, ["SigBlk:\t0000000000000000", "SigIgn:\t0000000000000000", "/dev/null"]);
    });

    it("lets the command use shared memory", async (t) => {
      const bench = await openBench(t, {}, examine);
      const order = orderOf(
        "echo hello > /dev/shm/$TESS_MEMBER && cat /dev/shm/$TESS_MEMBER && rm /dev/shm/$TESS_MEMBER",
      );
      assert.equal((await bench.run(order)).code, 0);
    });

    it("works as before when the environment has the names that it uses itself", async (t) => {
      const bench = await openBench(t, {}, examine);
      const env = {
        script: "exit 9",
        folder: "/",
        door: "/",
        TMOUT: "1",
        PATH: "/nowhere",
        signalled: "1",
        number: "2",
      };
      const order = orderOf('echo "$script $PATH"', { env });
      assert.equal((await bench.run(order)).code, 0);
      assert.equal(await bench.text(order.lease), "exit 9 /nowhere");
    });

    it("survives a signal that the command sends to everything around it", async (t) => {
      const bench = await openBench(t, {}, examine);
      assert.equal(
        (await bench.run(orderOf("trap '' TERM INT; kill -TERM 0; kill -INT 0; sleep 0.2; exit 4"))).code,
        4,
      );
    });

    it("starts a session with the environment of the command and takes in its orphans", async (t) => {
      const { step, door, machine, untilSaid } = await startBare(t, examine, "exec sleep 1000");
      const session = "grep -E '^SigIgn' /proc/self/status; echo \"$MARK in $(pwd)\"; id -u; sleep 0.05 & exit 0";
      await writeFile(join(door, "7"), `exec >out 2>&1\n${session}\n`);
      await chmod(join(door, "7"), 0o644);
      step.session(7);
      const out = await untilSaid("out", 3);
      assert.match(out, /SigIgn:\t0000000000000000\nmark's "own" in .*work\n\d+\n/);
      if (isRoot && machine.means !== "nothing") assert.doesNotMatch(out, /^0$/m);
      if (!namespaced.includes(machine.means)) return;
      await sleep(200);
      const children = readFileSync(`/proc/${step.root!.pid}/task/${step.root!.pid}/children`, "utf8").trim();
      const orphans = readFileSync(`/proc/${children}/task/${children}/children`, "utf8").trim().split(" ");
      assert.equal(orphans.length, 2, "nothing but its own two processes: orphans are reaped");
    });
  });
}

it("knows its own processes although a signal ends the child that tells their numbers", async (t) => {
  const folder = await temporaryFolder(t);
  const thrice = "self() { for n in 1 2 3; do mkdir told-$n 2>/dev/null && exec /bin/sh -c 'kill $$'; done;";
  const script = initScript.replace("self() {", () => thrice);
  assert.ok(script.includes(thrice));
  const child = spawn("/bin/sh", ["-c", script], { stdio: ["pipe", "ignore", "ignore", "ignore", "pipe", "pipe"] });
  const stream = (place: number) => (child.stdio as readonly unknown[])[place];
  const settings = initSettings({ folder, door: folder, script: "exit 3", environment: {} });
  (stream(initDescriptor.settings) as Writable).end(settings);
  const lines: string[] = [];
  for await (const line of createInterface({ input: stream(initDescriptor.status) as Readable })) {
    lines.push(line.replace(/\b\d{2,}$/, "N"));
    if (lines.length === 3) child.stdin!.end();
  }
  assert.deepEqual(lines.sort(), ["end 3", "go N", "keeper N"]);
});

it("ends the job as killed when the command kills the process that waits for it", async (t) => {
  const bench = await openBench(t);
  const end = await bench.run(orderOf("kill -9 $PPID; sleep 1000"));
  assert.equal(end.code, 137);
});

/** A step without a supervisor around it. */
async function startBare(t: TestContext, examine: Examine, run: string) {
  const root = await temporaryFolder(t);
  const state = stateFolder(root);
  for (const folder of Object.values(state)) await mkdir(folder, { recursive: true, mode: 0o711 });
  const machine = await examine(root);
  await chmod(root, 0o711);
  const user = machine.isRoot ? { user: 200_000 } : {};
  const { secrets, ...order } = orderOf(run, { env: { MARK: `mark's "own"` } });
  const network = await new Networks(state, "", undefined).join({ ...order });
  const log = { logBytesMax: 1 << 20, logFilesMax: 2 };
  const sheet = planRun(order, { state, bootId: "", machine, ...user, gpuDevices: {}, hidden: [], network, ...log });
  await mkdir(sheet.logFolder, { recursive: true });
  const prepared = await prepare(sheet, new MemberNetwork(sheet.network, sheet.order.lease));
  assert.equal(prepared.kind, "prepared");
  const writer = new LogWriter(sheet.logFolder, sheet.logBytesMax, sheet.logFilesMax);
  const step: Step = startStep(sheet, run, environmentOf(sheet, secrets), {
    writer,
    masker: maskerOf([]),
    setup: false,
  });
  atEnd(t, async () => {
    await endTree({ mark: sheet.mark, groups: sheet.groups, root: step.root!, contained: sheet.contained });
    await step.drained;
    writer.close();
  });
  return {
    step,
    machine,
    door: sheet.doorFolder,
    /** Waits until a file in its work folder has this many lines. */
    async untilSaid(file: string, lines: number): Promise<string> {
      for (;;) {
        const text = readIfThere(join(sheet.workFolder, file));
        if (text.split("\n").length > lines) return text;
        await sleep(20);
      }
    },
  };
}

function readIfThere(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
