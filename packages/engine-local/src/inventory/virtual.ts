/** Some nodes of one kind, declared and not found. */
export interface VirtualGroup {
  readonly nodes: number;
  readonly gpus: number;
  readonly model: string;
  readonly rack?: string;
}

const gpusMax = 65_536;

/**
 * Parses `4x8:H100@r1,1x4:L40S`: groups of nodes × GPUs of a model, each with an optional rack. Throws an error that
 * names the part which is wrong; the text comes from the person who starts the server.
 */
export function parseVirtual(text: string): VirtualGroup[] {
  const groups = text.split(",").map((part) => {
    const match = /^\s*(\d+)x(\d+):([A-Za-z0-9][A-Za-z0-9._-]*)(?:@([A-Za-z0-9][A-Za-z0-9._-]*))?\s*$/.exec(part);
    if (match === null) {
      throw new Error(
        `virtual GPUs "${text}": "${part.trim()}" is not NODESxGPUS:MODEL or NODESxGPUS:MODEL@RACK, for example 4x8:H100@r1`,
      );
    }
    const group = {
      nodes: Number(match[1]),
      gpus: Number(match[2]),
      model: match[3]!,
      ...(match[4] === undefined ? {} : { rack: match[4] }),
    };
    if (group.nodes < 1) throw new Error(`virtual GPUs "${text}": "${part.trim()}" needs at least one node`);
    return group;
  });
  const gpus = groups.reduce((sum, group) => sum + group.nodes * Math.max(1, group.gpus), 0);
  if (gpus > gpusMax) throw new Error(`virtual GPUs "${text}": ${gpus} GPUs are more than the ${gpusMax} allowed here`);
  return groups;
}

/** What `nvidia-smi` shows for common models; a virtual GPU of a model that is not here has 16 GiB. */
const memoryMiBByModel: { readonly [model: string]: number } = {
  B300: 275_040,
  B200: 183_359,
  H200: 143_771,
  H100: 81_559,
  "A100-40GB": 40_960,
  A100: 81_920,
  L40S: 46_068,
  L40: 46_068,
  A40: 46_068,
  L4: 23_034,
  A10: 23_028,
  V100: 32_768,
  T4: 15_360,
};

/** Memory of a virtual GPU: the model itself, else the longest known name that it begins with (`H100-80GB` is an `H100`). */
export function virtualMemoryMiB(model: string): number {
  const known = Object.keys(memoryMiBByModel)
    .filter((name) => model === name || model.startsWith(`${name}-`))
    .sort((a, b) => b.length - a.length)[0];
  return known === undefined ? 16_384 : memoryMiBByModel[known]!;
}
