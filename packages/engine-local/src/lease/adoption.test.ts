import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { it, type TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { LeaseOrder } from "@tessera/engine";
import { atEnd, openBench, orderOf, temporaryFolder } from "../order.fixture.ts";

const program = join(import.meta.dirname, "host.fixture.js");

/** Runs an engine in another process until all of its members have started, then kills that process. */
async function killWhenStarted(t: TestContext, dir: string, orders: readonly LeaseOrder[]): Promise<void> {
  const host = spawn(process.execPath, [program, dir, JSON.stringify(orders)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  atEnd(t, async () => {
    host.kill("SIGKILL");
  });
  const awaited = new Set(orders.map(({ lease }) => `${lease} started`));
  for await (const printed of createInterface({ input: host.stdout })) {
    awaited.delete(printed);
    if (awaited.size === 0) break;
  }
  host.kill("SIGKILL");
  if (host.exitCode === null && host.signalCode === null) await once(host, "exit");
}

it("[S16] [S17] takes up running members after the engine's process was killed: nothing is lost, nothing runs twice", async (t) => {
  const dir = await temporaryFolder(t);
  const ends = orderOf("echo begun; sleep 0.7; echo ended; exit 41");
  const stays = orderOf("echo begun; trap 'exit 42' TERM; while :; do sleep 0.05; done");
  await killWhenStarted(t, dir, [ends, stays]);
  await sleep(1_000); // the first one ends while no engine runs
  const bench = await openBench(t, { dir, virtual: "1x8:H100" });
  assert.equal((await bench.until(ends.lease, "exited")).code, 41);
  assert.equal(await bench.text(ends.lease), "begun\nended");
  assert.equal((await bench.engine.list()).find(({ lease }) => lease === stays.lease)?.state, "running");
  await bench.engine.bind(stays);
  await bench.engine.release(stays.lease);
  await bench.engine.stop(stays.lease, { signal: "SIGTERM", graceMs: 20_000 });
  assert.equal((await bench.until(stays.lease, "exited")).code, 42);
  assert.equal((await bench.lines(stays.lease)).filter((line) => line.text === "begun").length, 1);
});

it("[S16] a member runs at most once wherever between bind and release the engine's process is killed", async (t) => {
  const dir = await temporaryFolder(t);
  for (const afterMs of [0, 10, 20, 30, 40, 50, 60, 80, 100]) {
    const order = orderOf("echo ran");
    const host = spawn(process.execPath, [program, dir, JSON.stringify([order])], { stdio: "ignore" });
    while (!existsSync(join(dir, "leases", order.lease))) await sleep(1);
    await sleep(afterMs);
    host.kill("SIGKILL");
    await once(host, "exit");
    const bench = await openBench(t, { dir, virtual: "1x8:H100" });
    if (!bench.reports.some(({ lease, what }) => lease === order.lease && what.kind === "exited"))
      await bench.run(order);
    assert.equal(await bench.text(order.lease), "ran", `killed ${afterMs} ms after the folder was there`);
    await bench.engine.acknowledge(order.lease, 3);
    await bench.engine.close();
  }
});
