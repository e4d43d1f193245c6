import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { seatPart } from "../../gpu/seat.ts";
import { isRefusal, type Refusal } from "../../journal/refusal.ts";
import { sharingOf } from "../../model/sharing.ts";
import { hour, minute } from "../../model/units.ts";
import { type GpuOffer, planWorkload, type Workload, type WorkloadPlan } from "./workload.ts";

function offer(model: string, memoryMiB: number, gpusPerNode = 8, gpusPerNvlink = gpusPerNode): GpuOffer {
  return { model, memoryMiB, gpusPerNode, gpusPerNvlink, parts: true };
}

const h100 = offer("H100-80GB", 81_559);
const h200 = offer("H200-141GB", 143_771);
const a100 = offer("A100-40GB", 40_960);
const b200 = offer("B200-180GB", 183_359);
const gb200 = offer("GB200-186GB", 189_471, 4, 72);
const l4 = offer("L4", 23_034, 8, 1);
const l40s = offer("L40S", 46_068, 8, 1);

function planned(workload: Workload, offers: readonly GpuOffer[]): WorkloadPlan {
  const plan = planWorkload(workload, offers);
  assert.ok(!isRefusal(plan), JSON.stringify(plan));
  assert.ok(plan.why.length > 0);
  return plan;
}

function refused(workload: Workload, offers: readonly GpuOffer[]): Refusal {
  const plan = planWorkload(workload, offers);
  assert.ok(isRefusal(plan), JSON.stringify(plan));
  return plan;
}

describe("inference by the size of the model", () => {
  it("[P3] becomes a part of a GPU if it is small, which a MIG pool turns into a slice", () => {
    const plan = planned({ kind: "inference", model: "7B", concurrency: 1 }, [h100, l4]);
    assert.deepEqual(plan.choices, [{ model: "*", gpus: 0 }]);
    assert.equal(plan.type, "service");
    const ask = { compute: 0, memory: 0, memoryMiB: plan.gpuMemoryMiB, isolation: plan.isolation };
    const device = { model: "H100-80GB", memoryMiB: 81_559, sharing: sharingOf({ pool: "mig" }, undefined) };
    const seat = seatPart(device, [], { tenant: 1, trust: "trusted", group: "", migWith: [], type: "service" }, ask);
    assert.ok(typeof seat === "object" && seat.profile === "1g.20gb");
  });

  it("takes a whole GPU beyond 60 % of one", () => {
    const plan = planned({ kind: "inference", model: "7B", concurrency: 1 }, [l4]);
    assert.deepEqual([plan.choices, plan.members, plan.topology], [[{ model: "L4", gpus: 1 }], 1, undefined]);
  });

  it("spreads over the GPUs of one NVLink domain when one GPU is too small, fewest GPUs first", () => {
    const offers = [a100, h100, h200, l40s, b200];
    const plan = planned({ kind: "inference", model: "70B", precision: "fp16", concurrency: 1 }, offers);
    assert.deepEqual(plan.choices, [
      { model: "B200-180GB", gpus: 1 },
      { model: "H100-80GB", gpus: 2 },
      { model: "H200-141GB", gpus: 2 },
      { model: "A100-40GB", gpus: 4 },
    ]);
    assert.equal(plan.topology, "nvlink");
    assert.equal(plan.isolation, "whole");
  });

  it("spreads over nodes only where NVLink reaches that far", () => {
    const plan = planned({ kind: "inference", model: "llama-3.1-405b", precision: "fp16" }, [gb200]);
    assert.deepEqual([plan.choices, plan.members], [[{ model: "GB200-186GB", gpus: 4 }], 2]);
    assert.equal(plan.topology, "nvlink");
    const answer = refused({ kind: "inference", model: "70B", precision: "fp16" }, [l40s]);
    assert.deepEqual([answer.refused, answer.field, answer.value], ["never-fits", "model", "70B"]);
    assert.match(answer.hint, /int4/);
  });

  it("counts the buffers of each GPU, and only degrees that divide the heads", () => {
    const gpusOf = (workload: Partial<Workload>, memoryMiB: number) =>
      planned({ kind: "inference", precision: "fp16", concurrency: 1, model: "70B", ...workload } as Workload, [
        offer("some", memoryMiB),
      ]).choices[0]?.gpus;
    assert.equal(gpusOf({}, 79 * 1024), 2);
    assert.equal(gpusOf({}, 78 * 1024), 4, "half of it would fit, but not with the buffers");
    const fourHeads: Workload = { kind: "inference", model: "starcoder2-15b", concurrency: 1 };
    assert.equal(gpusOf(fourHeads, 11 * 1024), 4);
    assert.equal(refused(fourHeads, [offer("some", 8 * 1024)]).refused, "never-fits");
  });

  it("is served at 16 bits up to 16 billion parameters and at 8 bits beyond, unless the job names a precision", () => {
    assert.match(planned({ kind: "inference", model: "13B" }, [h200]).why[0]!, /fp16/);
    assert.match(planned({ kind: "inference", model: "70B" }, [h200]).why[0]!, /int8/);
  });

  it("needs more memory with more context, more requests or more bits, never less", () => {
    const memory = (rest: Partial<Extract<Workload, { kind: "inference" }>>) =>
      planned({ kind: "inference", model: "8B", ...rest }, [offer("huge", 10_000_000)]).gpuMemoryMiB;
    assert.ok(memory({ contextTokens: 8192 }) > memory({}));
    assert.ok(memory({ concurrency: 9 }) > memory({}));
    assert.ok(
      memory({ precision: "int8" }) < memory({}) && memory({ precision: "int4" }) < memory({ precision: "fp8" }),
    );
  });
});

