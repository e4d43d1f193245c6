import assert from "node:assert/strict";
import { it } from "node:test";
import { freeOf } from "./disk.ts";
import { RoomWatch } from "./room.ts";

const mebibyte = 2 ** 20;
const stop = { signal: "SIGTERM", graceMs: 30_000 };
const limits = { scratchMiB: 1_000, checkpointMiB: 5_000, files: 100_000 };
const plenty = (bytesMiB: number, inodes = 1_000_000) => ({ bytes: bytesMiB * mebibyte, inodes, isScarce: false });
const scarce = (bytesMiB: number, inodes = 1_000_000) => ({ ...plenty(bytesMiB, inodes), isScarce: true });
const held = (scratchMiB: number, files?: number) => ({
  scratchMiB,
  checkpointMiB: 0,
  ...(files === undefined ? {} : { files }),
});

it("measures a job as soon as the disk has lost what the job had left, and seldom otherwise", () => {
  const watch = new RoomWatch(limits, stop);
  assert.equal(watch.mustMeasure(plenty(9_000), 0), false);
  assert.equal(watch.mustMeasure(plenty(8_500), 500), false);
  assert.equal(watch.mustMeasure(plenty(7_900), 1_000), true, "1,100 MiB are gone");
  assert.equal(watch.take(held(900), plenty(7_900), 1_000, 1_010), undefined, "others took some of it");
  assert.equal(watch.mustMeasure(plenty(7_850), 2_000), false);
  assert.equal(watch.mustMeasure(plenty(7_790), 2_500), true, "now 100 MiB are enough");
  const passed = watch.take(held(1_010), plenty(7_790), 2_500, 2_510)!;
  assert.equal(passed.limit, "scratch");
  assert.match(passed.reason, /hold 1010 MiB, more than its limit of 1000 MiB \(scratch\)/);
  assert.equal(passed.stop.graceMs, 5_000, "it does not write on through a long grace");
  assert.equal(watch.mustMeasure(plenty(7_790), 60_000), true, "now and then in any case");
});

it("counts files where many are made", () => {
  const watch = new RoomWatch(limits, stop);
  assert.equal(watch.mustMeasure(plenty(9_000, 1_000_000), 0), false);
  assert.equal(watch.mustMeasure(plenty(9_000, 890_000), 500), true);
  assert.equal(watch.countsFiles(plenty(9_000, 890_000)), true);
  assert.match(watch.take(held(400, 110_000), plenty(9_000, 890_000), 500, 510)!.reason, /110000 files/);
});

it("stops the writer at once on a disk that is nearly full, and leaves others alone", () => {
  const writer = new RoomWatch(limits, stop);
  const other = new RoomWatch(limits, stop);
  for (const watch of [writer, other]) {
    watch.mustMeasure(plenty(3_000), 0);
    assert.equal(watch.take(held(100), plenty(3_000), 0, 10), undefined);
    assert.equal(watch.mustMeasure(scarce(400), 1_000), true);
  }
  assert.equal(other.take(held(110), scarce(400), 1_000, 1_010), undefined);
  const passed = writer.take(held(700), scarce(400), 1_000, 1_010)!;
  assert.match(passed.reason, /disk of this node is nearly full, and this job wrote 600 MiB/);
  assert.deepEqual(passed.stop, { signal: "SIGKILL", graceMs: 0 });
  assert.equal(other.take(held(150), scarce(400), 2_000, 2_010), undefined);
  assert.ok(other.take(held(170), scarce(400), 3_000, 3_010), "many small steps count together");
});

it("keeps a twentieth of the disk back, and less of a small one", () => {
  const disk = (bytes: number, bytesAll: number, inodes = 500, inodesAll = 1_000) =>
    freeOf({ bytes: bytes * mebibyte, bytesAll: bytesAll * mebibyte, inodes, inodesAll }).isScarce;
  assert.equal(disk(5_000, 90_000), false);
  assert.equal(disk(4_000, 90_000), true);
  assert.equal(disk(9_000, 2_000_000), false);
  assert.equal(disk(200, 1_000), true);
  assert.equal(disk(300, 1_000), false);
  assert.equal(disk(50_000, 90_000, 40), true, "inodes run out as well");
  assert.equal(disk(50_000, 90_000, 0, 0), false, "some file systems do not count them");
});
