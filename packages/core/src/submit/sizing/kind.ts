import { enginesHave } from "../../gpu/engines.ts";
import { isRefusal, type Refusal, refuse, refuseAll } from "../../journal/refusal.ts";
import { modelMatches } from "../../model/gpu-name.ts";
import type { ArrayAsk } from "../../model/job.ts";
import { minute, second } from "../../model/units.ts";
import { needsOf, parseArray } from "../fields.ts";
import { parseGpus, type RawGpus } from "../gpus.ts";
import { plainValue, type RawJob } from "../parse.ts";
import { parseDuration, parseSize } from "../quantities.ts";
import type { Precision, Tuning } from "./footprint.ts";
import {
  type GpuOffer,
  type Picture,
  planWorkload,
  type Scene,
  sizeOfModel,
  type Workload,
  type WorkloadPlan,
} from "./workload.ts";

/** `7B`, or a model with the other values that decide its memory. */
export type RawModel =
  | string
  | {
      readonly name: string;
      readonly precision?: Precision;
      /** Tokens of one request, or of one training sequence. */
      readonly context?: number;
      /** Requests at the same time. */
      readonly requests?: number;
      readonly tuning?: Tuning;
      readonly batch?: number;
    };

/** `90m` of footage, or its length with the other values that decide its encoding time. */
export type RawVideo =
  | string
  | {
      readonly length: string;
      readonly picture?: Picture;
      readonly fps?: number;
      /** Frames per second measured on one encoder. */
      readonly speed?: number;
      readonly segment?: string;
    };

/** Fields that describe the work instead of the GPUs it needs. */
export interface RawKind {
  readonly model?: RawModel;
  readonly frames?: string;
  readonly scene?: Scene;
  readonly frame_time?: string;
  readonly video?: RawVideo;
}

/** A job in plain fields, and how the fields that it did not give were derived. */
export interface Sized {
  readonly raw: RawJob;
  readonly why: readonly string[];
}

/**
 * Derives the fields of a job that describes its work (a model to serve or train, frames to render, footage to encode)
 * for the GPUs of this fleet. Fields that the job gives itself are kept, and refused if they cannot hold the work.
 */
export function sizeJob(raw: RawJob & RawKind, offers: readonly GpuOffer[]): Sized | Refusal {
  const { frames, scene, frame_time, video, ...plain } = raw;
  const wrong = badCombination(raw);
  if (wrong !== undefined) return wrong;
  if (raw.model === undefined && frames === undefined && video === undefined) return { raw: plain, why: [] };
  const workload = workloadOf(raw);
  if (isRefusal(workload)) return workload;
  const usable = usableOffers(raw, offers);
  if (isRefusal(usable)) return usable;
  if (raw.model !== undefined && givesGpus(raw)) return checkGiven(plain, workload, usable);
  const plan = planWorkload(workload, usable);
  if (isRefusal(plan)) return { ...plan, field: fieldNames[plan.field] ?? plan.field };
  return { raw: filled(plain, plan, workload), why: plan.why };
}

const fieldNames: { readonly [field: string]: string } = {
  contextTokens: "model.context",
  sequenceTokens: "model.context",
  concurrency: "model.requests",
  batch: "model.batch",
  msPerFrame: "frame_time",
  lengthMs: "video.length",
  segmentMs: "video.segment",
  framesPerSecond: "video.fps",
  encodedPerSecond: "video.speed",
  kind: "video",
};

function badCombination(raw: RawJob & RawKind): Refusal | undefined {
  const mistakes: Refusal[] = [];
  const wrong = (field: string, value: Refusal["value"], detail: string, hint: string) =>
    mistakes.push(refuse("invalid", field, value, detail, hint));
  const kinds = (["model", "frames", "video"] as const).filter((field) => raw[field] !== undefined);
  if (kinds.length > 1)
    wrong(kinds[1]!, null, `cannot be used together with ${kinds[0]}`, "submit two jobs, the second with after");
  const ranges = raw.frames ?? (raw.video === undefined ? undefined : "video");
  if (ranges !== undefined && raw.array !== undefined)
    wrong(
      "array",
      raw.array,
      "cannot be used together with frames or video, which make an array themselves",
      "leave it out",
    );
  for (const field of ["scene", "frame_time"] as const) {
    if (raw[field] !== undefined && raw.frames === undefined)
      wrong(field, raw[field], "needs frames, and the job has none", "add frames: 1-240");
  }
  const model = typeof raw.model === "object" ? raw.model : undefined;
  if (model === undefined) return refuseAll(mistakes);
  const training = trains(raw);
  if (training && model.precision !== undefined)
    wrong("model.precision", model.precision, "is for serving a model", "leave it out, or give tuning: qlora");
  if (training && model.requests !== undefined)
    wrong("model.requests", model.requests, "is for serving a model", "use batch for training");
  if (!training && model.batch !== undefined)
    wrong("model.batch", model.batch, "is for training a model", "use requests for serving");
  if (raw.type !== undefined && raw.type !== "train" && model.tuning !== undefined)
    wrong("model.tuning", model.tuning, `is for training, and type is ${raw.type}`, "write type: train");
  return refuseAll(mistakes);
}

