import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it } from "node:test";
import { withGpu } from "../part/lock.ts";
import { HandsOff } from "./hands-off.ts";

it("GPUs are let go when a supervisor begins to reset or cut one, and not for one that died", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "tessera-gpus-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const told = Promise.withResolvers<void>();
  const handsOff = new HandsOff(folder, told.resolve);
  t.after(() => handsOff.close());
  assert.equal(await handsOff.isAsked(), false);
  await withGpu(folder, "GPU-1", async () => {
    await told.promise;
    assert.equal(await handsOff.isAsked(), true);
  });
  assert.equal(await handsOff.isAsked(), false);
  await writeFile(join(folder, "GPU-2.lock"), JSON.stringify({ pid: process.pid, startedAt: "another" }));
  assert.equal(await handsOff.isAsked(), false);
});
