import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type JobId, type LeaseId, leaseIdOf } from "@tessera/core";
import type { Engine, FileEntry, JobFolder } from "@tessera/engine";
import { bareMachine, isRoot } from "../limit/machine.fixture.ts";
import { examineMachine } from "../limit/machine.ts";
import { openBench, orderOf } from "../order.fixture.ts";

const machines = { "as this machine allows": examineMachine, "with nothing enforced": bareMachine };

async function listed(engine: Engine, lease: LeaseId, folder: JobFolder): Promise<FileEntry[]> {
  const entries: FileEntry[] = [];
  for await (const entry of engine.files(lease, folder)) entries.push(entry);
  return entries.sort((a, b) => (a.path < b.path ? -1 : 1));
}

async function text(engine: Engine, lease: LeaseId, folder: JobFolder, path: string, start = 0) {
  const found = await engine.readFile(lease, folder, path, start);
  if (found === undefined) return undefined;
  let read = "";
  for await (const part of found.content) read += Buffer.from(part).toString("utf8");
  return read;
}

for (const [name, examine] of Object.entries(machines)) {
  describe(`files of a running member, ${name}`, () => {
    it("can be listed and read, from any byte on, and the checkpoint also after the end", async (t) => {
      const { engine, ...bench } = await openBench(t, {}, examine);
      const run = [
        "mkdir -p a/b; printf 0123456789 > a/b/file; chmod 640 a/b/file; ln -s a/b/file link; ln -s /etc out",
        'mkfifo pipe; echo o > "$TESS_OUT/o"; echo c > "$TESS_CHECKPOINT/c"; echo up; sleep 100',
      ];
      const order = orderOf(run.join("\n"));
      const { lease } = order;
      await bench.start(order, "up");
      assert.deepEqual(
        (await listed(engine, lease, "work")).map(({ path, mode, bytes, link }) => [path, link ?? mode, bytes]),
        [
          ["a/b/file", 0o640, 10],
          ["link", "a/b/file", 8],
          ["out", "/etc", 4],
        ],
      );
      assert.equal(await text(engine, lease, "work", "a/b/file"), "0123456789");
      assert.equal(await text(engine, lease, "work", "a/b/file", 7), "789");
      assert.equal(await text(engine, lease, "out", "o"), "o\n");
      for (const path of [
        "link",
        "out/passwd",
        "pipe",
        "a/b",
        "a",
        "none",
        "../tmp",
        "a/../a/b/file",
        "",
        "/etc/passwd",
      ])
        assert.equal(await text(engine, lease, "work", path), undefined, path);
      await engine.stop(lease, { signal: "SIGKILL", graceMs: 0 });
      await bench.until(lease, "exited");
      await engine.acknowledge(lease, 99);
      assert.deepEqual(await listed(engine, lease, "work"), []);
      assert.equal(await text(engine, lease, "checkpoint", "c"), "c\n");
      assert.equal(await text(engine, leaseIdOf("job_other" as JobId, 1, 0), "checkpoint", "c"), undefined);
    });
  });
}

describe("files of a running member, as root", { skip: !isRoot && "needs root" }, () => {
  it("are those of its own user only", async (t) => {
    const { engine, ...bench } = await openBench(t);
    const order = orderOf("echo mine > mine; echo up; sleep 100");
    await bench.start(order, "up");
    const { execFileSync } = await import("node:child_process");
    execFileSync("sh", ["-c", `echo root > "$1/root"`, "sh", `${bench.dir}/work/${order.lease}/work`]);
    assert.deepEqual(
      (await listed(engine, order.lease, "work")).map(({ path }) => path),
      ["mine"],
    );
    assert.equal(await text(engine, order.lease, "work", "root"), undefined);
  });
});
