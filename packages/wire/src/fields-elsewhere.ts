/** Fields of sbatch, SkyPilot, dstack, Kubernetes and compose, by what they are in a job file here. */
const here: Readonly<Record<string, readonly string[]>> = {
  max_time: ["timeout", "time", "time_limit", "walltime", "max_duration", "active_deadline_seconds", "ttl"],
  retry: ["retries", "max_retries", "backoff_limit", "requeue", "max_restarts"],
  nodes: ["num_nodes", "nnodes", "node_count"],
  members: ["ntasks", "tasks", "num_workers", "workers"],
  gpus: ["accelerators", "accelerator", "gres", "num_gpus", "gpu_count", "gpus_per_node", "n_gpus"],
  cpus: ["cpus_per_task", "num_cpus", "cores", "vcpus"],
  memory: ["mem", "ram", "mem_limit"],
  run: ["command", "commands", "cmd", "script", "entrypoint", "args"],
  env: ["envs", "environment", "env_vars", "environment_variables"],
  project: ["account", "namespace", "tenant"],
  after: ["depends_on", "dependency", "dependencies", "depends"],
  name: ["job_name", "title", "metadata"],
  workdir: ["working_dir", "work_dir", "cwd", "chdir"],
  mounts: ["file_mounts", "volumes", "volume_mounts"],
  shm: ["shm_size"],
  not_before: ["begin", "start_at", "start_time"],
  preemptible: ["use_spot", "spot"],
};

/** What has no field of its own, and what to do. */
const instead: Readonly<Record<string, string>> = {
  resources: "Write gpus, cpus and memory at the top level.",
  partition: "There are no partitions: leave it out, and name the GPUs (gpus: H100:8) and the project.",
  queue: "There are no queues to choose from: leave it out, and name the project.",
  output: "Leave it out: what a job writes is kept, tess logs shows it.",
  error: "Leave it out: what a job writes is kept, tess logs shows it.",
};

/** What to write for a field that other programs have; undefined for one that nobody knows. `known` are the fields here. */
export function fieldElsewhere(given: string, known: readonly string[]): { fix: string; field?: string } | undefined {
  const word = given
    .replace(/([a-z])([A-Z])/g, "$1_$2")
    .replaceAll("-", "_")
    .toLowerCase();
  if (!known.includes("run")) return undefined;
  if (Object.hasOwn(instead, word)) return { fix: instead[word]! };
  const field = Object.keys(here).find((name) => here[name]!.includes(word));
  return field === undefined || !known.includes(field) ? undefined : { fix: `It is ${field} here.`, field };
}
