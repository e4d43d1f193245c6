import {
  type Account,
  type After,
  durationText,
  gpuOffers,
  type Instant,
  isRefusal,
  type JobId,
  type JobOutcome,
  type JobSpec,
  parseJob,
  pathUp,
  type RawJob,
  type RawKind,
  type ReadonlyState,
  type Refusal,
  refuse,
  type Settled,
  type SubmitJob,
  sizeJob,
  type User,
  withoutSizes,
} from "@tessera/core";
import type { JobSpecBody } from "@tessera/wire";
import { holderOfSecret } from "../../access/secrets.ts";
import { checkSnapshot } from "../content/snapshot.ts";
import { type Finder, findJob } from "../find/find-job.ts";
import { checkZone, instantOf } from "../zones.ts";

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
  const refusal = cannotHonour(finder, account, body);
  if (refusal !== undefined) return refusal;
  const times = settleTimes(body, finder.control.now());
  if (isRefusal(times)) return times;
  const { workdir } = body;
  if (typeof workdir === "object" && "tree" in workdir) {
    return checkSnapshot(finder.content, finder.control.state, account, workdir.tree).then(
      (missing) => missing ?? gatherBefore(finder, user, account, body, times),
    );
  }
  return gatherBefore(finder, user, account, body, times);
}

function gatherBefore(
  finder: Finder,
  user: User,
  account: Account,
  body: JobSpecBody,
  times: Omit<Settled, "after">,
): Gathered | Refusal | Promise<Gathered | Refusal> {
  if (body.after === undefined) return parsed(finder, account, body, { ...times, after: [] }, []);
  return findBefore(finder, user, body.after).then((before) =>
    isRefusal(before) ? before : parsed(finder, account, body, { ...times, after: before.after }, before.endedBefore),
  );
}

function parsed(
  { control }: Finder,
  account: Account,
  body: JobSpecBody,
  settled: Settled,
  endedBefore: Gathered["endedBefore"],
): Gathered | Refusal {
  const shares = control.capabilities.isolation.some((level) => level !== "whole");
  const offers = gpuOffers(control.state.fleet).map((offer) => ({ ...offer, parts: offer.parts && shares }));
  const gpus = withoutSizes((body as RawJob).gpus, control.state.policy.sizes);
  if (isRefusal(gpus)) return gpus;
  const sized = sizeJob({ ...(body as RawJob & RawKind), ...(gpus !== undefined && { gpus }) }, offers);
  if (isRefusal(sized)) return sized;
  const spec = parseJob(sized.raw, settled);
  if (isRefusal(spec)) return spec;
  if (!shares && spec.gpus.every((ask) => ask.part !== undefined)) {
    const field = body.gpus !== undefined ? "gpus" : body.gpu_compute !== undefined ? "gpu_compute" : "gpu_memory";
    const value = typeof body.gpus === "object" ? null : (body.gpus ?? body.gpu_compute ?? body.gpu_memory ?? null);
    return refuse(
      "unsupported",
      field,
      value,
      "is a part of a GPU, and the engine here has whole GPUs only",
      "ask for gpus: 1",
    );
  }
  const limit =
    spec.maxTimeMs === undefined && spec.type !== "service" ? defaultTime(control.state, account) : undefined;
  if (limit === undefined) return { spec, endedBefore, why: sized.why };
  const said = `max_time ${durationText(limit.ms)}: the default of ${limit.path}`;
  return { spec: { ...spec, maxTimeMs: limit.ms }, endedBefore, why: [...sized.why, said] };
}

/** What no engine here can do, and what the account does not have. */
function cannotHonour({ control }: Finder, account: Account, body: JobSpecBody): Refusal | undefined {
  const { capabilities, state } = control;
  const { image, workdir, venv, isolation } = body;
  if (image !== undefined && !capabilities.images) {
    return refuse(
      "unsupported",
      "image",
      image,
      "cannot be used: the engine here does not run container images",
      "leave image out",
    );
  }
  if (workdir !== undefined && !(typeof workdir === "string" ? capabilities.workdir : capabilities.code)) {
    const shown = typeof workdir === "string" ? workdir : null;
    return refuse("unsupported", "workdir", shown, "cannot be set with the engine here", "leave workdir out");
  }
  if (venv !== undefined && !capabilities.code) {
    return refuse("unsupported", "venv", null, "cannot be set with the engine here", "leave venv out");
  }
  if (isolation !== undefined && isolation !== "any" && !capabilities.isolation.includes(isolation)) {
    const offered = capabilities.isolation.join(", ");
    return refuse(
      "unsupported",
      "isolation",
      isolation,
      "is not offered by the engine here",
      `use one of any, ${offered}`,
    );
  }
  for (const [i, name] of (body.secrets ?? []).entries()) {
    if (holderOfSecret(state, account.no, name) !== undefined) continue;
    return refuse(
      "invalid",
      `secrets.${i}`,
      name,
      `is not set on ${account.path} or above`,
      `set it with: tess secret set ${name}`,
    );
  }
  return undefined;
}

function settleTimes(body: JobSpecBody, now: Instant): Omit<Settled, "after"> | Refusal {
  const zone = body.tz;
  const bad = zone === undefined ? undefined : checkZone(zone);
  if (bad !== undefined) return bad;
  const deadlineAt = body.deadline === undefined ? undefined : instantOf(body.deadline, zone, "deadline");
  if (isRefusal(deadlineAt)) return deadlineAt;
  if (deadlineAt !== undefined && deadlineAt <= now) {
    return refuse("invalid", "deadline", body.deadline!, "has passed", "give a time in the future");
  }
  const notBeforeAt = body.not_before === undefined ? undefined : instantOf(body.not_before, zone, "not_before");
  if (isRefusal(notBeforeAt)) return notBeforeAt;
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
): Promise<{ after: After[]; endedBefore: Gathered["endedBefore"] } | Refusal> {
  const list = Array.isArray(given) ? given : [given];
  const after = new Map<JobId, After>();
  const endedBefore: { job: JobId; outcome: JobOutcome }[] = [];
  for (const [i, each] of list.entries()) {
    const { job: name, when = "succeeded" } = typeof each === "string" ? { job: each } : each;
    const found = await findJob(finder, user, name);
    if (found === undefined) {
      const field = Array.isArray(given) ? `after.${i}` : "after";
      return refuse("invalid", field, name, "is not a job that you can see", "give the id or name of one of your jobs");
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
