import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { LeaseId } from "@tessera/core";
import { markVariable } from "../supervise/processes.ts";
import { MemberMeter } from "./members.ts";
import { ownerOf } from "./process-usage.ts";

const skip = !existsSync("/proc/self/io") && "there is no /proc here";

/** A process that belongs to a member by its mark. */
function start(t: TestContext, mark: string, script: string) {
  const child = spawn(process.execPath, ["-e", script], { env: { [markVariable]: mark }, stdio: "ignore" });
  t.after(() => child.kill("SIGKILL"));
  return child;
}

describe("members in a control group", { skip }, () => {
  it("are measured by what the group counts, ended processes included", async (t) => {
    const folder = await mkdtemp(join(tmpdir(), "tessera-member-"));
    t.after(() => rm(folder, { recursive: true, force: true }));
    const count = async (cpuUs: number, bytes: number) => {
      await writeFile(join(folder, "cpu.stat"), `usage_usec ${cpuUs}\n`);
      await writeFile(join(folder, "io.stat"), `8:0 rbytes=${bytes} wbytes=${2 * bytes} rios=1 wios=1\n`);
    };
    await writeFile(join(folder, "cgroup.procs"), `${process.pid}\n`);
    await writeFile(join(folder, "memory.current"), String(3 * 2 ** 20));
    await count(5_000_000, 1_000);
    let now = 0;
    const meter = new MemberMeter(() => now);
    const members = [{ lease: "one" as LeaseId, mark: "none", groups: [{ folder }] }];
    assert.deepEqual(await meter.read(members, 7), [{ lease: "one", at: 7, memoryMiB: 3 }]);
    now = 2_000;
    await count(8_000_000, 5_000);
    assert.deepEqual(await meter.read(members, 8), [
      { lease: "one", at: 8, memoryMiB: 3, cpusMilli: 1_500, read: 2_000, written: 4_000 },
    ]);
  });
});

describe("members without a control group", { skip }, () => {
  it("are measured by their processes: one that computes, one that waits", async (t) => {
    const [hot, cold] = [randomUUID(), randomUUID()];
    start(t, hot, "const held = Buffer.alloc(64 << 20, 1); for (;;) held[0]++");
    start(t, cold, "setInterval(() => {}, 1000)");
    const members = [
      { lease: "hot" as LeaseId, mark: hot, groups: [] },
      { lease: "cold" as LeaseId, mark: cold, groups: [] },
    ];
    const meter = new MemberMeter();
    while ((await meter.read(members, 0)).length < 2) await sleep(20);
    await sleep(300);
    await meter.read(members, 1);
    await sleep(500);
    const [busy, idle] = await meter.read(members, 2);
    assert.equal(busy?.lease, "hot");
    assert.ok(busy.cpusMilli! > 5 * idle!.cpusMilli!, `${busy.cpusMilli} is not much more than ${idle!.cpusMilli}`);
    assert.ok(busy.cpusMilli! <= 1_500, `${busy.cpusMilli} is more than one thread can use`);
    assert.ok(busy.memoryMiB! > 64);
    assert.equal(busy.at, 2);
  });

  it("[S35] have no rates before there are two readings, and no sample when they are gone", async (t) => {
    const mark = randomUUID();
    const child = start(t, mark, "setInterval(() => {}, 1000)");
    const members = [{ lease: "one" as LeaseId, mark, groups: [] }];
    const meter = new MemberMeter();
    let first = await meter.read(members, 0);
    while (first.length === 0) first = await meter.read(members, 0);
    assert.deepEqual(Object.keys(first[0]!), ["lease", "at", "memoryMiB"]);
    const gone = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGKILL");
    await gone;
    assert.deepEqual(await meter.read(members, 1), []);
  });

  it("own their processes, and no others", async (t) => {
    const mark = randomUUID();
    const child = start(t, mark, "setInterval(() => {}, 1000)");
    while ((await ownerOf(child.pid!, new Set([mark]))) !== mark) await sleep(20);
    assert.equal(await ownerOf(process.pid, new Set([mark])), undefined);
    assert.equal(await ownerOf(child.pid!, new Set([randomUUID()])), undefined);
  });
});
