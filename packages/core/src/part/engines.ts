/** What a model can do besides computing. */
export interface GpuEngines {
  /** Video encoders and decoders of the whole device. */
  readonly encoders: number;
  readonly decoders: number;
  /** Ray tracing in hardware; without it renderers fall back to something much slower. */
  readonly rayTracing: boolean;
}

function engines(encoders: number, decoders: number, rayTracing: boolean): GpuEngines {
  return { encoders, decoders, rayTracing };
}

// The large training models have no encoder and no ray tracing at all, which surprises people: hence the table.
const byFamily: ReadonlyMap<string, GpuEngines> = new Map([
  ["V100", engines(3, 1, false)],
  ["T4", engines(1, 2, true)],
  ["A10", engines(1, 2, true)],
  ["A10G", engines(1, 2, true)],
  ["A30", engines(0, 4, false)],
  ["A100", engines(0, 5, false)],
  ["L4", engines(2, 4, true)],
  ["L40S", engines(3, 3, true)],
  ["H100", engines(0, 7, false)],
  ["H200", engines(0, 7, false)],
  ["B200", engines(0, 7, false)],
  ["GB200", engines(0, 7, false)],
  ["RTX-PRO-6000", engines(4, 4, true)],
]);

/** The engines of a model or a variant of it (`L4-24GB` is an `L4`); undefined for one that is not known. */
export function enginesOf(model: string): GpuEngines | undefined {
  const words = model.toUpperCase().split(/[^A-Z0-9]+/);
  return byFamily.get(words[0]!) ?? byFamily.get(words.slice(0, 3).join("-"));
}
