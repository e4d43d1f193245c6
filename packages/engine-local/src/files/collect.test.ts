import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { ContentStore } from "@tessera/content";
import type { KeptOutput, TreeFile } from "@tessera/core";
import { bareMachine, isRoot } from "../limit/machine.fixture.ts";
import { examineMachine } from "../limit/machine.ts";
import { type Bench, openBench, orderOf, temporaryFolder } from "../order.fixture.ts";

const outputs = { bytesMax: 2 ** 30 };
const machines = { "as this machine allows": examineMachine, "with nothing enforced": bareMachine };

async function openWithContent(t: TestContext, examine = examineMachine): Promise<Bench & { store: ContentStore }> {
  const content = await temporaryFolder(t);
  return { ...(await openBench(t, { content }, examine)), store: new ContentStore(content) };
}

/** The files of an output with what is in them. */
async function filesOf(store: ContentStore, kept: KeptOutput | undefined): Promise<Record<string, string>> {
  assert.ok(kept?.tree !== undefined, JSON.stringify(kept));
  const content = store.of("acc_lab");
  const { files } = await content.readTree(kept.tree);
  return Object.fromEntries(
    files.map((entry) => [
      entry.path,
      "link" in entry ? `-> ${entry.link}` : readFileSync(content.path((entry as TreeFile).sha256), "utf8"),
    ]),
  );
}

for (const [name, examine] of Object.entries(machines)) {
  describe(`what a member leaves, ${name}`, () => {
    it("is kept although nothing was declared: its output folder, and what it wrote beside the code", async (t) => {
      const { store, ...bench } = await openWithContent(t, examine);
      const run = [
        "echo weights > model.bin; chmod 750 model.bin; mkdir -p logs; echo step > logs/1; ln -s model.bin last",
        'echo plot > "$TESS_OUT/plot.svg"',
        "mkdir -p .cache __pycache__ deep/node_modules; touch .cache/x __pycache__/y deep/node_modules/z .netrc",
        "ln -s /etc/passwd out-of-here; ln -s ../../tmp up; mkfifo pipe",
        "exit 3",
      ];
      const end = await bench.run(orderOf(run.join("\n"), { outputs }));
      assert.equal(end.code, 3, "also of a job that failed");
      const [out, work] = end.outputs ?? [];
      assert.deepEqual(await filesOf(store, out), { "plot.svg": "plot\n" });
      assert.deepEqual(await filesOf(store, work), {
        "logs/1": "step\n",
        "model.bin": "weights\n",
        last: "-> model.bin",
      });
      assert.deepEqual([out?.name, work?.name, work?.files, work?.bytes], ["out", "work", 3, 13]);
      assert.equal(work?.left?.files, 2);
      assert.match(work?.left?.why ?? "", /link out of the folder/);
      const tree = await store.of("acc_lab").readTree(work!.tree!);
      assert.equal((tree.files.find(({ path }) => path === "model.bin") as TreeFile).mode, 0o750);
    });

    it("is kept by declared patterns, from all folders of the job, on every rank", async (t) => {
      const { store, ...bench } = await openWithContent(t, examine);
      const declared = {
        model: "ckpt/*.pt",
        plots: "$TESS_OUT/**/*.svg",
        state: "$TESS_CHECKPOINT/state",
        none: "*.txt",
      };
      const run =
        'mkdir ckpt "$TESS_OUT/a"; echo 1 > ckpt/1.pt; echo x > ckpt/x; echo p > "$TESS_OUT/a/p.svg"; echo s > "$TESS_CHECKPOINT/state"';
      const end = await bench.run(orderOf(run, { rank: 1, size: 2, outputs: { ...outputs, declared } }));
      const by = new Map(end.outputs?.map((output) => [output.name, output]));
      assert.deepEqual(await filesOf(store, by.get("model")), { "ckpt/1.pt": "1\n" });
      assert.deepEqual(await filesOf(store, by.get("plots")), { "a/p.svg": "p\n" });
      assert.deepEqual(await filesOf(store, by.get("state")), { state: "s\n" });
      assert.deepEqual(by.get("none"), { name: "none", files: 0, bytes: 0, rank: 1 });
    });
  });
}

it("keeps the newest first where not all may be kept, and says what was left", async (t) => {
  const { store, ...bench } = await openWithContent(t);
  const run = "for i in 1 2 3; do head -c 400 /dev/zero > $i.pt; touch -d @$i $i.pt; done";
  const order = orderOf(run, { outputs: { bytesMax: 1000 } });
  const end = await bench.run(order);
  const [work] = end.outputs ?? [];
  assert.deepEqual(Object.keys(await filesOf(store, work)), ["2.pt", "3.pt"]);
  assert.deepEqual(work?.left, { files: 1, bytes: 400, why: "only 1000 bytes may be kept" });
  assert.equal(end.code, 0, "the outcome is the job's own");
  assert.match(await bench.text(order.lease), /output work: 1 files \(400 bytes\) not kept/);
});

it("keeps nothing of a job that starts again, unless it is done", async (t) => {
  const { store: _, ...bench } = await openWithContent(t);
  const stopped = async (run: string) => {
    const order = orderOf(`echo x > x; trap '${run} exit 0' TERM; echo up; while :; do sleep 0.05; done`, { outputs });
    await bench.start(order, "up");
    await bench.engine.stop(order.lease, { signal: "SIGTERM", graceMs: 5_000, returns: true });
    return bench.until(order.lease, "exited");
  };
  assert.equal((await stopped("")).outputs, undefined);
  assert.equal((await stopped('touch "$TESS_DONE";')).outputs?.[0]?.files, 1);
});

describe("another user's files", { skip: !isRoot && "needs root" }, () => {
  it("are not kept through links or folders that were exchanged", async (t) => {
    const { store, ...bench } = await openWithContent(t);
    const secret = join(await temporaryFolder(t), "secret");
    mkdirSync(secret);
    writeFileSync(join(secret, "key"), "of root", { mode: 0o600 });
    const run = `ln -s ${secret} folder; ln -s ${secret}/key key; ln ${secret}/key hard || true; echo fine > fine`;
    const end = await bench.run(orderOf(run, { outputs: { ...outputs, declared: { all: "**" } } }));
    assert.deepEqual(await filesOf(store, end.outputs?.[0]), { fine: "fine\n" });
  });
});