function trains({ type, model }: RawJob & RawKind): boolean {
  return type === "train" || (type === undefined && typeof model === "object" && model.tuning !== undefined);
}

function workloadOf(raw: RawJob & RawKind): Workload | Refusal {
  if (raw.model !== undefined) return modelWorkload(raw, raw.model);
  if (raw.frames !== undefined) {
    const frames = parseArray(raw.frames, "frames");
    if (isRefusal(frames)) return frames;
    const msPerFrame = raw.frame_time === undefined ? undefined : parseDuration(raw.frame_time, "frame_time");
    if (isRefusal(msPerFrame)) return msPerFrame;
    return { kind: "render", frames: frames as ArrayAsk, ...given({ scene: raw.scene, msPerFrame }) };
  }
  const video = typeof raw.video === "object" ? raw.video : { length: raw.video! };
  const lengthMs = parseDuration(video.length, typeof raw.video === "object" ? "video.length" : "video");
  if (isRefusal(lengthMs)) return lengthMs;
  const segmentMs = video.segment === undefined ? undefined : parseDuration(video.segment, "video.segment");
  if (isRefusal(segmentMs)) return segmentMs;
  if (segmentMs !== undefined && segmentMs < second)
    return refuse(
      "invalid",
      "video.segment",
      video.segment!,
      "is too short to be encoded on its own",
      "give at least 1s",
    );
  const { picture, fps: framesPerSecond, speed: encodedPerSecond } = video;
  return { kind: "video", lengthMs, ...given({ picture, framesPerSecond, encodedPerSecond, segmentMs }) };
}

function modelWorkload(raw: RawJob & RawKind, model: RawModel): Workload {
  const { name, precision, context, requests, tuning, batch } =
    typeof model === "string" ? { name: model } : asGiven(model);
  if (!trains(raw))
    return { kind: "inference", model: name, ...given({ precision, contextTokens: context, concurrency: requests }) };
  const shape = given({ sequenceTokens: context, batch });
  if (tuning === undefined || tuning === "full") return { kind: "train", model: name, ...shape };
  return { kind: "finetune", model: name, tuning, ...shape };
}

type ModelFields = Exclude<RawModel, string>;
function asGiven(model: ModelFields): ModelFields {
  return model;
}

/** Without undefined fields. */
function given<Fields extends object>(fields: Fields): { [Key in keyof Fields]?: Exclude<Fields[Key], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;
}

/** Beside a description, `gpus` may name models without counts; `needs` and `isolation` restrict the choice too. */
function usableOffers(raw: RawJob & RawKind, offers: readonly GpuOffer[]): readonly GpuOffer[] | Refusal {
  const names = modelNames(raw.gpus);
  const needs = needsOf(raw);
  const able = offers.filter(
    ({ model }) => (names?.some((name) => modelMatches(name, model)) ?? true) && enginesHave(model, needs),
  );
  if (able.length === 0) {
    const asked = [...(names ?? []), ...needs].join(", ");
    const known = offers.map(({ model }) => model).join(", ") || "none";
    return refuse("never-fits", "gpus", asked, "is not a model of this fleet", `use one of ${known}`);
  }
  // A model named without a count means whole GPUs.
  const whole = names !== undefined || raw.isolation === "whole";
  return whole ? able.map((offer) => ({ ...offer, parts: false })) : able;
}

/** The models that `gpus` names without counts; undefined if it names none. */
function modelNames(gpus: RawJob["gpus"]): readonly string[] | undefined {
  if (gpus === undefined) return undefined;
  const list = typeof gpus === "object" ? ("any" in gpus ? gpus.any : gpus) : [gpus];
  const names = list.filter((each): each is string => typeof each === "string" && bareName.test(each));
  return names.length === list.length ? names : undefined;
}

