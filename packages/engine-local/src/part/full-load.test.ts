import assert from "node:assert/strict";
import { it } from "node:test";
import { temporaryFolder } from "../order.fixture.ts";
import { FullLoads, fullLoadOf } from "./full-load.ts";
import type { MigInstance } from "./mig.ts";

const instance: MigInstance = { gi: 1, profile: "3g.71gb", start: 0, size: 4, ci: 0, uuid: "MIG-1" };

it("what an H200 reads under full load tells by how many multiprocessors the driver divides", () => {
  const seen = [
    [16, 99.85, 16],
    [32, 93.98, 34],
    [60, 90.77, 66],
    [64, 96.85, 66],
    [26, 76.4, 34],
    [26, 81.2, 32],
    [132, 99.86, 132],
  ] as const;
  for (const [multiprocessors, percent, dividedBy] of seen)
    assert.deepEqual(fullLoadOf({ multiprocessors, percent }), { multiprocessors, dividedBy });
});

it("a reading that cannot be one of a full load tells nothing", () => {
  for (const percent of [0, 45, 90.2, 104, Number.NaN])
    assert.equal(fullLoadOf({ multiprocessors: 60, percent }), undefined, String(percent));
});

it("a full load is measured once for each GPU, profile and slot until the machine starts again", async (t) => {
  const folder = await temporaryFolder(t);
  let measured = 0;
  const measure = async () => {
    measured += 1;
    return { multiprocessors: 60, percent: 90.77 };
  };
  const loads = new FullLoads(folder, "b1");
  assert.match((await loads.know("GPU-1", instance, measure))!, /^full load measured in \d+ ms$/);
  assert.equal(await loads.know("GPU-1", { ...instance, uuid: "MIG-2" }, measure), undefined);
  assert.equal(measured, 1);
  await loads.know("GPU-1", { ...instance, uuid: "MIG-3", start: 4 }, measure);
  await loads.know("GPU-2", { ...instance, uuid: "MIG-4" }, measure);
  assert.equal(measured, 3);
  const [one, ...others] = [...(await loads.all())].sort(([a], [b]) => (a < b ? -1 : 1));
  assert.deepEqual([one![0], one![1].multiprocessors, one![1].dividedBy], ["MIG-1", 60, 66]);
  assert.deepEqual(
    others.map(([uuid]) => uuid),
    ["MIG-2", "MIG-3", "MIG-4"],
  );
  assert.equal((await new FullLoads(folder, "b2").all()).size, 0);
});

it("where it cannot be measured nothing is known of the instance, whatever had its name before", async (t) => {
  const loads = new FullLoads(await temporaryFolder(t), "b1");
  await loads.know("GPU-1", instance, async () => ({ multiprocessors: 60, percent: 90.77 }));
  await loads.know("GPU-1", { ...instance, profile: "2g.35gb" }, async () => "libcuda.so.1 is not here");
  assert.equal((await loads.all()).size, 0);
});
