import { Draft, envOf, type Fields, type ForeignFile, fieldsOf, gpusOf, listOf, nameOf, textOf } from "./foreign.ts";

/** Whether a document is for docker compose. */
export function isCompose(value: Fields): boolean {
  const services = Object.values(fieldsOf(value.services)).map(fieldsOf);
  return services.length > 0 && services.every((each) => "image" in each || "build" in each || "command" in each);
}

/** The fields of the first service; the others are named. */
export function readCompose(value: Fields): ForeignFile {
  const draft = new Draft("a docker compose file");
  const [[name, service], ...others] = Object.entries(fieldsOf(value.services)) as [
    [string, unknown],
    ...[string, unknown][],
  ];
  const given = fieldsOf(service);
  const { resources, replicas } = fieldsOf(given.deploy);
  const reserved = { ...fieldsOf(fieldsOf(resources).reservations), ...fieldsOf(fieldsOf(resources).limits) };
  const device = listOf(fieldsOf(fieldsOf(resources).reservations).devices)
    .map(fieldsOf)
    .find((each) => each.driver === "nvidia" || listOf(each.capabilities).includes("gpu"));
  const at = `services.${name}`;
  draft.put("name", nameOf(name), at);
  if (device !== undefined) {
    const count = Array.isArray(device.device_ids) ? device.device_ids.length : (device.count ?? "all");
    draft.put("gpus", typeof count === "number" ? gpusOf(undefined, count) : "all", `${at}: devices`);
  } else if (given.gpus !== undefined) draft.put("gpus", given.gpus === "all" ? "all" : 1, `${at}.gpus`);
  if (Number(replicas) > 1) draft.put("members", replicas, `${at}.deploy.replicas`);
  draft.put("cpus", Number(reserved.cpus ?? given.cpus) || undefined, `${at}: cpus`);
  draft.put("memory", sizeOf(reserved.memory ?? given.mem_limit), `${at}: memory`);
  draft.put("shm", sizeOf(given.shm_size), `${at}.shm_size`);
  draft.put("workdir", textOf(given.working_dir), `${at}.working_dir`);
  draft.put("env", envOf(given.environment), `${at}.environment`);
  const words = [...listOf(given.entrypoint), ...listOf(given.command)].map(String);
  draft.put("run", words.join(" "), `${at}.command`);
  if ("image" in given) draft.leave(`image ${given.image}`, "image, where the fleet runs containers");
  if ("build" in given) draft.leave("build", "images are not built here: setup prepares the folder of the job");
  if (words.length === 0) draft.leave("no command", "run is needed: the image's own command is not known here");
  if ("volumes" in given) draft.leave("volumes", "mounts, with volumes: tess volume create");
  if ("ports" in given) draft.leave("ports", "tess port-forward JOB PORT reaches a port of the job");
  if ("restart" in given) draft.leave("restart", "retry: COUNT");
  if (others.length > 0)
    draft.leave(others.map(([each]) => each).join(", "), "each service is a job of its own; after: orders them");
  return draft.done();
}

/** `8g`, `512m`. */
function sizeOf(value: unknown): string | undefined {
  const [, count, unit] = /^(\d+(?:\.\d+)?)\s*([mg])b?$/i.exec(textOf(value) ?? "") ?? [];
  return count === undefined ? undefined : `${count}${unit!.toUpperCase()}iB`;
}
