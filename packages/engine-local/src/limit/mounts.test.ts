import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { ContentStore } from "@tessera/content";
import { openBench, orderOf, temporaryFolder } from "../order.fixture.ts";
import { bareMachine, needsRoot } from "./machine.fixture.ts";
import { examineMachine, type Machine } from "./machine.ts";

const ways: { readonly [name: string]: (folder: string) => Promise<Machine> } = {
  "as this machine allows": examineMachine,
  "with util-linux alone": (folder) => examineMachine(folder, ["bwrap"]),
};

async function volume(t: TestContext): Promise<string> {
  const folder = await temporaryFolder(t);
  chmodSync(folder, 0o755);
  writeFileSync(join(folder, "file"), "of the volume\n", { mode: 0o644 });
  mkdirSync(join(folder, "open"), { mode: 0o777 });
  chmodSync(join(folder, "open"), 0o777);
  return folder;
}

for (const [name, examine] of Object.entries(ways)) {
  describe(`a mount, ${name}`, { skip: needsRoot }, () => {
    it("shows a volume where the job wants it, read-only where the volume is, and leaves no trace", async (t) => {
      const bench = await openBench(t, {}, examine);
      const folder = await volume(t);
      const at = `/tessera-test-${process.pid}`;
      const mounts = [
        { at: `${at}/sets/one`, folder, readOnly: true },
        { at: "/mnt", folder, readOnly: false },
      ];
      const run = [
        `cat ${at}/sets/one/file /mnt/file`,
        `echo x > ${at}/sets/one/open/x && echo WROTE`,
        "echo y > /mnt/open/y && echo written",
        `mount -o remount,rw ${at}/sets/one && echo REMOUNTED`,
        "echo z > /z && echo ROOT WRITTEN",
        'ls /usr/bin/env /proc/self/status > /dev/null && echo rest is there; echo "$PWD"; touch here /tmp/there',
        "true",
      ];
      const order = orderOf(run.join("\n"), { mounts });
      const end = await bench.run(order);
      const text = await bench.text(order.lease);
      assert.equal(end.code, 0, text);
      assert.equal(text.match(/of the volume/g)?.length, 2, text);
      assert.match(text, /Read-only file system/);
      assert.match(text, /^written$/m);
      assert.match(text, /^rest is there$/m);
      assert.ok(!/WROTE|REMOUNTED|ROOT WRITTEN/.test(text), text);
      assert.equal(readFileSync(join(folder, "open", "y"), "utf8"), "y\n");
      assert.ok(!existsSync(at), "the machine has no new folder");
    });

    it("shows an output of another job, which nobody can change, and unpacks it once", async (t) => {
      const content = await temporaryFolder(t);
      const bench = await openBench(t, { content }, examine);
      const first = await bench.run(orderOf("mkdir m; echo weights > m/w", { outputs: { bytesMax: 1000 } }));
      const { tree } = first.outputs![0]!;
      const mounts = [{ at: "/in", tree: tree! }];
      const second = orderOf("cat /in/m/w; echo x > /in/m/w; rm -rf /in/m; ls /in/m", { mounts });
      await bench.run(second);
      const text = await bench.text(second.lease);
      assert.match(text, /^weights$/m);
      assert.match(text, /Read-only file system/);
      // Also without the content: it is unpacked already.
      await new ContentStore(content).of("acc_lab").remove(tree!);
      const third = orderOf("cat /in/m/w", { mounts });
      assert.equal((await bench.run(third)).code, 0);
      const foreign = orderOf("cat /in/m/w", { mounts, tenant: "acc_other" });
      await bench.engine.bind(foreign);
      assert.match((await bench.until(foreign.lease, "refused")).reason, /is not kept here/);
    });
  });
}

it("is refused where it could cover a program, show the engine's files, or cannot be made", async (t) => {
  const dir = await temporaryFolder(t);
  const bench = await openBench(t, { dir });
  const folder = await volume(t);
  if (!bench.engine.capabilities.mounts) return t.skip("no mount namespace here");
  for (const [mount, said] of [
    [{ at: "/usr/bin", folder, readOnly: true }, /is not free/],
    [{ at: "/x/../usr", folder, readOnly: true }, /is not free/],
    [{ at: "/mnt/not-there", folder, readOnly: true }, /not a folder of this node/],
    [{ at: "/data", folder: "/no/such", readOnly: true }, /is not there on this node/],
    [{ at: "/data", folder: dir, readOnly: true }, /meets the folder of the engine/],
    [{ at: "/data", folder: join(dir, "leases"), readOnly: true }, /meets the folder of the engine/],
  ] as const) {
    const order = orderOf("true", { mounts: [mount] });
    await bench.engine.bind(order);
    assert.match((await bench.until(order.lease, "refused")).reason, said, mount.at);
  }
});

it("is refused where there is no mount namespace", async (t) => {
  const bench = await openBench(t, {}, bareMachine);
  const order = orderOf("true", { mounts: [{ at: "/data", folder: "/srv", readOnly: true }] });
  await bench.engine.bind(order);
  assert.match((await bench.until(order.lease, "refused")).reason, /install bwrap/);
});
