import {
  Draft,
  envOf,
  type Fields,
  type ForeignFile,
  fieldsOf,
  gpusOf,
  listOf,
  modelOf,
  nameOf,
  textOf,
} from "./foreign.ts";

const own = ["resources", "num_nodes", "file_mounts", "envs", "accelerators"];
/** A file with one of these was written for Tessera, with a field that it does not have. */
const ours = [
  "gpus",
  "nodes",
  "members",
  "max_time",
  "cpus",
  "memory",
  "retry",
  "checkpoint",
  "array",
  "project",
  "env",
];

/** Whether a document is a SkyPilot task. */
export function isSkyPilot(value: Fields): boolean {
  const { resources } = value;
  if (Array.isArray(resources) || "commands" in value || ours.some((field) => field in value)) return false;
  return (
    own.filter((field) => field in value).length > 0 && ("run" in value || "setup" in value || "resources" in value)
  );
}

export function readSkyPilot(value: Fields): ForeignFile {
  const draft = new Draft("a SkyPilot task");
  const resources = fieldsOf(value.resources);
  draft.put("name", nameOf(value.name), "name");
  if (Number(value.num_nodes) > 1) draft.put("nodes", value.num_nodes, "num_nodes");
  const accelerators = resources.accelerators ?? value.accelerators;
  const prefix = resources.accelerators === undefined ? "" : "resources.";
  draft.put("gpus", gpusFrom(accelerators), `${prefix}accelerators`);
  draft.put("cpus", numberOf(resources.cpus), "resources.cpus");
  const memory = numberOf(resources.memory);
  draft.put("memory", memory === undefined ? undefined : `${memory}GiB`, "resources.memory");
  if (resources.use_spot === true) draft.put("preemptible", true, "resources.use_spot");
  if (fieldsOf(resources.job_recovery).max_restarts_on_errors !== undefined)
    draft.put("retry", fieldsOf(resources.job_recovery).max_restarts_on_errors, "resources.job_recovery");
  draft.put("workdir", typeof value.workdir === "string" ? value.workdir : undefined, "workdir");
  draft.put("env", envOf(value.envs), "envs");
  const secrets = Array.isArray(value.secrets) ? value.secrets : Object.keys(fieldsOf(value.secrets));
  if (secrets.length > 0) draft.put("secrets", secrets, "secrets");
  draft.put("setup", textOf(value.setup), "setup");
  draft.put("run", textOf(value.run), "run");
  for (const name of ["cloud", "infra", "region", "zone", "instance_type", "disk_size", "disk_tier"]) {
    if (name in resources) draft.leave(`resources.${name}`, "not needed, tess gpus shows what there is");
  }
  if ("image_id" in resources) draft.leave("resources.image_id", "image, where the fleet runs containers");
  if ("ports" in resources) draft.leave("resources.ports", "tess port-forward JOB PORT reaches a port of the job");
  if ("file_mounts" in value) draft.leave("file_mounts", "mounts, with volumes: tess volume create");
  if ("service" in value) draft.leave("service", "type: service runs it without replicas or a load balancer");
  return draft.done();
}

/** `H100:8`, `{H100: 8}`, or a list of either in order of preference. */
function gpusFrom(value: unknown): unknown {
  if (typeof value === "string") {
    const [model = "", count = "1"] = value.split(":");
    return gpusOf(modelOf(model), Number(count));
  }
  if (Array.isArray(value)) return value.map(gpusFrom);
  const choices = Object.entries(fieldsOf(value)).map(([model, count]) => gpusOf(modelOf(model), Number(count)));
  return choices.length > 1 ? choices : choices[0];
}

/** `8`, `8+` and `8x` ask for eight or more. */
function numberOf(value: unknown): number | undefined {
  const number = Number.parseFloat(String(listOf(value)[0] ?? ""));
  return Number.isNaN(number) ? undefined : number;
}
