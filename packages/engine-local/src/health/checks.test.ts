import assert from "node:assert/strict";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { describeFleet } from "../inventory/machine.ts";
import { limitsFor, ownChecks, readChecks } from "./check-files.ts";
import { Checks } from "./checks.ts";
import { readOutcome } from "./run-check.ts";

const uuids = ["GPU-1", "GPU-2"];
const gpus = uuids.map((uuid, i) => ({
  uuid,
  model: "H200",
  memoryMiB: 143_771,
  pci: `00000000:0${i}:00.0`,
  device: `/dev/nvidia${i}`,
}));
const [real] = describeFleet(gpus, { nodeName: "desk" });
const none: ReadonlySet<string> = new Set();

const root = mkdtempSync(join(tmpdir(), "tessera-checks-"));
after(() => rmSync(root, { recursive: true, force: true }));

/** A folder of an owner with these scripts. */
function folder(files: Readonly<Record<string, string>>): string {
  const path = mkdtempSync(join(root, "owner-"));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(path, name), text, { mode: 0o755 });
  return path;
}

const says = (result: string, code: number, more = "") =>
  `#!/bin/sh\n${more}\necho '{"result":"${result}","text":"said so"}'\nexit ${code}\n`;

async function run(files: Readonly<Record<string, string>>, names: readonly string[], held = none) {
  const results = await new Checks(folder(files)).run(real!, { names }, held);
  return results.map(({ name, gpuUuid, result }) => [name, gpuUuid, result]);
}

describe("checks", () => {
  it("of an owner's folder are run for each GPU, or once for the node", async () => {
    const thresholds = JSON.stringify({ whole: { scope: "node" } });
    const files = { "each.sh": says("passed", 0), "whole.sh": says("failed", 1), "thresholds.json": thresholds };
    assert.deepEqual(await run(files, ["each", "whole"]), [
      ["each", "GPU-1", "passed"],
      ["each", "GPU-2", "passed"],
      ["whole", undefined, "failed"],
    ]);
  });

  it("see only the GPU that they are about, and the thresholds of its model", async () => {
    const script = `#!/bin/sh\necho "{\\"result\\":\\"passed\\",\\"text\\":\\"$CUDA_VISIBLE_DEVICES\\",\\"measured\\":\\"$(echo $TESSERA_CHECK_LIMITS | tr -d '"')\\"}"\n`;
    const thresholds = JSON.stringify({ see: { models: { H: { rate: 1 }, H200: { rate: 2 }, "*": { rate: 3 } } } });
    const checks = new Checks(folder({ "see.sh": script, "thresholds.json": thresholds }));
    const [first, second] = await checks.run(real!, { names: ["see"] }, none);
    assert.deepEqual([first?.text, second?.text, first?.measured], ["GPU-1", "GPU-2", "{rate:2}"]);
  });

  it("that cannot run or say nothing are skipped with the reason, never passed and never failed", async () => {
    const files = {
      "silent.sh": "#!/bin/sh\nexit 0\n",
      "broken.py": "import nothing_of_that_name\n",
      "unsure.sh": says("passed", 1),
    };
    for (const name of ["silent", "broken", "unsure"])
      assert.deepEqual((await run(files, [name]))[0], [name, "GPU-1", "skipped"], name);
  });

  it("leave out GPUs that jobs hold, unless their holder asks", async () => {
    const files = { "each.sh": says("passed", 0) };
    assert.deepEqual(await run(files, ["each"], new Set(["GPU-1"])), [
      ["each", "GPU-1", "skipped"],
      ["each", "GPU-2", "passed"],
    ]);
    const asked = await new Checks(folder(files)).run(
      real!,
      { names: ["each"], gpuUuids: ["GPU-1"] },
      new Set(["GPU-1"]),
    );
    assert.deepEqual(
      asked.map(({ gpuUuid, result }) => [gpuUuid, result]),
      [["GPU-1", "passed"]],
    );
  });

  it("yield to real work at once, with all that they started", async () => {
    const mark = join(folder({}), "began");
    const path = folder({ "long.sh": `#!/bin/sh\ntouch ${mark}\nsleep 1000\n` });
    const checks = new Checks(path);
    const under = checks.run(real!, { names: ["long"] }, none);
    while (!existsSync(mark)) await sleep(10);
    await checks.yieldTo(["GPU-2"]);
    assert.deepEqual(
      (await under).map(({ result }) => result),
      ["ended", "ended"],
    );
  });

  it("of virtual GPUs are skipped: there is nothing to check", async () => {
    const [virtual] = describeFleet([], { virtual: "1x2:H100" });
    const results = await new Checks(undefined).run(virtual!, {}, none);
    assert.deepEqual([...new Set(results.map(({ result }) => result))], ["skipped"]);
  });

  it("that do not exist are named", async () => {
    await assert.rejects(
      new Checks(undefined).run(real!, { names: ["none"] }, none),
      /no check none; there are: all-reduce/,
    );
  });
});

describe("the checks that come with it", () => {
  it("are four, with thresholds for the common models", () => {
    const all = readChecks([ownChecks]);
    assert.deepEqual(
      all.map(({ name, scope }) => `${name} ${scope}`),
      ["all-reduce node", "copy-bandwidth gpu", "matrix-product gpu", "memory-pattern gpu"],
    );
    const copy = all.find(({ name }) => name === "copy-bandwidth")!;
    assert.equal(limitsFor(copy, "H100-NVL").memoryGBps, 2043);
    assert.equal(limitsFor(copy, "H100-80GB").memoryGBps, 1905);
    assert.deepEqual(limitsFor(copy, "MI300X"), {});
  });

  it("skip, and say why, where there is no driver", async (t) => {
    if (existsSync("/dev/nvidiactl")) return t.skip("there is a driver here");
    const results = await new Checks(undefined).run(real!, {}, none);
    assert.deepEqual([...new Set(results.map(({ result }) => result))], ["skipped"]);
    assert.ok(results.every(({ text }) => text.length > 0));
  });
});

it("what a check says must agree with its exit code", () => {
  assert.equal(readOutcome('noise\n{"result":"failed","text":"x"}\n', 1, "").result, "failed");
  assert.equal(readOutcome('{"result":"failed","text":"x"}', 0, "").result, "skipped");
  assert.match(readOutcome("", -1, "Traceback\nboom").text, /boom/);
});
