import {
  type ArrayAsk,
  decimalText,
  durationText,
  type GpuAsk,
  type IdleRule,
  type JobSpec,
  type ModelAsk,
  memoryText,
  type Slo,
  shareText,
  unitsPerGpu,
} from "@tessera/core";
import { timestamp } from "./quantities.ts";

/** A spec in the words of the job file, defaults filled in: what one gets back can be submitted again. */
export function renderSpec(spec: JobSpec): Record<string, unknown> {
  const { min, max, apart } = spec.members;
  const size = max > min ? `${min}..${max}` : min;
  return {
    name: spec.name,
    type: spec.type,
    ...(spec.image !== undefined && { image: spec.image }),
    ...workdirOf(spec),
    ...(spec.venv !== undefined && { venv: spec.venv.optional ? spec.venv : spec.venv.path }),
    ...(spec.setup !== undefined && { setup: spec.setup }),
    run: spec.run,
    ...renderGpus(spec),
    ...(spec.needs !== undefined && { needs: spec.needs }),
    ...(spec.model !== undefined && { model: modelText(spec.model) }),
    ...(apart ? { nodes: size } : { members: size }),
    ...(spec.cpusMilli > 0 && spec.usual?.cpus !== true && { cpus: spec.cpusMilli / 1000 }),
    ...(spec.memoryMiB > 0 && spec.usual?.memory !== true && { memory: memoryText(spec.memoryMiB) }),
    ...(spec.shmMiB !== undefined && { shm: memoryText(spec.shmMiB) }),
    ...(spec.scratchMiB !== undefined && { scratch: memoryText(spec.scratchMiB) }),
    ...(spec.gpuMemoryMiB > 0 && { gpu_memory: memoryText(spec.gpuMemoryMiB) }),
    ...(spec.topology !== undefined && { topology: `${spec.topology.level}${spec.topology.required ? "" : "?"}` }),
    ...(spec.spread !== undefined && { spread: `${spec.spread.level}${spec.spread.required ? "" : "?"}` }),
    ...(spec.engine !== undefined && { engine: spec.engine }),
    ...(spec.region !== undefined && { region: spec.region }),
    ...(spec.where !== undefined && { where: spec.where }),
    ...(spec.apartFrom !== undefined && { apart_from: spec.apartFrom }),
    isolation: spec.isolation,
    strict: spec.strict,
    ...(spec.maxTimeMs !== undefined && { max_time: durationText(spec.maxTimeMs) }),
    ...(spec.expectedMs !== undefined && { expected_time: durationText(spec.expectedMs) }),
    ...(spec.maxPriceMicros !== undefined && { max_price: plainAmount(spec.maxPriceMicros) }),
    ...(spec.budgetMicros !== undefined && { budget: plainAmount(spec.budgetMicros) }),
    ...(spec.deadlineAt !== undefined && { deadline: timestamp(spec.deadlineAt) }),
    ...(spec.notBeforeAt !== undefined && { not_before: timestamp(spec.notBeforeAt) }),
    ...(spec.zone !== undefined && { tz: spec.zone }),
    priority: spec.priority,
    preemptible: spec.preemptible,
    retry: { max: spec.retry.max, when: spec.retry.when },
    ...(spec.checkpoint !== undefined && {
      checkpoint: {
        ...(spec.checkpoint.dir !== undefined && { dir: spec.checkpoint.dir }),
        signal: spec.checkpoint.signal,
        grace: durationText(spec.checkpoint.graceMs),
        ...(spec.checkpoint.everyMs !== undefined && { every: durationText(spec.checkpoint.everyMs) }),
      },
    }),
    ...(spec.slo !== undefined && { slo: sloText(spec.slo) }),
    ...(spec.idle !== undefined && { idle: idleText(spec.idle) }),
    ...(spec.array !== undefined && { array: arrayText(spec.array) }),
    ...(spec.after.length > 0 && { after: spec.after.map(({ job, when }) => ({ job, when })) }),
    ...(spec.egress !== undefined && { egress: spec.egress }),
    ...(spec.labels !== undefined && { labels: spec.labels }),
    ...(spec.mounts !== undefined && { mounts: spec.mounts }),
    ...(spec.outputs !== undefined && { outputs: spec.outputs }),
    ...(Object.keys(spec.env).length > 0 && { env: spec.env }),
    ...(spec.secrets.length > 0 && { secrets: spec.secrets }),
  };
}

function workdirOf({ workdir, inPlace, code }: JobSpec): { workdir?: unknown } {
  if (code !== undefined) return { workdir: code };
  if (workdir === undefined) return {};
  return { workdir: inPlace ? { in_place: workdir } : workdir };
}

function sloText({ p99Ms, aloneMs }: Slo): Record<string, string> {
  return { p99: durationText(p99Ms), ...(aloneMs !== undefined && { alone: durationText(aloneMs) }) };
}

/** A rule for idle jobs in the words of the job file. */
export function idleText({ gpuBelow, forMs, do: act }: IdleRule): { gpu_below: string; for: string; do: string } {
  return { gpu_below: shareText(gpuBelow), for: durationText(forMs), do: act };
}

function plainAmount(micros: number): string {
  return decimalText(BigInt(micros), 6, (whole) => whole).replace(/\.?0+$/, "");
}

/** `gpus`, with `gpu_compute` where a part was asked for in that way; a part by memory alone names no GPUs. */
function renderGpus({ gpus }: JobSpec): { gpus?: unknown; gpu_compute?: string } {
  const part = gpus[0]!.part;
  const byShare = part !== undefined && part.profile === undefined && part.memory === 0;
  if (byShare && part.compute === 0) return {};
  const asks = gpus.map(askText);
  return {
    gpus: asks.length === 1 ? asks[0] : asks,
    ...(byShare && { gpu_compute: `${Math.round((part.compute * 100) / unitsPerGpu)}%` }),
  };
}

function modelText(model: ModelAsk): string | ModelAsk {
  return Object.keys(model).length === 1 ? model.name : model;
}

function askText({ model, count, unitsEach, part }: GpuAsk): string | number {
  const fraction = part !== undefined && part.profile === undefined && part.memory > 0;
  const amount = part?.profile ?? (fraction ? unitsEach / unitsPerGpu : count);
  return model === "*" ? amount : `${model}:${amount}`;
}

function arrayText({ first, last, step, atOnceMax, indexes }: ArrayAsk): string {
  const which = indexes?.join(",") ?? `${first}-${last}${step === 1 ? "" : `:${step}`}`;
  return `${which}${atOnceMax === undefined ? "" : `%${atOnceMax}`}`;
}
