import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { ContentStore } from "@tessera/content";
import { type JobId, leaseIdOf, type TreeEntry } from "@tessera/core";
import { bareMachine } from "../limit/machine.fixture.ts";
import { examineMachine } from "../limit/machine.ts";
import { type Bench, openBench, orderOf, temporaryFolder, visibleFolder } from "../order.fixture.ts";

const machines = { "as this machine allows": examineMachine, "with nothing enforced": bareMachine };
const digest = (text: string) => createHash("sha256").update(text).digest("hex");

async function* once(text: string): AsyncGenerator<Buffer> {
  yield Buffer.from(text);
}

/** An engine whose tenant has sent a folder with these files. */
async function withFolder(
  t: TestContext,
  files: { readonly [path: string]: string },
  examine: typeof examineMachine = examineMachine,
): Promise<{ bench: Bench; tree: string; content: string }> {
  const content = join(await temporaryFolder(t), "content");
  const lab = new ContentStore(content).of("acc_lab");
  const entries: TreeEntry[] = [];
  for (const [path, text] of Object.entries(files)) {
    const bytes = Buffer.byteLength(text);
    await lab.putFile(once(text), { sha256: digest(text), bytes });
    entries.push({ path, mode: path.endsWith(".sh") ? 0o755 : 0o644, bytes, sha256: digest(text) });
  }
  const tree = await lab.putTree({ files: entries });
  return { bench: await openBench(t, { content, tenantsShareUser: true }, examine), tree, content };
}

for (const [name, examine] of Object.entries(machines)) {
  describe(`the code of a job, ${name}`, () => {
    it("lies in the work folder, the job's own, and each attempt and rank starts from it", async (t) => {
      const files = { "lib/m.sh": "echo module", "train.sh": ". ./lib/m.sh; echo changed > lib/m.sh; cat lib/m.sh" };
      const { bench, tree } = await withFolder(t, files, examine);
      const job = "job_code" as JobId;
      for (const [attempt, rank] of [
        [1, 0],
        [1, 1],
        [2, 0],
      ] as const) {
        const lease = leaseIdOf(job, attempt, rank);
        const order = orderOf("ls -A; ./train.sh", { job, attempt, rank, size: 2, lease, code: { tree } });
        const end = await bench.run(order);
        assert.equal(await bench.text(order.lease), "lib\ntrain.sh\nmodule\nchanged");
        assert.equal(end.code, 0);
      }
    });

    it("has a home and a cache apart from it, and finds the cache again", async (t) => {
      const bench = await openBench(t, { tenantsShareUser: true }, examine);
      const first = orderOf('cd ~ && echo x > .profile && echo y > "$PIP_CACHE_DIR.txt" && cd - >/dev/null && ls -A');
      assert.equal((await bench.run(first)).code, 0, await bench.text(first.lease));
      assert.equal(await bench.text(first.lease), "");
      const second = orderOf('ls -A ~; ls "$TESS_CACHE" "$XDG_CACHE_HOME"');
      await bench.run(second);
      assert.match(await bench.text(second.lease), /^\S+:\npip\.txt\n/);
      const other = orderOf('ls -A "$TESS_CACHE"', { tenant: "acc_other" });
      await bench.run(other);
      assert.equal(await bench.text(other.lease), "");
    });
  });
}

it("refuses a job whose snapshot is gone or damaged, and says which file", async (t) => {
  const { bench, tree, content } = await withFolder(t, { "a.sh": "echo a", "b.sh": "echo b" });
  const refused = async (code: { tree: string }, tenant = "acc_lab") => {
    const order = orderOf("true", { code, tenant });
    await bench.engine.bind(order);
    return (await bench.until(order.lease, "refused")).reason;
  };
  assert.match(await refused({ tree: "0".repeat(64) }), /the folder \(sha256 0+\) is not kept here: send it again/);
  assert.match(await refused({ tree }, "acc_other"), /is not kept here/, "another tenant's does not exist");
  const file = join(content, "acc_lab", digest("echo b").slice(0, 2), digest("echo b").slice(2));
  chmodSync(file, 0o600);
  writeFileSync(file, "echo X");
  assert.match(await refused({ tree }), /b\.sh .* was damaged on the disk and is removed: send it again/);
  assert.ok(!existsSync(file));
  rmSync(join(content, "acc_lab"), { recursive: true });
  assert.match(await refused({ tree }), /send it again/);
});

for (const without of [[], ["bwrap"]] as const) {
  it(`hides from jobs what is kept for all tenants, also where the files could be read (without ${without})`, async (t) => {
    const open = await visibleFolder(t);
    for (const path of [open, join(open, "content")]) {
      mkdirSync(path, { recursive: true });
      chmodSync(path, 0o755);
    }
    writeFileSync(join(open, "content", "of-another-tenant"), "x");
    const bench = await openBench(t, { content: join(open, "content") }, (dir) => examineMachine(dir, without));
    const order = orderOf(`ls -A ${join(open, "content")}; echo end`);
    await bench.run(order);
    const { tenant = "" } = (await bench.until(order.lease, "prepared")).enforcement;
    if (!tenant.includes("mount-namespace")) return t.skip("needs a mount namespace");
    assert.doesNotMatch(await bench.text(order.lease), /of-another-tenant/);
  });
}

it("removes the work folder of a member with the lease", async (t) => {
  const { bench, tree } = await withFolder(t, { "big.sh": "#".repeat(100_000) });
  const order = orderOf("true", { code: { tree } });
  await bench.run(order);
  const last = bench.reports.filter(({ lease }) => lease === order.lease).at(-1)!;
  await bench.engine.acknowledge(order.lease, last.sequence);
  assert.deepEqual(readdirSync(join(bench.dir, "work")), []);
});
