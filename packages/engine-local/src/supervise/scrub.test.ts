import assert from "node:assert/strict";
import { it } from "node:test";
import { scrub } from "./scrub.ts";
import type { RunSheet } from "./sheet.ts";

function sheetOf(gpus: readonly string[], real: boolean): RunSheet {
  return { order: { scrub: { gpuUuids: gpus, usualMs: 1 } }, realGpus: real ? gpus : [] } as unknown as RunSheet;
}

it("[S4] resets each GPU that another tenant had, and says so", async () => {
  const calls: string[] = [];
  const run = async (program: string, args: readonly string[]) => void calls.push([program, ...args].join(" "));
  assert.deepEqual(await scrub(sheetOf(["GPU-1", "GPU-2"], true), run as never), {
    kind: "scrubbed",
    how: "reset by nvidia-smi",
  });
  assert.deepEqual(calls, ["nvidia-smi --gpu-reset -i GPU-1", "nvidia-smi --gpu-reset -i GPU-2"]);
});

it("[S4] a GPU that cannot be reset is not handed over", async () => {
  const report = await scrub(sheetOf(["GPU-1"], true), async () => "Insufficient Permissions");
  assert.deepEqual(report, { kind: "scrub-failed", reason: "GPU GPU-1 could not be reset: Insufficient Permissions" });
});

it("does not claim to have cleared GPUs that are only declared, and does nothing unasked", async () => {
  const report = await scrub(sheetOf(["GPU-1"], false));
  assert.ok(report?.kind === "scrubbed" && /virtual/.test(report.how));
  assert.equal(await scrub({ order: {}, realGpus: [] } as unknown as RunSheet), undefined);
});
