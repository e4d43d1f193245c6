import { type ArrayAsk, type GpuAsk, type JobSpec, unitsPerGpu } from "@tessera/core";
import { durationText, sizeText, timestamp } from "./quantities.ts";

/** A spec in the words of the job file, defaults filled in: what one gets back can be submitted again. */
export function renderSpec(spec: JobSpec): Record<string, unknown> {
  const { min, max, apart } = spec.members;
  const size = max > min ? `${min}..${max}` : min;
  return {
    name: spec.name,
    type: spec.type,
    ...(spec.image !== undefined && { image: spec.image }),
    ...(spec.workdir !== undefined && { workdir: spec.workdir }),
    ...(spec.setup !== undefined && { setup: spec.setup }),
    run: spec.run,
    gpus: spec.gpus.length === 1 ? askText(spec.gpus[0]!) : spec.gpus.map(askText),
    ...(apart ? { nodes: size } : { members: size }),
    ...(spec.cpusMilli > 0 && { cpus: spec.cpusMilli / 1000 }),
    ...(spec.memoryMiB > 0 && { memory: sizeText(spec.memoryMiB) }),
    ...(spec.gpuMemoryMiB > 0 && { gpu_memory: sizeText(spec.gpuMemoryMiB) }),
    isolation: spec.isolation,
    strict: spec.strict,
    ...(spec.maxTimeMs !== undefined && { max_time: durationText(spec.maxTimeMs) }),
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
    ...(spec.array !== undefined && { array: arrayText(spec.array) }),
    ...(spec.after.length > 0 && { after: spec.after.map(({ job, when }) => ({ job, when })) }),
    ...(Object.keys(spec.env).length > 0 && { env: spec.env }),
    ...(spec.secrets.length > 0 && { secrets: spec.secrets }),
  };
}

function askText({ model, count, unitsEach }: GpuAsk): string | number {
  const gpus = (count * unitsEach) / unitsPerGpu;
  return model === "*" ? gpus : `${model}:${gpus}`;
}

function arrayText({ first, last, step, atOnceMax }: ArrayAsk): string {
  return `${first}-${last}${step === 1 ? "" : `:${step}`}${atOnceMax === undefined ? "" : `%${atOnceMax}`}`;
}
