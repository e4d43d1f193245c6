import { Draft, envOf, type Fields, type ForeignFile, fieldsOf, gpusOf, modelOf, nameOf, textOf } from "./foreign.ts";

const types = ["task", "service", "dev-environment", "fleet", "volume", "gateway"];

const variables = [
  ["DSTACK_NODE_RANK", "RANK"],
  ["DSTACK_NODES_NUM", "WORLD_SIZE"],
  ["DSTACK_MASTER_NODE_IP", "MASTER_ADDR"],
  ["DSTACK_GPUS_PER_NODE", "TESS_GPUS"],
] as const;

/** Whether a document is a configuration of dstack. */
export function isDstack(value: Fields): boolean {
  const typed = typeof value.type === "string" && types.includes(value.type);
  return (typed && (value.type !== "service" || "commands" in value)) || ("commands" in value && "resources" in value);
}

export function readDstack(value: Fields): ForeignFile {
  const draft = new Draft(`a dstack ${textOf(value.type) ?? "task"}`);
  const resources = fieldsOf(value.resources);
  draft.put("name", nameOf(value.name), "name");
  if (value.type === "service") draft.put("type", "service", "type: service");
  if (value.type === "dev-environment") draft.put("type", "notebook", "type: dev-environment");
  if (Number(value.nodes) > 1) draft.put("nodes", value.nodes, "nodes");
  putGpus(draft, resources.gpu);
  draft.put("cpus", lowest(resources.cpu), "resources.cpu");
  draft.put("memory", sizeOf(resources.memory), "resources.memory");
  draft.put("shm", sizeOf(resources.shm_size), "resources.shm_size");
  draft.put("max_time", durationOf(value.max_duration), "max_duration");
  if (value.spot_policy === "spot" || value.spot_policy === "auto")
    draft.put("preemptible", true, `spot_policy: ${value.spot_policy}`);
  if (value.retry === true || "on_events" in fieldsOf(value.retry)) draft.put("retry", 1, "retry");
  draft.put("workdir", textOf(value.working_dir), "working_dir");
  draft.put("env", envOf(value.env), "env");
  const commands = Array.isArray(value.commands) ? value.commands.map(String).join("\n") : textOf(value.commands);
  draft.put("run", commands, "commands");
  for (const [theirs, ours] of variables)
    if (commands?.includes(theirs)) draft.leave(`$${theirs}`, `it is $${ours} here`);
  if ("image" in value) draft.leave("image", "image, where the fleet runs containers");
  if ("python" in value) draft.leave("python", "setup: uv venv, or run in your own venv");
  if ("ports" in value || "port" in value) draft.leave("ports", "tess port-forward JOB PORT reaches a port of the job");
  if ("volumes" in value) draft.leave("volumes", "mounts, with volumes: tess volume create");
  if (["fleet", "volume", "gateway"].includes(String(value.type)))
    draft.leave(`type: ${value.type}`, "an owner sets this up here: tess node, tess volume");
  return draft.done();
}

/** `24GB`, `H100:8`, `H100:80GB:8`, or an object. */
function putGpus(draft: Draft, gpu: unknown): void {
  if (gpu === undefined) return;
  const { name, count, memory } = typeof gpu === "object" ? fieldsOf(gpu) : partsOf(String(gpu));
  const model = Array.isArray(name) ? name[0] : name;
  draft.put(
    "gpus",
    gpusOf(model === undefined ? undefined : modelOf(String(model)), lowest(count) ?? 1),
    "resources.gpu",
  );
  draft.put("gpu_memory", sizeOf(memory), "resources.gpu");
}

function partsOf(text: string): Fields {
  const found: Record<string, unknown> = {};
  for (const part of text.split(":")) {
    if (/GB|TB/i.test(part)) found.memory = part;
    else if (/^[\d.]+$/.test(part)) found.count = part;
    else found.name = part.split(",")[0];
  }
  return found;
}

/** The lower end of `8..16`. */
function lowest(value: unknown): number | undefined {
  const number = Number.parseFloat(String(fieldsOf(value).count ?? value ?? "").replace(/^.*:/, ""));
  return Number.isNaN(number) ? undefined : number;
}

function sizeOf(value: unknown): string | undefined {
  const [, count, unit] = /^(\d+(?:\.\d+)?)\s*(MB|GB|TB)/i.exec(textOf(value) ?? "") ?? [];
  return count === undefined ? undefined : `${count}${unit!.toUpperCase()}`;
}

function durationOf(value: unknown): string | undefined {
  const text = textOf(value);
  return text !== undefined && /^\d+[smhd]$/.test(text) ? text : undefined;
}
