import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { leaseFile, readIfThere, stateFolder } from "../lease/folder.ts";
import { openLocalEngine } from "../open.ts";
import { benchOf, orderOf, temporaryFolder } from "../order.fixture.ts";
import { findProcess } from "../supervise/processes.ts";
import type { RunSheet } from "../supervise/sheet.ts";
import { fakeDriver } from "../testing/driver.ts";
import { pidsByMark, pidsIn } from "./process-usage.ts";

const skip = !existsSync("/proc/self/io") && "there is no /proc here";

it("a member that computes on a GPU is seen, with the memory that its processes hold there", { skip }, async (t) => {
  const machine = await fakeDriver(t, 2);
  machine.change(({ gpus }) => {
    gpus[1]!.fields = { "utilization.gpu": "98", "power.draw": "694.21", "temperature.gpu": "61" };
  });
  const dir = await temporaryFolder(t);
  const { engine, start } = benchOf(t, await openLocalEngine({ dir, nodeName: "desk" }), dir);
  const gpuUuid = machine.gpus[1]!.uuid;
  const order = orderOf("echo goes; while :; do :; done", {
    ...{ node: "desk", gangNodes: ["desk"], gpuUuids: [gpuUuid] },
    ...{ limits: { cpusMilli: 500, memoryMiB: 256, processesMax: 50, runMsMax: 0 } },
  });
  await start(order, "goes");
  const pid = await processOf(dir, order.lease);
  machine.change(({ processes }) => {
    processes.push({ pid, gpu: gpuUuid, memoryMiB: 4_096, name: "python" });
    processes.push({ pid: process.pid, gpu: gpuUuid, memoryMiB: 77, name: "a stranger" });
  });
  await engine.telemetry!();
  await sleep(300);
  const { gpus, members } = await engine.telemetry!();
  assert.deepEqual(
    gpus.map(({ gpuUuid: uuid, leases, source }) => [uuid, leases, source]),
    [
      [machine.gpus[0]!.uuid, [], "nvidia-smi"],
      [gpuUuid, [order.lease], "nvidia-smi"],
    ],
  );
  assert.deepEqual(gpus[1]!.metrics, {
    ...{ smActive: 9_800, powerMilliwatts: 694_210, temperatureCelsius: 61, memoryUsedMiB: 4_173 },
  });
  assert.equal(gpus[0]!.metrics.smActive, undefined, "[S35] what the driver does not tell is not idle");
  const [member] = members;
  assert.deepEqual([members.length, member!.lease, member!.gpuMemoryMiB], [1, order.lease, 4_096]);
  assert.ok(member!.cpusMilli! > 0 && member!.memoryMiB! < 256);
});

/** The process that the others of a member come from, which stays for as long as it runs: they may be commands that have just ended. */
async function processOf(dir: string, lease: string): Promise<number> {
  const text = await readIfThere(join(stateFolder(dir).leases, lease, leaseFile.order));
  const { groups, mark } = JSON.parse(text!) as RunSheet;
  const pids = (await pidsIn(groups)) ?? (await pidsByMark()).get(mark)!;
  const found = [...pids].map(findProcess).filter((entry) => entry !== undefined);
  return found.find(({ parent }) => found.every(({ pid }) => pid !== parent))!.pid;
}
