import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
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
