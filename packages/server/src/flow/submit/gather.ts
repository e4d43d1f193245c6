import {
  type Account,
  type After,
  admitJob,
  durationText,
  gpuOffers,
  type Instant,
  type JobId,
  type JobOutcome,
  type JobSpec,
  type Lack,
  lackText,
  Mistakes,
  memoryText,
  mistakesOf,
  nodesAsked,
  pathUp,
  type RawJob,
  type RawKind,
  type ReadonlyState,
  type Refusal,
  readJob,
  refuse,
  type Settled,
  type SubmitJob,
  sizeJob,
  type User,
  withoutAll,
  withoutSizes,
  withUsualShare,
} from "@tessera/core";
import type { JobSpecBody } from "@tessera/wire";
import { holderOfSecret } from "../../access/secrets.ts";
import { checkSnapshot } from "../content/snapshot.ts";
import { type Finder, findJob } from "../find/find-job.ts";
import { settleMounts } from "../keep/mounts.ts";
import { checkZone, instantOf } from "../zones.ts";
import { secondTenant } from "./second-tenant.ts";

/** A request that has been looked into: all that the core needs to decide, but the id. */
interface Gathered {
  readonly spec: JobSpec;
  readonly endedBefore: SubmitJob["endedBefore"];
  /** How what it is became what it asks for. */
  readonly why: readonly string[];
}

/** Everything that the request leans on outside itself. Waits only when a job that it comes after must be looked up. */
export function gather(
  finder: Finder,
  user: User,
  account: Account,
  body: JobSpecBody,
): Gathered | Refusal | Promise<Gathered | Refusal> {
  const mistakes = new Mistakes();
  const read = readAll(finder, user, account, body, mistakes);
  const settle = (gathered: Gathered) => allMistakes(finder, user, account, gathered, mistakes) ?? gathered;
  return read instanceof Promise ? read.then(settle) : settle(read);
}

/** A refusal with everything else that is wrong with its request; fields that it names are left aside. */
export async function withOtherMistakes(
  finder: Finder,
  user: User,
  account: Account | undefined,
  body: Readonly<Record<string, unknown>>,
  refused: Refusal,
): Promise<Refusal> {
  const mistakes = new Mistakes();
  mistakes.add(refused);
  const rest: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(body)) if (!mistakes.within(field)) rest[field] = value;
  // A wrong field is taken for a usual one, so that nothing is said to be missing beside it.
  if (mistakesOf(refused).some(({ hint }) => hint === "Did you mean run?")) rest.run ??= "true";
  if (mistakes.within("frames")) rest.frames = "1-1";
  if (["gpus", "model", "video"].some((field) => mistakes.within(field))) rest.gpus ??= 1;
  const gathered = await readAll(finder, user, account, rest as JobSpecBody, mistakes);
  return allMistakes(finder, user, account, gathered, mistakes)!;
}

/** With a mistake in the request, also what would be refused next: all is told at once. */
function allMistakes(
  { control }: Finder,
  user: User,
  account: Account | undefined,
  { spec }: Gathered,
  mistakes: Mistakes,
): Refusal | undefined {
  if (mistakes.refusal() === undefined) return undefined;
  const unfit = account && admitJob(control.state, account.no, user.id, spec);
  if (unfit !== undefined) for (const each of mistakesOf(unfit)) if (!mistakes.within(each.field)) mistakes.add(each);
  return mistakes.refusal();
}

function readAll(
  finder: Finder,
  user: User,
  account: Account | undefined,
  body: JobSpecBody,
  mistakes: Mistakes,
): Gathered | Promise<Gathered> {
  cannotHonour(finder, account, body, mistakes);
  const times = settleTimes(body, finder.control.now(), mistakes);
  const { workdir } = body;
  if (account === undefined || typeof workdir !== "object" || !("tree" in workdir)) {
    return readBefore(finder, user, account, body, times, mistakes);
  }
  return checkSnapshot(finder.content, finder.control.state, account, workdir.tree).then((missing) => {
    mistakes.add(missing);
    return readBefore(finder, user, account, body, times, mistakes);
  });
}

function readBefore(
  finder: Finder,
  user: User,
  account: Account | undefined,
  body: JobSpecBody,
  times: Omit<Settled, "after">,
  mistakes: Mistakes,
): Gathered | Promise<Gathered> {
  if (body.after === undefined) return readMounts(finder, user, account, body, { ...times, after: [] }, [], mistakes);
  return findBefore(finder, user, body.after, mistakes).then(({ after, endedBefore }) =>
    readMounts(finder, user, account, body, { ...times, after }, endedBefore, mistakes),
  );
}

