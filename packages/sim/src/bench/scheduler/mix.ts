import { isRefusal, type JobSpec, parseJob, type RawJob } from "@tessera/core";

/**
 * Requests in a fleet with shared GPUs: mostly one GPU, many parts of one, some jobs without a GPU, few large jobs. The
 * shapes and their shares come from a published production trace of 8,152 tasks, rounded.
 */
const shapes: readonly (readonly [share: number, gpus: number, cpus: number, memoryGiB: number])[] = [
  [480, 1, 12, 47],
  [134, 0, 12, 56],
  [132, 0.81, 3, 6],
  [92, 0.47, 12, 46],
  [40, 0.32, 4, 22],
  [31, 0.65, 12, 46],
  [17, 0.23, 4, 30],
  [16, 0.46, 6, 12],
  [9, 0.59, 3, 6],
  [9, 0.16, 4, 15],
  [9, 0.55, 4, 10],
  [8, 0.22, 4, 22],
  [6, 0.37, 4, 10],
  [3, 0.11, 4, 22],
  [3, 0.48, 4, 22],
  [6, 8, 88, 320],
  [3, 2, 16, 65],
  [2, 4, 32, 129],
];
const shares = shapes.reduce((sum, [share]) => sum + share, 0);

/** A job of the mix. Half of the jobs declare how long they may take, a third can be resumed from a checkpoint. */
export function askFromMix(random: () => number): RawJob {
  let left = random() * shares;
  const [, gpus, cpus, memoryGiB] = shapes.find(([share]) => {
    left -= share;
    return left < 0;
  })!;
  const ask = { ...common(random), gpus, cpus, memory: `${memoryGiB}GiB` };
  return {
    ...ask,
    max_time: random() < 0.5 ? `${1 + Math.floor(random() * 24)}h` : undefined,
    checkpoint: random() < 1 / 3 ? { every: "30m" } : undefined,
  };
}

/** One GPU with its part of a node. */
export function askForOne(random: () => number): RawJob {
  return { ...common(random), gpus: "H100:1", cpus: 8, memory: "64GiB" };
}

/** Eight whole nodes, in one block if there is one with room. */
export function askForGang(random: () => number): RawJob {
  return { ...common(random), gpus: "H100:8", nodes: 8, cpus: 96, memory: "800GiB", topology: "block?" };
}

/** Borrowed work of several sizes that holds whole GPUs. */
export function askForBurst(random: () => number): RawJob {
  const kind = random();
  const gpus = kind < 0.7 ? 1 : kind < 0.8 ? 2 : kind < 0.9 ? 4 : 8;
  const nodes = kind >= 0.97 ? 2 : undefined;
  return { ...common(random), gpus: `H100:${gpus}`, nodes, cpus: 8 * gpus, memory: `${64 * gpus}GiB` };
}

function common(random: () => number): RawJob {
  return {
    name: `train-${Math.floor(random() * 500)}`,
    run: `cd /data/run && python train.py --seed ${Math.floor(random() * 1_000_000)} --lr 3e-4`,
    env: { OMP_NUM_THREADS: "8" },
  };
}

/** Each job has a spec of its own, as if it came over the network. */
export function specOf(ask: RawJob): JobSpec {
  const spec = parseJob(ask, { after: [] });
  if (isRefusal(spec)) throw new Error(`a job of the benchmark is refused: ${spec.detail}`);
  return spec;
}
