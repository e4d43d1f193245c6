import { type Architecture, architectureOf } from "../../gpu/architecture.ts";
import { enginesOf } from "../../gpu/engines.ts";
import { isRefusal, type Refusal, refuse } from "../../journal/refusal.ts";
import { durationText } from "../../model/duration.ts";
import type { ArrayAsk, GpuNeed, Isolation, JobType, Retry } from "../../model/job.ts";
import { day, minute } from "../../model/units.ts";
import {
  deviceMiB,
  exchangeMiB,
  inferenceFootprint,
  type Precision,
  type Tuning,
  trainingContextMiB,
  trainingFootprint,
  trainingGpusMin,
  usableMiB,
} from "./footprint.ts";

/** A description of the work, instead of the GPUs it needs. */
export type Workload =
  | {
      readonly kind: "inference";
      /** `7B`, or a name that is known or contains a size: `llama-3.1-8b`. */
      readonly model: string;
      readonly precision?: Precision;
      /** Tokens of prompt and answer of one request. */
      readonly contextTokens?: number;
      /** Requests at the same time. */
      readonly concurrency?: number;
    }
  | {
      readonly kind: "finetune";
      readonly model: string;
      readonly tuning?: Tuning;
      readonly sequenceTokens?: number;
      readonly batch?: number;
    }
  | { readonly kind: "train"; readonly model: string; readonly sequenceTokens?: number; readonly batch?: number }
  | {
      readonly kind: "render";
      readonly frames: ArrayAsk;
      readonly scene?: Scene;
      readonly msPerFrame?: number;
    }
  | {
      readonly kind: "video";
      /** Length of the footage. */
      readonly lengthMs: number;
      readonly picture?: Picture;
      readonly framesPerSecond?: number;
      /** Measured on one encoder; absent = as fast as the footage plays. */
      readonly encodedPerSecond?: number;
      readonly segmentMs?: number;
    };

export type Scene = "simple" | "interior" | "exterior" | "volumes";
export type Picture = "1080p" | "4k";

/** A GPU model of the fleet. */
export interface GpuOffer {
  readonly model: string;
  readonly memoryMiB: number;
  readonly gpusPerNode: number;
  /** GPUs in one NVLink domain; 1 = no NVLink. */
  readonly gpusPerNvlink: number;
  /** Whether the fleet offers parts of these GPUs. */
  readonly parts: boolean;
}

/** One acceptable choice for a member; 0 GPUs = a part of one with `gpuMemoryMiB`. */
export interface WorkloadChoice {
  readonly model: string;
  readonly gpus: number;
}

/** The request derived from a workload, and how it was derived. */
export interface WorkloadPlan {
  readonly type: JobType;
  /** In order of preference. `*` = any model. */
  readonly choices: readonly WorkloadChoice[];
  /** The least memory of each GPU, or of the part. */
  readonly gpuMemoryMiB: number;
  readonly members: number;
  readonly topology?: "nvlink" | "node" | "rack?";
  readonly isolation: Isolation;
  readonly needs?: readonly GpuNeed[];
  readonly array?: ArrayAsk;
  readonly maxTimeMs?: number;
  readonly retry?: Retry;
  readonly why: readonly string[];
}

/** The request for a workload on a fleet of these models. */
export function planWorkload(workload: Workload, offers: readonly GpuOffer[]): WorkloadPlan | Refusal {
  const wrong = badAmount(workload);
  if (wrong !== undefined) return wrong;
  switch (workload.kind) {
    case "inference":
    case "finetune":
    case "train":
      return planModel(workload, offers);
    case "render":
      return planRender(workload, offers);
    case "video":
      return planVideo(workload, offers);
  }
}

type Of<Kind extends Workload["kind"]> = Extract<Workload, { kind: Kind }>;

/** The largest accepted values: beyond any real work, and low enough to keep every product an exact integer. */
const amountMax: { readonly [field: string]: number } = {
  contextTokens: 100_000_000,
  concurrency: 1_000_000,
  sequenceTokens: 100_000_000,
  batch: 1_000_000,
  msPerFrame: 365 * day,
  lengthMs: 365 * day,
  segmentMs: 365 * day,
  framesPerSecond: 1000,
  encodedPerSecond: 1_000_000,
};
const tokensAtOnceMax = 100_000_000;

