import { isRefusal, type JobSpec, parseJob } from "@tessera/core";

/** The fields of a job in a trace besides its run time. */
export interface GangAsk {
  readonly gpus: number;
  /** A node's GPUs; a gang that is larger takes whole nodes. */
  readonly gpusPerNode: number;
  readonly checkpointMs?: number;
  /** The run time that its user expected. */
  readonly expectedMs?: number;
}

const known = new Map<string, JobSpec>();

/** The job that a user would have submitted for a gang of a trace: inside one node, or on whole ones. */
export function gangSpec(ask: GangAsk): JobSpec {
  const key = JSON.stringify(ask);
  const spec = known.get(key) ?? parseGang(ask);
  known.set(key, spec);
  return spec;
}

function parseGang({ gpus, gpusPerNode, checkpointMs, expectedMs }: GangAsk): JobSpec {
  const nodes = Math.ceil(gpus / gpusPerNode);
  const spec = parseJob(
    {
      run: "trace",
      gpus: nodes === 1 ? gpus : gpusPerNode,
      ...(nodes > 1 && { nodes }),
      ...(checkpointMs !== undefined && { checkpoint: { every: `${checkpointMs}ms`, grace: "0s" } }),
      ...(expectedMs !== undefined && { expected_time: `${Math.ceil(expectedMs / 1_000)}s` }),
    },
    { after: [] },
  );
  if (isRefusal(spec)) throw new Error(`a gang of ${gpus} GPUs: ${spec.field} ${spec.value} ${spec.detail}`);
  return spec;
}
