import type { GpuNeed } from "../model/job.ts";

/** What a GPU model can do besides computing. */
export interface GpuEngines {
  /** Video encoders and decoders of the whole device. */
  readonly encoders: number;
  readonly decoders: number;
  /** Ray tracing in hardware; without it renderers fall back to a much slower path. */
  readonly rayTracing: boolean;
  /** Whether the GPUs of one node reach each other over NVLink. */
  readonly nvlink: boolean;
}

function engines(encoders: number, decoders: number, rayTracing: boolean, nvlink: boolean): GpuEngines {
  return { encoders, decoders, rayTracing, nvlink };
}

// Large training GPUs have no encoder and no ray tracing, which surprises users who submit rendering jobs.
const byFamily: ReadonlyMap<string, GpuEngines> = new Map([
  ["V100", engines(3, 1, false, true)],
  ["T4", engines(1, 2, true, false)],
  ["A10", engines(1, 2, true, false)],
  ["A10G", engines(1, 2, true, false)],
  ["A30", engines(0, 4, false, true)],
  ["A100", engines(0, 5, false, true)],
  ["L4", engines(2, 4, true, false)],
  ["L40S", engines(3, 3, true, false)],
  ["H100", engines(0, 7, false, true)],
  ["H200", engines(0, 7, false, true)],
  ["B200", engines(0, 7, false, true)],
  ["GB200", engines(0, 7, false, true)],
  ["RTX-PRO-6000", engines(4, 4, true, false)],
]);

/** The engines of a model or a variant of it (`L4-24GB` is an `L4`); undefined for an unknown model. */
export function enginesOf(model: string): GpuEngines | undefined {
  const words = model.toUpperCase().split(/[^A-Z0-9]+/);
  return byFamily.get(words[0]!) ?? byFamily.get(words.slice(0, 3).join("-"));
}

/** Whether a model is known to have all these engines. */
export function enginesHave(model: string, needs: readonly GpuNeed[]): boolean {
  if (needs.length === 0) return true;
  const engines = enginesOf(model);
  return engines !== undefined && needs.every((need) => has[need](engines));
}

const has: { readonly [need in GpuNeed]: (engines: GpuEngines) => boolean } = {
  rt: ({ rayTracing }) => rayTracing,
  nvenc: ({ encoders }) => encoders > 0,
  nvdec: ({ decoders }) => decoders > 0,
};