function badAmount(workload: Workload): Refusal | undefined {
  for (const [field, value] of Object.entries(workload)) {
    const most = amountMax[field];
    if (most === undefined || value === undefined) continue;
    if (Number.isSafeInteger(value) && value > 0 && value <= most) continue;
    if (field.endsWith("Ms"))
      return refuse(
        "invalid",
        field,
        durationText(value),
        "is out of range",
        `give more than 0s, up to ${durationText(most)}`,
      );
    return refuse("invalid", field, value, "is out of range", `give a whole number from 1 to ${most}`);
  }
  return undefined;
}

function tooManyTokens(field: string, tokens: number): Refusal {
  return refuse("invalid", field, tokens, "are more tokens at once than any GPU holds", `keep to ${tokensAtOnceMax}`);
}

function unknownModel(model: string): Refusal {
  return refuse("invalid", "model", model, "is not a model whose size is known", "give its size, such as 7B or 70B");
}

/** Without a precision, models up to this size are served at 16 bits and larger ones at 8. */
const halfPrecisionParametersMax = 16_000_000_000;
const degrees: readonly number[] = [1, 2, 4, 8];

/** The memory of a model, served or trained. */
export interface ModelSize {
  readonly model: Architecture;
  /** Memory on one GPU. */
  readonly needMiB: number;
  /** Memory on each of several GPUs. */
  readonly eachMiB: (gpus: number) => number;
  /** The fewest GPUs of this memory that hold it; 0 = no number does. */
  readonly gpusMin: (memoryMiB: number) => number;
  /** How to make it smaller. */
  readonly hint: string;
  readonly why: readonly string[];
}

type OfModel = Of<"inference" | "finetune" | "train">;

/** The memory that a model needs on any GPUs. */
export function sizeOfModel(workload: OfModel): ModelSize | Refusal {
  const wrong = badAmount(workload);
  if (wrong !== undefined) return wrong;
  const model = architectureOf(workload.model);
  if (model === undefined) return unknownModel(workload.model);
  return workload.kind === "inference" ? servedSize(workload, model) : trainedSize(workload, model);
}

function servedSize(workload: Of<"inference">, model: Architecture): ModelSize | Refusal {
  const precision = workload.precision ?? (model.parameters <= halfPrecisionParametersMax ? "fp16" : "int8");
  const { contextTokens = 4096, concurrency = 8 } = workload;
  const tokens = contextTokens * concurrency;
  if (tokens > tokensAtOnceMax) return tooManyTokens("contextTokens", tokens);
  const { weightsMiB, kvMiB, needMiB } = inferenceFootprint(model, precision, contextTokens, concurrency);
  const eachMiB = (gpus: number) => (gpus === 1 ? needMiB : Math.ceil(needMiB / gpus) + exchangeMiB);
  return {
    model,
    needMiB,
    eachMiB,
    gpusMin: (memoryMiB) =>
      degrees.find((degree) => model.kvHeads % degree === 0 && eachMiB(degree) <= usableMiB(memoryMiB)) ?? 0,
    hint: precision === "int4" ? "lower the context or the requests" : "use a lower precision, such as int4",
    why: [
      `${model.name} at ${precision}: ${gib(weightsMiB)} of weights`,
      `${concurrency} requests of ${contextTokens} tokens at a time: ${gib(kvMiB)} of keys and values`,
      `with context and workspace ${gib(needMiB)}`,
    ],
  };
}

function trainedSize(workload: Of<"finetune" | "train">, model: Architecture): ModelSize | Refusal {
  const tuning = workload.kind === "train" ? "full" : (workload.tuning ?? "lora");
  const { sequenceTokens = 2048, batch = 1 } = workload;
  const tokens = sequenceTokens * batch;
  if (tokens > tokensAtOnceMax) return tooManyTokens("sequenceTokens", tokens);
  const footprint = trainingFootprint(model, tuning, sequenceTokens, batch);
  const besideMiB = footprint.activationMiB + trainingContextMiB;
  return {
    model,
    needMiB: footprint.statesMiB + besideMiB,
    eachMiB: (gpus) => Math.ceil(footprint.statesMiB / gpus) + besideMiB,
    gpusMin: (memoryMiB) => trainingGpusMin(footprint, memoryMiB),
    hint: "shorten the sequence or lower the batch",
    why: [
      `${model.name}, ${tuning}: ${gib(footprint.statesMiB)} of weights, gradients and optimizer, spread over the GPUs`,
      `${batch} x ${sequenceTokens} tokens: ${gib(footprint.activationMiB)} of activations on each GPU, recomputed`,
    ],
  };
}

