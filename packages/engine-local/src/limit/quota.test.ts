import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { chownSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import { atEnd, openBench, orderOf, temporaryFolder } from "../order.fixture.ts";
import { needsRoot } from "./machine.fixture.ts";
import { hasQuota, setQuota } from "./quota.ts";

it("says why a file system without quotas cannot keep a limit", async (t) => {
  const folder = await temporaryFolder(t);
  assert.match((await setQuota(join(folder, "missing"), 1, 1)) ?? "", /No such file|perl/);
});

it("lets the file system hold the limit on folders, where it can", { skip: needsRoot }, async (t) => {
  const folder = await temporaryFolder(t);
  const [image, disk] = [join(folder, "image"), join(folder, "disk")];
  mkdirSync(disk);
  execFileSync("truncate", ["-s", "256M", image]);
  const made = spawnSync("mkfs.ext4", ["-q", "-F", "-O", "quota,project", image]);
  const mounted = made.status === 0 && spawnSync("mount", ["-o", "loop,prjquota", image, disk]).status === 0;
  if (!mounted) return t.skip("no ext4 with project quotas can be mounted here");
  atEnd(t, async () => void execFileSync("umount", ["-l", disk]));
  mkdirSync(join(disk, "trial"));
  chownSync(join(disk, "trial"), 65_534, 65_534);
  assert.equal(await hasQuota(join(disk, "trial"), 65_534), true);
  const bench = await openBench(t, { dir: join(disk, "engine") });
  const limits = { cpusMilli: 0, memoryMiB: 0, processesMax: 0, runMsMax: 0, scratchMiB: 4 };
  const order = orderOf("head -c 20000000 /dev/zero > big; chattr -p 0 big; stat -c %s big; exit 0", { limits });
  await bench.run(order);
  assert.equal((await bench.until(order.lease, "prepared")).enforcement.scratch, "project-quota");
  const text = await bench.text(order.lease);
  assert.match(text, /quota exceeded/i);
  assert.ok(Number(/^\d+$/m.exec(text)?.[0]) <= 4 * 2 ** 20, text);
});
