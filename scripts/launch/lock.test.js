import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { isStale, withLock } from "./lock.js";
import { temporaryFolder } from "./temporary.js";

function leaveLock(folder, owner) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "owner"), JSON.stringify(owner));
}

/** The id of a process that has ended. */
function deadProcess() {
  return spawnSync(process.execPath, ["-e", ""]).pid;
}

describe("the lock around install and build", () => {
  it("lets one in at a time, and leaves nothing behind", async (t) => {
    const folder = join(temporaryFolder(t), "cache", "lock");
    let inside = 0;
    let told = 0;
    const work = async () => {
      inside += 1;
      assert.equal(inside, 1);
      await sleep(20);
      inside -= 1;
    };
    await Promise.all([1, 2, 3].map(() => withLock(folder, work, { waiting: () => (told += 1) })));
    assert.equal(told, 2);
    assert.deepEqual(readdirSync(join(folder, "..")), []);
  });

  it("is released when the work fails", async (t) => {
    const folder = join(temporaryFolder(t), "lock");
    await assert.rejects(
      withLock(folder, () => Promise.reject(new Error("no"))),
      /no/,
    );
    assert.equal(existsSync(folder), false);
  });

  it("is taken over from a process that is gone, without waiting", async (t) => {
    const folder = join(temporaryFolder(t), "lock");
    leaveLock(folder, { pid: deadProcess(), startedAt: null, host: hostname() });
    const waiting = () => assert.fail("there is nobody to wait for");
    assert.equal(await withLock(folder, async () => "done", { waiting }), "done");
  });

  it("tells a process id that was used again from its first owner", { skip: process.platform !== "linux" }, (t) => {
    const folder = join(temporaryFolder(t), "lock");
    leaveLock(folder, { pid: process.pid, startedAt: "1", host: hostname() });
    assert.equal(isStale(folder), true);
  });

  it("is left to a process of another machine, which cannot be asked", (t) => {
    const folder = join(temporaryFolder(t), "lock");
    leaveLock(folder, { pid: deadProcess(), startedAt: null, host: `not-${hostname()}` });
    assert.equal(isStale(folder), false);
  });
});
