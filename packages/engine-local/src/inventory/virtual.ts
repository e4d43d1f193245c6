import type { PoolMode } from "@tessera/core";

/** Some nodes of one kind, declared and not found. */
export interface VirtualGroup {
  readonly nodes: number;
  readonly gpus: number;
  readonly model: string;
  readonly rack?: string;
  /** How their GPUs may be shared; absent = whole GPUs only, if their pool says no other. */
  readonly mode?: PoolMode;
}

const modes: readonly PoolMode[] = ["mig", "mps", "timeslice", "any"];

const gpusMax = 65_536;

/**
 * Parses `4x8:H100@r1+mig,1x4:L40S`: groups of nodes × GPUs of a model, each with an optional rack and how its GPUs are
 * shared. Throws an error that names the part which is wrong; the text comes from the person who starts the server.
 */
export function parseVirtual(text: string): VirtualGroup[] {
  const groups = text.split(",").map((part) => {
    const match =
      /^\s*(\d+)x(\d+):([A-Za-z0-9][A-Za-z0-9._-]*)(?:@([A-Za-z0-9][A-Za-z0-9._-]*))?(?:\+([a-z]+))?\s*$/.exec(part);
    if (match === null) {
      throw new Error(
        `virtual GPUs "${text}": "${part.trim()}" is not NODESxGPUS:MODEL, NODESxGPUS:MODEL@RACK or NODESxGPUS:MODEL+SHARING, for example 4x8:H100@r1 or 4x8:H100+mig`,
      );
    }
    const mode = modes.find((each) => each === match[5]);
    if (mode === undefined && match[5] !== undefined)
      throw new Error(`virtual GPUs "${text}": "+${match[5]}" is not a way to share GPUs; write +${modes.join(", +")}`);
    const group = {
      nodes: Number(match[1]),
      gpus: Number(match[2]),
      model: match[3]!,
      ...(match[4] === undefined ? {} : { rack: match[4] }),
      ...(mode === undefined ? {} : { mode }),
    };
    if (group.nodes < 1) throw new Error(`virtual GPUs "${text}": "${part.trim()}" needs at least one node`);
    return group;
  });
  const gpus = groups.reduce((sum, group) => sum + group.nodes * Math.max(1, group.gpus), 0);
  if (gpus > gpusMax) throw new Error(`virtual GPUs "${text}": ${gpus} GPUs are more than the ${gpusMax} allowed here`);
  return groups;
}
