import {
  type Account,
  type After,
  accountOf,
  canonicalJson,
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
  type Refusal,
  refuse,
  rehearse,
  rootAccount,
  type Settled,
  type State,
  type SubmitJob,
  sizeJob,
  type User,
  withoutSizes,
} from "@tessera/core";
import type { DryRun, JobCreated, JobSpecBody, Job as WireJob } from "@tessera/wire";
import { grantsOf } from "../access/policy.ts";
import { holderOfSecret } from "../access/secrets.ts";
import { jobCreated, jobCreatedFromDoc, renderReason } from "../api/render.ts";
import { renderDisplaced, renderSeats } from "../api/render-outlook.ts";
import { renderSpec } from "../api/render-spec.ts";
import type { Asker } from "./control.ts";
import { alternativesOf, startOf } from "./explain.ts";
import { type Finder, findJob } from "./find-job.ts";
import { newId } from "./ids.ts";
import { checkZone, instantOf } from "./zones.ts";

/** A request that has been looked into: all that the core needs to decide, but the id. */
interface Gathered {
  readonly spec: JobSpec;
  readonly endedBefore: SubmitJob["endedBefore"];
  /** How what it is became what it asks for. */
  readonly why: readonly string[];
}

/** How often the world may move between looking and deciding before the caller is told to come again. */
const looksMax = 5;

/** The account path a job goes to: the one given, or the only one where this user may submit. */
export function projectOf(state: State, user: User, given: string | undefined): string | Refusal {
  if (given !== undefined) return given;
  const projects = defaultProjects(state, user);
  if (projects.length === 1) return projects[0]!;
  if (projects.length === 0) {
    return refuse(
      "invalid",
      "project",
      null,
      "is missing, and you may not submit jobs to any account",
      "ask an administrator for the role member in an account",
    );
  }
  const shown = projects.slice(0, 10).join(", ");
  return refuse(
    "invalid",
    "project",
    null,
    "is missing, and you may submit jobs to several accounts",
    `name one, such as ${shown}`,
  );
}

/** Accounts where a job of this user goes unasked: those of its roles, or every tenant for one of the whole platform. */
export function defaultProjects(state: State, user: User): string[] {
  const bound = user.bindings.filter(({ role }) => grantsOf[role]["job.submit"] !== undefined);
  const accounts = [...new Set(bound.map(({ account }) => account))].map((no) => accountOf(state, no));
  const own = accounts.filter((account) => account.no !== rootAccount);
  const named = own.length > 0 ? own : accounts.flatMap((root) => root.children.map((no) => accountOf(state, no)));
  return named.map((account) => account.path).sort();
}

/** Submit: gather what the request leans on, ask the core, answer what the create fixed. */
export async function submitJob(
  finder: Finder,
  by: Asker,
  user: User,
  account: Account,
  body: JobSpecBody,
): Promise<JobCreated | Refusal> {
  const { control } = finder;
  const id = newId("job_") as JobId;
  for (let look = 1; ; look++) {
    const gathering = gather(finder, user, account, body);
    const gathered = gathering instanceof Promise ? await gathering : gathering;
    if (isRefusal(gathered)) return gathered;
    const { spec, endedBefore } = gathered;
    const command = { account: account.path, endedBefore, id, kind: "job.submit", spec, user: user.id } as const;
    const done = await control.ask(command, by);
    if (!isRefusal(done)) return createdJob(finder, done.result!);
    if (done.refused !== "look-again" || look === looksMax) return done;
  }
}

/** Submits unless a live job of this project and name is already what is asked for. */
export async function applyJob(
  finder: Finder,
  by: Asker,
  user: User,
  account: Account,
  body: JobSpecBody,
): Promise<JobCreated | Refusal> {
  const gathered = await gather(finder, user, account, body);
  if (isRefusal(gathered)) return gathered;
  const wanted = canonicalJson(gathered.spec);
  for (const job of finder.liveNames.named(gathered.spec.name)) {
    if (job.account !== account.no) continue;
    if (canonicalJson(job.spec) === wanted) return jobCreated(finder.control.state, job);
    break; // only the newest of the name counts: an older one was replaced by it
  }
  return submitJob(finder, by, user, account, body);
}

/** What would become of the job if it were submitted now. */
export async function dryRunJob(
  finder: Finder,
  user: User,
  account: Account,
  body: JobSpecBody,
): Promise<DryRun | Refusal> {
  const gathered = await gather(finder, user, account, body);
  if (isRefusal(gathered)) return gathered;
  const { state } = finder.control;
  const { spec } = gathered;
  const waitsFor = spec.after.length - gathered.endedBefore.length;
  const now = finder.control.now();
  const outcome = rehearse(state, account.no, user.id, spec, now, waitsFor);
  if (isRefusal(outcome)) return outcome;
  const { job, outlook, reason } = outcome;
  const starts = outlook.when === "now";
  return {
    project: account.path,
    spec: renderSpec(spec),
    ...(gathered.why.length > 0 && { sizing: [...gathered.why] }),
    wouldStart: starts,
    ...(starts && { class: outlook.placement.class }),
    members: renderSeats(state, outlook),
    start: await startOf(finder.control, job, outlook, now),
    ...(starts &&
      outlook.displaced.length > 0 && {
        displaces: renderDisplaced(state, user, outlook.displaced, outlook.graceMs),
      }),
    ...(reason !== undefined && {
      reason: renderReason(reason),
      alternatives: alternativesOf(finder.control, user, job, reason, outlook),
    }),
  };
}

/** The answer to the create that made this job, also when the job has ended in the meantime. */
export async function createdJob({ control }: Finder, id: string): Promise<JobCreated> {
  const { state, reader } = control;
  const live = state.jobById.get(id as JobId) ?? state.arrayById.get(id as JobId);
  if (live !== undefined) return jobCreated(state, live);
  const row = await reader.job(id);
  if (row === undefined) throw new Error(`job ${id} was created and is nowhere to be found`);
  return jobCreatedFromDoc(JSON.parse(row.doc) as WireJob);
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
  const { image, workdir, isolation } = body;
  if (image !== undefined && !capabilities.images) {
    return refuse(
      "unsupported",
      "image",
      image,
      "cannot be used: the engine here does not run container images",
      "leave image out",
    );
  }
  if (workdir !== undefined && !capabilities.workdir) {
    return refuse("unsupported", "workdir", workdir, "cannot be set with the engine here", "leave workdir out");
  }
  if (workdir !== undefined && !workdir.startsWith("/")) {
    return refuse("invalid", "workdir", workdir, "is not an absolute directory", "begin it with /");
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
function defaultTime(state: State, account: Account): { readonly ms: number; readonly path: string } | undefined {
  for (const { path, terms } of pathUp(state, account.no))
    if (terms.limits.runMsDefault !== undefined) return { ms: terms.limits.runMsDefault, path };
  return undefined;
}