function planModel(workload: OfModel, offers: readonly GpuOffer[]): WorkloadPlan | Refusal {
  const size = sizeOfModel(workload);
  if (isRefusal(size)) return size;
  const type = workload.kind === "inference" ? "service" : "train";
  if (isSmall(size.needMiB, offers)) return partOf(type, size.needMiB, size.why);
  const fits = offers.flatMap((offer) => {
    const least = size.gpusMin(offer.memoryMiB);
    if (least === 0) return [];
    return workload.kind === "inference" ? parallelFit(offer, size, least) : shardedFit(offer, size, least);
  });
  return gangOf(type, fits, size, workload.model);
}

/** The lowest tensor-parallel degree that fits, inside one NVLink domain. */
function parallelFit(offer: GpuOffer, { eachMiB }: ModelSize, degree: number): Fit[] {
  const gpus = Math.min(degree, offer.gpusPerNode);
  if (degree > Math.max(1, offer.gpusPerNvlink) || degree % gpus !== 0) return [];
  return [{ offer, gpus, members: degree / gpus, eachMiB: eachMiB(degree) }];
}

function shardedFit(offer: GpuOffer, { eachMiB }: ModelSize, least: number): Fit[] {
  const { gpus, members } = shardsOver(least, offer.gpusPerNode);
  return [{ offer, gpus, members, eachMiB: eachMiB(gpus * members) }];
}

/** Powers of two inside a node, whole nodes beyond: the libraries run best on these. */
function shardsOver(least: number, gpusPerNode: number): { gpus: number; members: number } {
  if (least > gpusPerNode) return { gpus: gpusPerNode, members: Math.ceil(least / gpusPerNode) };
  let gpus = 1;
  while (gpus < least) gpus *= 2;
  return { gpus: Math.min(gpus, gpusPerNode), members: 1 };
}

/** Upper ends of the usual memory of scenes. */
const sceneMiB: { readonly [scene in Scene]: number } = {
  simple: 8 * 1024,
  interior: 16 * 1024,
  exterior: 32 * 1024,
  volumes: 48 * 1024,
};

/** Retries failures of the machine: a frame or a segment is cheap to repeat. */
const retryAlone: Retry = { max: 3, when: ["node_lost", "preempted"] };

/** One GPU for each frame: frames are independent, and a renderer takes all the memory it finds. */
function planRender(workload: Of<"render">, offers: readonly GpuOffer[]): WorkloadPlan | Refusal {
  const { scene = "interior", frames, msPerFrame } = workload;
  const gpuMemoryMiB = deviceMiB(sceneMiB[scene]);
  const large = tightFirst(offers.filter(({ memoryMiB }) => memoryMiB >= gpuMemoryMiB));
  if (large.length === 0) return tooLarge("scene", scene, sceneMiB[scene], "split the scene or bake its textures");
  const traces = large.filter(({ model }) => enginesOf(model)?.rayTracing === true);
  const others = large.filter((offer) => !traces.includes(offer));
  return {
    type: "batch",
    choices: [...traces, ...others].map(({ model }) => ({ model, gpus: 1 })),
    gpuMemoryMiB,
    members: 1,
    isolation: "whole",
    array: frames,
    ...(msPerFrame === undefined ? {} : { maxTimeMs: limitFor(msPerFrame) }),
    retry: retryAlone,
    why: [
      `frames ${frames.first} to ${frames.last}, one for each GPU, a failed one again alone`,
      `${scene} scenes take up to ${gib(sceneMiB[scene])}`,
      traces.length > 0 ? "models with ray tracing first" : "no model here has ray tracing: frames will be slow",
    ],
  };
}

/** Memory of one stream: surfaces in flight and the context of its process. */
const pictureMiB: { readonly [picture in Picture]: number } = { "1080p": 150, "4k": 500 };
const streamContextMiB = 308;