/** Mounted jobs are looked up after those that it comes after: the output of a live job is there once that has ended. */
function readMounts(
  finder: Finder,
  user: User,
  account: Account | undefined,
  body: JobSpecBody,
  settled: Settled,
  endedBefore: Gathered["endedBefore"],
  mistakes: Mistakes,
): Gathered | Promise<Gathered> {
  const { mounts } = body;
  if (mounts === undefined || account === undefined) return read(finder, account, body, settled, endedBefore, mistakes);
  return settleMounts(finder, user, account, mounts, settled.after, mistakes).then((found) =>
    read(finder, account, { ...body, mounts: found }, settled, endedBefore, mistakes),
  );
}

function read(
  { control }: Finder,
  account: Account | undefined,
  body: JobSpecBody,
  settled: Settled,
  endedBefore: Gathered["endedBefore"],
  mistakes: Mistakes,
): Gathered {
  const shares = control.capabilities.isolation.some((level) => level !== "whole");
  const { fleet, policy } = control.state;
  const isAsked = nodesAsked(control.state, account?.no, body);
  const offers = gpuOffers(fleet, isAsked).map((offer) => ({ ...offer, parts: offer.parts && shares }));
  const plain = mistakes.take(withoutSizes((body as RawJob).gpus, policy.sizes), 1);
  const gpus = mistakes.take(withoutAll(plain, fleet, isAsked), 1);
  const raw = { ...(body as RawJob & RawKind), ...(gpus !== undefined && { gpus }) };
  const sized = mistakes.take(sizeJob(raw, offers), { raw: unsized(raw), why: [] });
  const spec = withUsualShare(readJob(sized.raw, settled, mistakes), policy, fleet);
  const why = [...sized.why, ...usualShareText(spec)];
  if (!shares && spec.gpus.every((ask) => ask.part !== undefined)) {
    const field = body.gpus !== undefined ? "gpus" : body.gpu_compute !== undefined ? "gpu_compute" : "gpu_memory";
    const value = typeof body.gpus === "object" ? null : (body.gpus ?? body.gpu_compute ?? body.gpu_memory ?? null);
    const why = `is a part of a GPU, and ${fleet.enginesPresent().length > 1 ? "the engines here have" : "the engine here has"} whole GPUs only`;
    mistakes.add(refuse("unsupported", field, value, why, "ask for gpus: 1"));
  }
  const limit =
    account === undefined || spec.maxTimeMs !== undefined || spec.type === "service"
      ? undefined
      : defaultTime(control.state, account);
  if (limit === undefined) return { spec, endedBefore, why };
  const said = `max_time ${durationText(limit.ms)}: the default of ${limit.path}`;
  return { spec: { ...spec, maxTimeMs: limit.ms }, endedBefore, why: [...why, said] };
}

function usualShareText({ usual, cpusMilli, memoryMiB }: JobSpec): readonly string[] {
  const [cpus, memory] = [`${cpusMilli / 1000} cores`, memoryText(memoryMiB)];
  const shares = [...(usual?.cpus ? [cpus] : []), ...(usual?.memory ? [memory] : [])];
  return shares.length === 0 ? [] : [`${shares.join(" and ")} for each member: usual for jobs without GPUs`];
}

/** Stands for a job whose description of its work was refused. */
function unsized({ frames, scene, frame_time, video, model, ...plain }: RawJob & RawKind): RawJob {
  return { ...plain, gpus: plain.gpus ?? 1 };
}

