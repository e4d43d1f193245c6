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

/** Whether a document is a Kubernetes manifest. */
export function isKubernetes(value: Fields): boolean {
  return typeof value.apiVersion === "string" && typeof value.kind === "string";
}

export function readKubernetes(value: Fields): ForeignFile {
  const kind = String(value.kind);
  const draft = new Draft(`a Kubernetes ${kind}`);
  const { name, namespace } = fieldsOf(value.metadata);
  const spec = fieldsOf(value.spec);
  const { pod, members, job } = podOf(kind, spec);
  if (pod === undefined) {
    draft.leave(
      `kind: ${kind}`,
      "has no equal here; of Pod, Job, JobSet, PyTorchJob and Deployment the fields are shown",
    );
    return draft.done();
  }
  draft.put("name", nameOf(name), "metadata.name");
  if (namespace !== undefined && namespace !== "default") draft.put("project", textOf(namespace), "metadata.namespace");
  if (kind === "Deployment" || kind === "StatefulSet") draft.put("type", "service", `kind: ${kind}`);
  if (job.completionMode === "Indexed" && Number(job.completions) > Number(job.parallelism ?? 1))
    draft.put("array", `0-${Number(job.completions) - 1}%${job.parallelism ?? 1}`, "completions, parallelism");
  else if (members.count > 1) draft.put("nodes", members.count, members.from);
  if (Number(job.backoffLimit) > 0) draft.put("retry", job.backoffLimit, "backoffLimit");
  const seconds = job.activeDeadlineSeconds ?? pod.activeDeadlineSeconds;
  if (seconds !== undefined) draft.put("max_time", `${seconds}s`, "activeDeadlineSeconds");
  if (/high|low/.test(textOf(pod.priorityClassName) ?? ""))
    draft.put("priority", /high/.test(String(pod.priorityClassName)) ? "high" : "low", "priorityClassName");
  const [container, ...others] = listOf(pod.containers).map(fieldsOf);
  if (container !== undefined) putContainer(draft, container, fieldsOf(pod.nodeSelector));
  if (others.length > 0)
    draft.leave(`${others.length + 1} containers`, "a job is one program: start the others in run");
  if (listOf(pod.initContainers).length > 0) draft.leave("initContainers", "setup runs before run");
  if (listOf(pod.volumes).length > 0) draft.leave("volumes", "mounts, with volumes: tess volume create");
  for (const field of ["tolerations", "affinity", "nodeSelector", "serviceAccountName", "imagePullSecrets"]) {
    if (field in pod) draft.leave(field, "not needed, nodes are chosen by what the job asks for");
  }
  return draft.done();
}

interface PodFound {
  readonly pod: Fields | undefined;
  readonly members: { readonly count: number; readonly from: string };
  /** The Job around the pod, where there is one. */
  readonly job: Fields;
}

function podOf(kind: string, spec: Fields): PodFound {
  const one = { count: 1, from: "" };
  const inside = (holder: Fields) => fieldsOf(fieldsOf(holder.template).spec);
  if (kind === "Pod") return { pod: spec, members: one, job: {} };
  if (kind === "Job")
    return { pod: inside(spec), members: { count: Number(spec.parallelism ?? 1), from: "parallelism" }, job: spec };
  if (kind === "Deployment" || kind === "StatefulSet")
    return { pod: inside(spec), members: { count: Number(spec.replicas ?? 1), from: "replicas" }, job: {} };
  if (kind === "JobSet") {
    const replicated = fieldsOf(listOf(spec.replicatedJobs)[0]);
    const job = fieldsOf(fieldsOf(replicated.template).spec);
    const count = Number(replicated.replicas ?? 1) * Number(job.parallelism ?? 1);
    return {
      pod: inside(job),
      members: { count, from: "replicas x parallelism" },
      job: { ...job, completionMode: "" },
    };
  }
  const replicas = Object.entries(spec).find(([field]) => /ReplicaSpecs$/.test(field))?.[1];
  if (replicas === undefined) return { pod: undefined, members: one, job: {} };
  const all = Object.values(fieldsOf(replicas)).map(fieldsOf);
  const count = all.reduce((sum, each) => sum + Number(each.replicas ?? 1), 0);
  return { pod: inside(all.at(-1) ?? {}), members: { count, from: "replicas" }, job: {} };
}

function putContainer(draft: Draft, container: Fields, selector: Fields): void {
  const { limits, requests } = fieldsOf(container.resources);
  const asked = { ...fieldsOf(requests), ...fieldsOf(limits) };
  const product = Object.entries(selector).find(([name]) => /gpu\.product|accelerator/.test(name))?.[1];
  const [gpu, count] = Object.entries(asked).find(([name]) => /\/gpu$/.test(name)) ?? [];
  const model = product === undefined ? undefined : modelOf(String(product));
  if (gpu !== undefined) draft.put("gpus", gpusOf(model, Number(count)), `resources.limits: ${gpu}`);
  draft.put("cpus", cpusOf(asked.cpu), "resources: cpu");
  draft.put("memory", memoryOf(asked.memory), "resources: memory");
  draft.put("workdir", textOf(container.workingDir), "workingDir");
  const plain = listOf(container.env).filter((each) => "value" in fieldsOf(each));
  draft.put("env", envOf(plain), "env");
  const secret = listOf(container.env).filter((each) => "secretKeyRef" in fieldsOf(fieldsOf(each).valueFrom));
  if (secret.length > 0)
    draft.put(
      "secrets",
      secret.map((each) => String(fieldsOf(each).name)),
      "env: secretKeyRef",
    );
  draft.put("run", commandOf(container), "command, args");
  if (container.command === undefined && container.args === undefined)
    draft.leave("no command", "run is needed: the image's own command is not known here");
  if (typeof container.image === "string")
    draft.leave(`image ${container.image}`, "image, where the fleet runs containers");
  if (listOf(container.ports).length > 0) draft.leave("ports", "tess port-forward JOB PORT reaches a port of the job");
}

/** `sh -c TEXT` is its text; anything else is its words. */
function commandOf({ command, args }: Fields): string | undefined {
  const words = [...listOf(command), ...listOf(args)].map(String);
  const shell = /(^|\/)(ba)?sh$/.test(words[0] ?? "") && /^-[a-z]*c$/.test(words[1] ?? "") && words.length === 3;
  if (shell) return words[2]!.trim();
  return words.length === 0 ? undefined : words.map(quoted).join(" ");
}

function quoted(word: string): string {
  return /^[\w@%+=:,./$(){}-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

function cpusOf(value: unknown): number | undefined {
  const text = textOf(value);
  if (text === undefined) return undefined;
  return text.endsWith("m") ? Number(text.slice(0, -1)) / 1_000 : Number(text);
}

function memoryOf(value: unknown): string | undefined {
  const [, count, unit] = /^(\d+)(Mi|Gi|Ti|M|G|T)$/.exec(textOf(value) ?? "") ?? [];
  return count === undefined ? undefined : `${count}${unit!.length === 2 ? `${unit}B` : unit}`;
}