const bareName = /^[A-Za-z][A-Za-z0-9._-]{0,62}$/;

function givesGpus(raw: RawJob): boolean {
  if (raw.gpu_memory !== undefined || raw.gpu_compute !== undefined) return true;
  return raw.gpus !== undefined && modelNames(raw.gpus) === undefined;
}

/** The job gives its own amount of GPUs: some GPUs of the fleet must hold the model with it. */
function checkGiven(raw: RawJob, workload: Workload, offers: readonly GpuOffer[]): Sized | Refusal {
  const size = sizeOfModel(workload as Extract<Workload, { readonly model: string }>);
  if (isRefusal(size)) return { ...size, field: fieldNames[size.field] ?? size.field };
  const asks = parseGpus((raw.gpus ?? 1) as RawGpus, "gpus");
  if (isRefusal(asks)) return asks;
  const partMiB = raw.gpu_memory === undefined ? 0 : parseSize(raw.gpu_memory, "gpu_memory");
  if (isRefusal(partMiB)) return partMiB;
  const members = Number(/^\d+/.exec(String(raw.members ?? raw.nodes ?? 1))?.[0] ?? 1);
  const type = raw.type ?? (workload.kind === "inference" ? "service" : "train");
  // Profiles and fractions are not checked: their memory depends on the device.
  if (asks.some((ask) => ask.part !== undefined) || raw.gpu_compute !== undefined)
    return { raw: { ...raw, type }, why: size.why };
  const holds = asks.some((ask) =>
    offers.some(({ model, memoryMiB }) => {
      if (!modelMatches(ask.model, model)) return false;
      const eachMiB = raw.gpus === undefined && partMiB > 0 ? Math.min(partMiB, memoryMiB) : memoryMiB;
      return size.eachMiB(ask.count * members) <= Math.floor((eachMiB * 92) / 100);
    }),
  );
  if (holds) return { raw: { ...raw, type }, why: size.why };
  const field = raw.gpus === undefined ? "gpu_memory" : "gpus";
  const value = raw.gpus === undefined ? (raw.gpu_memory ?? null) : plainValue(raw.gpus);
  return refuse(
    "never-fits",
    field,
    value,
    `cannot hold the model: ${size.why.join("; ")}`,
    "leave it out to have it chosen",
  );
}

/** The values of the plan for all fields that the job does not give. */
function filled(raw: RawJob, plan: WorkloadPlan, workload: Workload): RawJob {
  const part = plan.choices[0]!.gpus === 0;
  const { gpus: _, ...rest } = raw;
  const needs = [...new Set([...needsOf(raw), ...(plan.needs ?? [])])].sort();
  const choices = plan.choices.map(({ model, gpus }) => (model === "*" ? gpus : `${model}:${gpus}`));
  const gang = raw.nodes === undefined && raw.members === undefined && plan.members > 1;
  return {
    type: plan.type,
    isolation: plan.isolation,
    ...(plan.topology !== undefined && { topology: plan.topology }),
    ...(plan.maxTimeMs !== undefined && { max_time: `${Math.ceil(plan.maxTimeMs / second)}s` }),
    ...(plan.retry !== undefined && { retry: plan.retry }),
    ...(plan.array !== undefined && { array: arrayText(plan.array) }),
    ...rest,
    ...(!part && { gpus: choices.length === 1 ? choices[0]! : choices }),
    ...(plan.gpuMemoryMiB > 0 && { gpu_memory: plan.gpuMemoryMiB }),
    ...(gang && { members: plan.members }),
    ...(needs.length > 0 && { needs }),
    ...(workload.kind === "video" && { env: { ...segmentEnv(workload, plan), ...raw.env } }),
  };
}

/** Tells an array element its part of the footage: this many seconds, from (index - 1) times this. */
function segmentEnv({ segmentMs = 10 * minute, lengthMs }: Extract<Workload, { kind: "video" }>, plan: WorkloadPlan) {
  const ms = plan.array === undefined ? lengthMs : segmentMs;
  return { SEGMENT_SECONDS: Math.ceil(ms / second) };
}

function arrayText({ first, last, step, atOnceMax }: ArrayAsk): string {
  return `${first}-${last}${step === 1 ? "" : `:${step}`}${atOnceMax === undefined ? "" : `%${atOnceMax}`}`;
}