/** Cuts footage into segments of time, each encoded on its own. Encoders are separate from compute units. */
function planVideo(workload: Of<"video">, offers: readonly GpuOffer[]): WorkloadPlan | Refusal {
  const { lengthMs, picture = "1080p", framesPerSecond = 30, segmentMs = 10 * minute } = workload;
  const encodedPerSecond = workload.encodedPerSecond ?? framesPerSecond;
  const able = tightFirst(offers.filter(({ model }) => (enginesOf(model)?.encoders ?? 0) > 0));
  if (able.length === 0) {
    const detail = "needs a video encoder, and no model here is known to have one";
    return refuse("never-fits", "kind", "video", detail, "use a model with encoders, such as L4 or L40S");
  }
  const segments = Math.ceil(lengthMs / segmentMs);
  const shared = able.some(({ parts }) => parts);
  const runMs = Math.ceil((Math.min(lengthMs, segmentMs) * framesPerSecond) / encodedPerSecond);
  const needMiB = pictureMiB[picture] + streamContextMiB;
  return {
    type: "batch",
    choices: shared ? [{ model: "*", gpus: 0 }] : able.map(({ model }) => ({ model, gpus: 1 })),
    gpuMemoryMiB: deviceMiB(needMiB),
    members: 1,
    isolation: "any",
    needs: ["nvenc"],
    ...(segments > 1 ? { array: { first: 1, last: segments, step: 1 } } : {}),
    maxTimeMs: limitFor(runMs),
    retry: retryAlone,
    why: [
      `${segments} segments of up to ${Math.ceil(segmentMs / minute)} minutes, each on one encoder`,
      `one ${picture} stream: ${needMiB} MiB`,
      workload.encodedPerSecond === undefined
        ? "taken to run as fast as the footage plays; a measured speed gives a better time"
        : `${encodedPerSecond} frames a second were measured`,
    ],
  };
}

/** Four times the expected time, so that a hard frame is not cut off, and at least ten minutes. */
function limitFor(expectedMs: number): number {
  return Math.max(10 * minute, 4 * expectedMs);
}

/** The number of GPUs of one model that hold the work. */
interface Fit {
  readonly offer: GpuOffer;
  readonly gpus: number;
  readonly members: number;
  readonly eachMiB: number;
}

/** Beyond 60 % of a GPU a whole one is taken: a part would leave too little to others to be worth sharing. */
function isSmall(needMiB: number, offers: readonly GpuOffer[]): boolean {
  return offers.some(({ parts, memoryMiB }) => parts && deviceMiB(needMiB) * 100 <= memoryMiB * 60);
}

function partOf(type: JobType, needMiB: number, why: readonly string[]): WorkloadPlan {
  return {
    type,
    choices: [{ model: "*", gpus: 0 }],
    gpuMemoryMiB: deviceMiB(needMiB),
    members: 1,
    isolation: "any",
    why: [...why, `a part of a GPU with ${gib(deviceMiB(needMiB))} holds it`],
  };
}

/**
 * Whole GPUs: first the model of which the fewest are needed, and of equals the smallest, then the models that make the
 * same gang (a request has one number of members and one topology).
 */
function gangOf(
  type: JobType,
  fits: readonly Fit[],
  { why, needMiB, hint }: ModelSize,
  model: string,
): WorkloadPlan | Refusal {
  const total = (fit: Fit) => fit.gpus * fit.members;
  const sorted = fits.toSorted((a, b) => total(a) - total(b) || byMemoryThenName(a.offer, b.offer));
  const best = sorted[0];
  if (best === undefined) return tooLarge("model", model, needMiB, hint);
  const chosen = sorted.filter((fit) => fit.members === best.members);
  const topology = topologyOf(chosen);
  return {
    type,
    choices: chosen.map(({ offer, gpus }) => ({ model: offer.model, gpus })),
    gpuMemoryMiB: 0,
    members: best.members,
    ...(topology === undefined ? {} : { topology }),
    isolation: "whole",
    why: [
      ...why,
      ...chosen.map((fit) => `${total(fit)} x ${fit.offer.model}: ${gib(fit.eachMiB)} of ${gib(fit.offer.memoryMiB)}`),
    ],
  };
}

/** The closest topology level that holds all members. */
function topologyOf(fits: readonly Fit[]): WorkloadPlan["topology"] {
  if (fits.every(({ gpus, members }) => gpus * members === 1)) return undefined;
  if (fits.every(({ offer, gpus, members }) => gpus * members <= Math.max(1, offer.gpusPerNvlink))) return "nvlink";
  return fits[0]!.members === 1 ? "node" : "rack?";
}

function tooLarge(field: string, value: string, needMiB: number, hint: string): Refusal {
  return refuse("never-fits", field, value, `needs ${gib(needMiB)}, which no GPUs here hold together`, hint);
}

function tightFirst(offers: readonly GpuOffer[]): readonly GpuOffer[] {
  return offers.toSorted(byMemoryThenName);
}

function byMemoryThenName(a: GpuOffer, b: GpuOffer): number {
  return a.memoryMiB - b.memoryMiB || (a.model < b.model ? -1 : a.model > b.model ? 1 : 0);
}

function gib(mib: number): string {
  const tenths = Math.round((mib * 10) / 1024);
  return `${Math.floor(tenths / 10)}.${tenths % 10} GiB`;
}