describe("tuning and training by the size of the model", () => {
  it("tunes adapters unless the job says otherwise: a 7B fits a part, its full tuning two H100", () => {
    assert.deepEqual(planned({ kind: "finetune", model: "7B" }, [h100]).choices, [{ model: "*", gpus: 0 }]);
    const full = planned({ kind: "finetune", model: "7B", tuning: "full" }, [h100]);
    assert.deepEqual([full.choices, full.topology], [[{ model: "H100-80GB", gpus: 2 }], "nvlink"]);
    assert.deepEqual(planned({ kind: "train", model: "7B" }, [h100]), full);
  });

  it("[P1] becomes a gang of whole nodes when one node is too small", () => {
    const plan = planned({ kind: "train", model: "70B" }, [h200]);
    assert.deepEqual([plan.choices, plan.members], [[{ model: "H200-141GB", gpus: 8 }], 2]);
    assert.equal(plan.topology, "rack?");
    assert.equal(plan.type, "train");
  });

  it("offers only models that make the same gang as the best one", () => {
    const plan = planned({ kind: "train", model: "70B" }, [h100, b200]);
    assert.deepEqual([plan.choices, plan.members], [[{ model: "B200-180GB", gpus: 8 }], 1]);
  });

  it("stays on one node without NVLink", () => {
    const plan = planned({ kind: "finetune", model: "13B", tuning: "lora" }, [l4]);
    assert.deepEqual([plan.choices, plan.topology], [[{ model: "L4", gpus: 2 }], "node"]);
  });

  it("is refused with the reason if no number of GPUs holds it", () => {
    const answer = refused({ kind: "train", model: "70B", sequenceTokens: 131_072 }, [h100]);
    assert.deepEqual([answer.refused, answer.value], ["never-fits", "70B"]);
    assert.match(answer.hint, /sequence/);
  });
});

describe("rendering by frame and video by time", () => {
  const frames = { first: 1, last: 240, step: 1, atOnceMax: 24 };

  it("gives each frame a GPU of its own, with ray tracing if the fleet has it", () => {
    const plan = planned({ kind: "render", frames, msPerFrame: 5 * minute }, [h100, l40s, l4]);
    assert.deepEqual(
      plan.choices.map(({ model }) => model),
      ["L4", "L40S", "H100-80GB"],
    );
    assert.ok(plan.choices.every(({ gpus }) => gpus === 1));
    assert.deepEqual([plan.array, plan.isolation, plan.maxTimeMs], [frames, "whole", 20 * minute]);
    assert.deepEqual(plan.retry?.when, ["node_lost", "preempted"]);
  });

  it("refuses a scene that no GPU holds", () => {
    assert.equal(refused({ kind: "render", frames, scene: "exterior" }, [l4]).field, "scene");
  });

  it("cuts footage into segments, each on a GPU that can encode", () => {
    const plan = planned({ kind: "video", lengthMs: 90 * minute, encodedPerSecond: 60 }, [h100, l40s, l4]);
    assert.deepEqual([plan.choices, plan.needs], [[{ model: "*", gpus: 0 }], ["nvenc"]]);
    const whole = planned({ kind: "video", lengthMs: minute }, [h100, { ...l40s, parts: false }]);
    assert.deepEqual(whole.choices, [{ model: "L40S", gpus: 1 }]);
    assert.deepEqual(plan.array, { first: 1, last: 9, step: 1 });
    assert.equal(plan.maxTimeMs, 20 * minute);
    assert.equal(planned({ kind: "video", lengthMs: 5 * minute }, [l4]).array, undefined);
    assert.equal(planned({ kind: "video", lengthMs: 2 * hour, segmentMs: hour }, [l4]).maxTimeMs, 4 * hour);
  });

  it("refuses video on a fleet without encoders", () => {
    assert.match(refused({ kind: "video", lengthMs: minute }, [h100, h200]).detail, /encoder/);
  });
});

describe("an invalid workload", () => {
  it("is refused with the field, the value and a hint", () => {
    const cases: [Workload, string][] = [
      [{ kind: "inference", model: "large" }, "model"],
      [{ kind: "train", model: "7" }, "model"],
      [{ kind: "inference", model: "7B", contextTokens: 0 }, "contextTokens"],
      [{ kind: "inference", model: "7B", concurrency: 1.5 }, "concurrency"],
      [{ kind: "inference", model: "7B", contextTokens: 1_000_000, concurrency: 1000 }, "contextTokens"],
      [{ kind: "finetune", model: "7B", batch: Number.NaN }, "batch"],
      [{ kind: "video", lengthMs: -1 }, "lengthMs"],
    ];
    for (const [workload, field] of cases) {
      const answer = refused(workload, [h100]);
      assert.deepEqual([answer.refused, answer.field], ["invalid", field]);
      assert.ok(answer.hint.length > 0);
    }
  });

  it("is refused on a fleet without GPUs", () => {
    for (const kind of ["inference", "finetune", "train"] as const) {
      assert.equal(refused({ kind, model: "7B" }, []).refused, "never-fits");
    }
  });
});