/** What no engine here can do, and what the account does not have. */
function cannotHonour({ control }: Finder, account: Account | undefined, body: JobSpecBody, mistakes: Mistakes): void {
  const { capabilities, state } = control;
  const { image, workdir, venv, isolation } = body;
  const engines = state.fleet.enginesPresent();
  /** What no engine can do: of several each is named. */
  const lacked = (lack: Lack, here: string) =>
    engines.length < 2 ? here : `cannot be used: ${engines.map((engine) => lackText(engine, [lack])).join("; ")}`;
  if (image !== undefined && !capabilities.images) {
    const why = lacked("images", "cannot be used: the engine here does not run container images");
    mistakes.add(refuse("unsupported", "image", image, why, "leave image out"));
  }
  if (image === undefined && capabilities.withoutImage === false) {
    const why = lacked("without-image", "is missing: the engine here runs container images only");
    mistakes.add(refuse("unsupported", "image", null, why, "name a container image, such as image: python:3.13"));
  }
  if (workdir !== undefined && !(typeof workdir === "string" ? capabilities.workdir : capabilities.code)) {
    const shown = typeof workdir === "string" ? workdir : null;
    const why = lacked(typeof workdir === "string" ? "workdir" : "code", "cannot be set with the engine here");
    mistakes.add(refuse("unsupported", "workdir", shown, why, "leave workdir out"));
  }
  if (venv !== undefined && !capabilities.code) {
    const why = lacked("code", "cannot be set with the engine here");
    mistakes.add(refuse("unsupported", "venv", null, why, "leave venv out"));
  }
  if (body.mounts !== undefined && !capabilities.mounts) {
    const here = "cannot be used: the engine here cannot give jobs a view of the file system of their own";
    const why = lacked("mounts", here);
    mistakes.add(refuse("unsupported", "mounts", null, why, "run the server as root, or install bwrap (bubblewrap)"));
  }
  if (isolation !== undefined && isolation !== "any" && !capabilities.isolation.includes(isolation)) {
    const hint = `use one of any, ${capabilities.isolation.join(", ")}`;
    const why = lacked("isolation", "is not offered by the engine here");
    mistakes.add(refuse("unsupported", "isolation", isolation, why, hint));
  }
  if (account === undefined) return;
  mistakes.add(secondTenant(control, account));
  for (const [i, name] of (body.secrets ?? []).entries()) {
    if (holderOfSecret(state, account.no, name) !== undefined) continue;
    const hint = `set it with: tess secret set ${name}`;
    mistakes.add(refuse("invalid", `secrets[${i}]`, name, `is not set on ${account.path} or above`, hint));
  }
}

function settleTimes(body: JobSpecBody, now: Instant, mistakes: Mistakes): Omit<Settled, "after"> {
  const badZone = body.tz === undefined ? undefined : checkZone(body.tz);
  mistakes.add(badZone);
  const zone = badZone === undefined ? body.tz : "UTC";
  const timeOf = (field: "deadline" | "not_before") => {
    const text = body[field];
    return text === undefined ? undefined : mistakes.take<Instant | undefined>(instantOf(text, zone, field), undefined);
  };
  const deadlineAt = timeOf("deadline");
  if (deadlineAt !== undefined && deadlineAt <= now) {
    mistakes.add(refuse("invalid", "deadline", body.deadline!, "has passed", "give a time in the future"));
  }
  const notBeforeAt = timeOf("not_before");
  return {
    ...(deadlineAt !== undefined && { deadlineAt }),
    ...(notBeforeAt !== undefined && { notBeforeAt }),
    ...(zone !== undefined && { zone }),
  };
}

type AfterBody = NonNullable<JobSpecBody["after"]>;

/** The jobs to come after, by id or name among those the user may see: still live, or ended and how. */
async function findBefore(
  finder: Finder,
  user: User,
  given: AfterBody,
  mistakes: Mistakes,
): Promise<{ after: After[]; endedBefore: Gathered["endedBefore"] }> {
  const list = Array.isArray(given) ? given : [given];
  const after = new Map<JobId, After>();
  const endedBefore: { job: JobId; outcome: JobOutcome }[] = [];
  for (const [i, each] of list.entries()) {
    const { job: name, when = "succeeded" } = typeof each === "string" ? { job: each } : each;
    const found = await findJob(finder, user, name);
    if (found === undefined) {
      const field = Array.isArray(given) ? `after[${i}]` : "after";
      const hint = "give the id or name of one of your jobs";
      mistakes.add(refuse("invalid", field, name, "is not a job that you can see", hint));
      continue;
    }
    if ("several" in found) {
      const field = Array.isArray(given) ? `after[${i}]` : "after";
      const ids = found.several.map((job) => job.id).join(", ");
      const detail = `is the name of ${found.several.length} live jobs`;
      mistakes.add(refuse("invalid", field, name, detail, `use one of ${ids}`));
      continue;
    }
    const id = ("live" in found ? found.live.id : found.ended.id) as JobId;
    if (after.get(id)?.when !== "succeeded") after.set(id, { job: id, when });
    if ("ended" in found) endedBefore.push({ job: id, outcome: found.ended.outcome as JobOutcome });
  }
  return { after: [...after.values()], endedBefore };
}

/** The limit of jobs that declare none, by the lowest account that says so. */
function defaultTime(
  state: ReadonlyState,
  account: Account,
): { readonly ms: number; readonly path: string } | undefined {
  for (const { path, terms } of pathUp(state, account.no))
    if (terms.limits.runMsDefault !== undefined) return { ms: terms.limits.runMsDefault, path };
  return undefined;
}
