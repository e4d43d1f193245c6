import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isRefusal, type Refusal } from "../../journal/refusal.ts";
import type { JobSpec } from "../../model/job.ts";
import { minute } from "../../model/units.ts";
import { parseJob, type RawJob } from "../parse.ts";
import { type RawKind, sizeJob } from "./kind.ts";
import type { GpuOffer } from "./workload.ts";

const h100: GpuOffer = { model: "H100-80GB", memoryMiB: 81_559, gpusPerNode: 8, gpusPerNvlink: 8, parts: true };
const l40s: GpuOffer = { model: "L40S", memoryMiB: 46_068, gpusPerNode: 8, gpusPerNvlink: 1, parts: true };
const l4: GpuOffer = { model: "L4", memoryMiB: 23_034, gpusPerNode: 8, gpusPerNvlink: 1, parts: false };

type Raw = Partial<RawJob> & RawKind;

function sized(raw: Raw, offers: readonly GpuOffer[]): { spec: JobSpec; why: readonly string[] } {
  const answer = sizeJob({ run: "true", ...raw }, offers);
  assert.ok(!isRefusal(answer), JSON.stringify(answer));
  const spec = parseJob(answer.raw, { after: [] });
  assert.ok(!isRefusal(spec), JSON.stringify(spec));
  return { spec, why: answer.why };
}

function refused(raw: Raw, offers: readonly GpuOffer[] = [h100]): Refusal {
  const answer = sizeJob({ run: "true", ...raw }, offers);
  assert.ok(isRefusal(answer), JSON.stringify(answer));
  return answer;
}

const asks = ({ gpus }: JobSpec) =>
  gpus.map(({ model, count, part }) => `${model}:${part === undefined ? count : "part"}`);

describe("a job that serves a model", () => {
  it("asks for a part of a GPU with the memory of the model, and says why", () => {
    const { spec, why } = sized({ model: { name: "7B", requests: 1 } }, [h100]);
    assert.deepEqual([asks(spec), spec.type, spec.isolation], [["*:part"], "service", "any"]);
    assert.equal(spec.gpuMemoryMiB, spec.gpus[0]!.part!.memoryMiB);
    assert.ok(spec.gpuMemoryMiB > 16_000 && spec.gpuMemoryMiB < 19_000);
    assert.match(why.join("\n"), /weights[\s\S]*keys and values/);
    assert.deepEqual(spec.model, { name: "7B", requests: 1 });
  });

  it("asks for whole GPUs if the fleet offers no parts, and for a gang inside NVLink if one GPU is too small", () => {
    assert.deepEqual(asks(sized({ model: "7B" }, [{ ...h100, parts: false }]).spec), ["H100-80GB:1"]);
    const { spec } = sized({ model: { name: "70B", precision: "fp16" } }, [h100]);
    assert.deepEqual([asks(spec), spec.topology?.level], [["H100-80GB:4"], "nvlink"]);
  });

  it("chooses among the models that gpus names, and keeps fields that the job gives", () => {
    const { spec } = sized({ model: "13B", gpus: "H100", type: "batch", priority: "low" }, [h100, l40s]);
    assert.deepEqual([asks(spec), spec.type, spec.priority], [["H100-80GB:1"], "batch", -10]);
    const given = sized({ model: "13B", gpus: "H100:2" }, [h100]).spec;
    assert.deepEqual([asks(given), given.type], [["H100:2"], "service"]);
  });

  it("refuses GPUs that cannot hold it, by name and amount", () => {
    const answer = refused({ model: { name: "70B", precision: "fp16" }, gpus: "H100:1" });
    assert.deepEqual([answer.refused, answer.field, answer.value], ["never-fits", "gpus", "H100:1"]);
    assert.match(answer.detail, /131\.4 GiB of weights/);
    assert.equal(refused({ model: "7B", gpu_memory: "4GiB" }).field, "gpu_memory");
    assert.equal(refused({ model: "7B", gpus: "A100" }).refused, "never-fits");
    assert.equal(refused({ model: { name: "7B", context: 200_000_000 } }).field, "model.context");
  });
});

describe("a job that trains a model", () => {
  it("tunes adapters on a part, and everything on a gang of whole nodes", () => {
    const lora = sized({ model: { name: "7B", tuning: "lora" } }, [h100]).spec;
    assert.deepEqual([asks(lora), lora.type], [["*:part"], "train"]);
    const full = sized({ model: "70B", type: "train" }, [h100]).spec;
    assert.deepEqual(
      [asks(full), full.members.min, full.topology],
      [["H100-80GB:8"], 2, { level: "rack", required: false }],
    );
  });

  it("refuses fields of serving", () => {
    assert.equal(refused({ type: "train", model: { name: "7B", requests: 4 } }).field, "model.requests");
    assert.equal(refused({ type: "batch", model: { name: "7B", tuning: "lora" } }).field, "model.tuning");
    assert.equal(refused({ model: { name: "7B", batch: 4 } }).field, "model.batch");
  });
});

describe("a job that renders frames", () => {
  it("is an array, a GPU for each frame, with ray tracing first", () => {
    const { spec } = sized({ frames: "1-240%24", frame_time: "5m" }, [h100, l40s]);
    assert.deepEqual(asks(spec), ["L40S:1", "H100-80GB:1"]);
    assert.deepEqual(spec.array, { first: 1, last: 240, step: 1, atOnceMax: 24 });
    assert.deepEqual([spec.isolation, spec.maxTimeMs, spec.retry.max], ["whole", 20 * minute, 3]);
    assert.deepEqual(asks(sized({ frames: "1-3", needs: ["rt"] }, [h100, l40s]).spec), ["L40S:1"]);
  });

  it("refuses fields that contradict rendering", () => {
    assert.equal(refused({ frames: "9-1" }).field, "frames");
    assert.equal(refused({ frames: "1-9", array: "1-9" }).field, "array");
    assert.equal(refused({ scene: "simple" }).field, "scene");
    assert.equal(refused({ frames: "1-9", needs: ["rt"] }, [h100]).refused, "never-fits");
    assert.equal(refused({ frames: "1-9", model: "7B" }).field, "frames");
  });
});

describe("a job that encodes footage", () => {
  it("is cut into segments on parts of GPUs that have an encoder", () => {
    const { spec } = sized({ video: { length: "90m", speed: 60 } }, [h100, l40s]);
    assert.deepEqual([asks(spec), spec.needs, spec.array?.last], [["*:part"], ["nvenc"], 9]);
    assert.equal(spec.env.SEGMENT_SECONDS, "600");
    const short = sized({ video: "5m" }, [l4]).spec;
    assert.deepEqual([asks(short), short.array, short.env.SEGMENT_SECONDS], [["L4:1"], undefined, "300"]);
    assert.equal(refused({ video: "5m" }, [h100]).field, "video");
  });
});

it("a job that does not describe its work is left unchanged", () => {
  const { spec, why } = sized({ gpus: "H100:2" }, [h100]);
  assert.deepEqual([asks(spec), why, spec.needs], [["H100:2"], [], undefined]);
});
