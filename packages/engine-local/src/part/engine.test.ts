import assert from "node:assert/strict";
import { it, type TestContext } from "node:test";
import type { PartSeat } from "@tessera/core";
import { openLocalEngine } from "../open.ts";
import { benchOf, orderOf, temporaryFolder } from "../order.fixture.ts";
import { type FakeMachine, fakeDriver } from "../testing/driver.ts";

const isRoot = process.getuid?.() === 0;

async function benchWith(t: TestContext, dir: string) {
  return benchOf(t, await openLocalEngine({ dir, nodeName: "desk" }), dir);
}

function migOrder({ gpus }: FakeMachine, tenant: string, profile: string, slot: number, run: string) {
  const part: PartSeat = { mode: "mig", compute: 3000, memory: 2625, profile, slot };
  const more = { node: "desk", gangNodes: ["desk"], tenant, part };
  return orderOf(run, { ...more, gpuUuids: [gpus[0]!.uuid] });
}

it("[S23] gives each member its own instance, tells its uuid, and destroys it after the member", {
  timeout: 60_000,
}, async (t) => {
  const machine = await fakeDriver(t);
  const dir = await temporaryFolder(t);
  const bench = await benchWith(t, dir);
  const [node] = await bench.engine.inventory();
  assert.deepEqual([node!.virtual, node!.gpus[0]!.model, node!.gpus[0]!.memoryMiB], [false, "H200", 143_771]);
  assert.deepEqual(bench.engine.capabilities.isolation.includes("mig"), isRoot);

  const show = 'echo "sees $CUDA_VISIBLE_DEVICES $NVIDIA_VISIBLE_DEVICES"; sleep 60';
  const a = migOrder(machine, "acc_a", "3g.71gb", 0, show);
  const b = migOrder(machine, "acc_b", "1g.18gb", 6, show);
  await bench.start(a, "sees");
  await bench.start(b, "sees");
  const layout = () => machine.read().gpus[0]!.instances.map(({ profile, start }) => `${profile}:${start}`);
  assert.deepEqual(layout().sort(), ["1g.18gb:6", "3g.71gb:0"]);
  const [ofA, ofB] = [await bench.until(a.lease, "prepared"), await bench.until(b.lease, "prepared")];
  assert.match(ofA.devices![0]!, /^MIG-/);
  assert.notEqual(ofA.devices![0], ofB.devices![0]);
  assert.match(await bench.text(a.lease), new RegExp(`sees ${ofA.devices![0]} ${ofA.devices![0]}`));
  assert.match(ofA.enforcement.gpu!, /^mig, /);

  await bench.engine.stop(a.lease, { signal: "SIGKILL", graceMs: 0 });
  await bench.until(a.lease, "exited");
  assert.deepEqual(layout(), ["1g.18gb:6"], "gone before its end is told");

  // Another engine on the same folder finds the member and its instance as they were.
  const later = await benchWith(t, dir);
  const clash = migOrder(machine, "acc_a", "2g.35gb", 4, "true");
  await later.run(clash);
  assert.deepEqual(layout(), ["1g.18gb:6"]);
  const wholeOrder = () => orderOf("true", { node: "desk", gangNodes: ["desk"], gpuUuids: [machine.gpus[0]!.uuid] });
  const whole = wholeOrder();
  await later.engine.bind(whole);
  await assert.rejects(later.until(whole.lease, "prepared"), /in use in another way/);
  await later.engine.stop(b.lease, { signal: "SIGKILL", graceMs: 0 });
  await later.until(b.lease, "exited");
  await later.run(wholeOrder());
  assert.equal(machine.read().gpus[0]!.mig, false);
});
