import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { appendFile, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { it, type TestContext } from "node:test";
import { temporaryFolder } from "../../order.fixture.ts";
import { FaultWatch } from "./fault-watch.ts";
import { type MpsPlace, placeAt } from "./place.ts";

/** A server whose log says that it has two clients: this process, of job_a, and process 1. */
async function watched(
  t: TestContext,
  ...users: string[]
): Promise<{ place: MpsPlace; watch: FaultWatch; faults: () => number }> {
  const place = placeAt(await temporaryFolder(t), "key", "GPU-1", { isRoot: false, means: "nothing" });
  for (const folder of [place.log, place.members]) await mkdir(folder, { recursive: true });
  for (const job of users) await writeFile(join(place.members, job), JSON.stringify({ job }));
  await say(place, process.pid, "Client {1, 1} encountered a fatal GPU error.");
  let faults = 0;
  const onFault = () => {
    faults += 1;
  };
  const watch = new FaultWatch(place, "job_a", () => [process.pid], onFault);
  await watch.open();
  t.after(() => watch.close());
  await say(place, process.pid, `Status of client {${process.pid}, 1} is ACTIVE`);
  return { place, watch, faults: () => faults };
}

function say({ log }: MpsPlace, server: number, text: string): Promise<void> {
  return appendFile(join(log, "server.log"), `[2026-11-16 18:00:00.000 Server ${server}] ${text}\n`);
}

/** A process that has ended. */
function deadPid(): number {
  return spawnSync("true").pid;
}

it("what the log said before the member came does not concern it", async (t) => {
  const { watch } = await watched(t, "job_a", "job_b");
  assert.equal(await watch.settle(), undefined);
});

it("[L3] a fault of a server that other jobs use is blamed on no job, whatever process the log names", async (t) => {
  for (const named of [1, process.pid]) {
    const { watch, place, faults } = await watched(t, "job_a", "job_b");
    await say(place, process.pid, `Client {PID: ${named}, Context ID: 1} encountered a fatal GPU error.`);
    assert.deepEqual([await watch.settle(), faults()], ["neighbour", 1]);
  }
});

it("[L3] a fault of a server that its own job alone uses is its own", async (t) => {
  const { watch, place } = await watched(t, "job_a");
  await say(place, process.pid, "Client {PID: 1, Context ID: 1} encountered a fatal GPU error.");
  assert.equal(await watch.settle(), "own");
});

it("[L3] a server that is gone under its clients is a fault too", async (t) => {
  for (const [users, blame] of [
    [["job_a", "job_b"], "neighbour"],
    [["job_a"], "own"],
  ] as const) {
    const { watch, place } = await watched(t, ...users);
    await say(place, deadPid(), "Server is shutting down");
    assert.equal(await watch.settle(), blame);
  }
});
