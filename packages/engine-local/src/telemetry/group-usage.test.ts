import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { groupUsage } from "./group-usage.ts";

async function groupsOf(t: TestContext, ...folders: readonly { readonly [file: string]: string }[]) {
  const root = await mkdtemp(join(tmpdir(), "tessera-groups-"));
  t.after(() => rm(root, { recursive: true, force: true }));
  return Promise.all(
    folders.map(async (files, i) => {
      const folder = join(root, String(i));
      await mkdir(folder);
      for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
      return { folder };
    }),
  );
}

describe("control groups of a member", () => {
  it("are read in version 2", async (t) => {
    const groups = await groupsOf(t, {
      "cpu.stat": "usage_usec 4200000\nuser_usec 4000000\nsystem_usec 200000\n",
      "memory.current": "1073741824\n",
      "memory.stat": "anon 900000000\ninactive_file 73741824\n",
      "io.stat": "259:0 rbytes=4096 wbytes=8192 rios=1 wios=2\n8:0 rbytes=1000 wbytes=0 rios=1 wios=0\n",
    });
    assert.deepEqual(await groupUsage(groups), {
      cpuUs: 4_200_000,
      memoryBytes: 1_000_000_000,
      readBytes: 5_096,
      writtenBytes: 8_192,
    });
  });

  it("are read in version 1, each value from the hierarchy that counts it", async (t) => {
    const groups = await groupsOf(
      t,
      { "cpuacct.usage": "4200000123\n", "cpu.stat": "nr_periods 3\nnr_throttled 1\n" },
      { "memory.usage_in_bytes": "1073741824\n", "memory.stat": "inactive_file 1\ntotal_inactive_file 73741824\n" },
    );
    assert.deepEqual(await groupUsage(groups), { cpuUs: 4_200_000, memoryBytes: 1_000_000_000 });
  });

  it("[S35] tell nothing where they count nothing", async (t) => {
    assert.deepEqual(await groupUsage(await groupsOf(t, { "cgroup.procs": "1\n" })), {});
    assert.deepEqual(await groupUsage([]), {});
  });
});
