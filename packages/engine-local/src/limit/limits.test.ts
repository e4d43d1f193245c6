import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import { leaseFile } from "../lease/folder.ts";
import { openBench, orderOf } from "../order.fixture.ts";
import type { RunSheet } from "../supervise/sheet.ts";
import { findHierarchies } from "./hierarchies.ts";
import { bareMachine } from "./machine.fixture.ts";

const hierarchies = findHierarchies();
const without = (controller: string) =>
  hierarchies.some(({ controllers }) => controllers.includes(controller))
    ? false
    : `no control group here carries ${controller}`;
/** Which every machine can give: a way out needs programs that it may lack. */
const network = { egress: "none" } as const;
const none = { cpusMilli: 0, memoryMiB: 0, processesMax: 0, runMsMax: 0 };

it("ends a member that takes more memory than its limit, and says so", { skip: without("memory") }, async (t) => {
  const bench = await openBench(t);
  const order = orderOf("tail /dev/zero", { limits: { ...none, memoryMiB: 48 }, network, strict: true });
  const end = await bench.run(order);
  assert.equal(end.code, 137);
  assert.equal(end.limit, "memory");
  assert.match((await bench.until(order.lease, "prepared")).enforcement.memory!, /^cgroup-v[12]$/);
});

it("lets a member have no more processes than its limit", { skip: without("pids") }, async (t) => {
  const bench = await openBench(t);
  const order = orderOf("for i in 1 2 3 4 5 6 7 8; do sleep 1000 & done; exit 0", {
    limits: { ...none, processesMax: 5 },
    network,
    strict: true,
  });
  await bench.run(order);
  assert.match(await bench.text(order.lease), /fork/i);
  const enough = orderOf("for i in 1 2 3 4; do sleep 1000 & done; exit 0", { limits: { ...none, processesMax: 5 } });
  await bench.run(enough);
  assert.equal(await bench.text(enough.lease), "");
});

it("sets the share of CPU time that was asked for", { skip: without("cpu") }, async (t) => {
  const bench = await openBench(t);
  const order = orderOf("sleep 1000", { limits: { ...none, cpusMilli: 250 }, network, strict: true });
  await bench.engine.bind(order);
  await bench.until(order.lease, "prepared");
  const sheet = JSON.parse(readFileSync(join(bench.dir, "leases", order.lease, leaseFile.order), "utf8")) as RunSheet;
  const group = sheet.groups.find(({ limits }) => limits.includes("cpu"))!;
  const { file } = group.settings.at(-1)!;
  assert.match(readFileSync(join(group.folder, file), "utf8"), /^25000\b/);
});

it("says what does not hold, and a strict order is refused for it", async (t) => {
  const bench = await openBench(t, {}, bareMachine);
  const limits = { cpusMilli: 1_000, memoryMiB: 256, processesMax: 10, runMsMax: 60_000 };
  const lenient = orderOf("ulimit -d", { limits });
  assert.equal((await bench.run(lenient)).code, 0);
  const { enforcement } = await bench.until(lenient.lease, "prepared");
  assert.match(enforcement.memory!, /^prlimit on each process/);
  assert.match(enforcement.cpu!, /^none/);
  assert.match(enforcement.tenant!, /^none/);
  assert.equal(enforcement.time, "supervisor");
  assert.equal(await bench.text(lenient.lease), String(256 * 1024));
  const strict = orderOf("true", { limits, strict: true });
  await bench.engine.bind(strict);
  assert.match(
    (await bench.until(strict.lease, "refused")).reason,
    /strict.*memory: prlimit.*cpu: none.*processes: none/,
  );
  const modest = orderOf("true", { limits: { ...none, runMsMax: 60_000 }, strict: true });
  await bench.engine.bind(modest);
  assert.match((await bench.until(modest.lease, "refused")).reason, /enforced here \(network: none/);
});
