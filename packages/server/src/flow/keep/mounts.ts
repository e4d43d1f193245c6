import {
  type Account,
  type After,
  dataAccess,
  type Job,
  type JobId,
  type Mistakes,
  mountSource,
  refuse,
  tenantOf,
  type User,
  volumeFor,
} from "@tessera/core";
import type { MountOrder } from "@tessera/engine";
import type { JobSpecBody, Job as WireJob } from "@tessera/wire";
import { may } from "../../access/policy.ts";
import type { ControlPlane } from "../control.ts";
import { type Finder, type FoundJob, findJob, type Several } from "../find/find-job.ts";
import { outputsOf } from "./files.ts";
import { keptUntil } from "./until.ts";

type Mounts = NonNullable<JobSpecBody["mounts"]>;

/**
 * The mounts of a request with jobs by id. What one may not use is refused like what does not exist. The syntax is not
 * judged here: what is none of the known sources is left for the core to refuse.
 */
export async function settleMounts(
  finder: Finder,
  user: User,
  account: Account,
  mounts: Mounts,
  after: readonly After[],
  mistakes: Mistakes,
): Promise<Mounts> {
  const settled: Record<string, string> = {};
  for (const [at, text] of Object.entries(mounts)) {
    const source = mountSource(text);
    settled[at] = text;
    if (source === undefined || "claim" in source) continue; // the cluster alone knows its claims
    const refuseIt = (detail: string, hint: string) =>
      mistakes.add(refuse("invalid", `mounts.${at}`, text, detail, hint));
    if ("volume" in source) {
      if (volumeFor(finder.control.state, account.no, source) === undefined)
        refuseIt(`is not a volume that jobs of ${account.path} can mount`, "see: tess volume get");
      continue;
    }
    const found = await readable(finder, user, account, source.job);
    if (found === undefined) {
      refuseIt("is not a job whose outputs you can use", "give the id or name of a job of your tenant");
      continue;
    }
    if ("several" in found) {
      const ids = found.several.map((job) => job.id).join(", ");
      refuseIt(`names ${found.several.length} live jobs`, `use one of ${ids}`);
      continue;
    }
    const id = ("live" in found ? found.live.id : found.ended.id) as JobId;
    settled[at] = `job:${id}/${source.output}`;
    const fault = "live" in found ? notAfter(after, id, source.job) : missing(finder.control, found, source.output);
    if (fault !== undefined) refuseIt(fault.detail, fault.hint);
  }
  return settled;
}

async function readable(
  finder: Finder,
  user: User,
  account: Account,
  name: string,
): Promise<FoundJob | Several | undefined> {
  const { state } = finder.control;
  const found = await findJob(finder, user, name);
  if (found !== undefined && "several" in found) return found;
  if (found === undefined || !may(state, user, "job.logs", found.account.no, found.own)) return undefined;
  return tenantOf(state, found.account.no) === tenantOf(state, account.no) ? found : undefined;
}

function notAfter(after: readonly After[], id: JobId, name: string) {
  if (after.some(({ job }) => job === id)) return undefined;
  return { detail: "is an output of a job that has not ended", hint: `start after it: add after: ${name}` };
}

function missing(control: ControlPlane, found: FoundJob, output: string) {
  const list = outputsOf(control, found);
  const names =
    "refused" in list ? [] : list.outputs.filter(({ tree, rank }) => tree && rank === 0).map(({ name }) => name);
  if (names.includes(output)) return undefined;
  return {
    detail: "is not an output that the job kept",
    hint: names.length === 0 ? "it kept none" : `it kept ${names.join(", ")}`,
  };
}

/** The mounts of a job that starts now. Throws, for its user, when one of them is gone. */
export async function mountOrders(control: ControlPlane, { account, user, spec }: Job): Promise<MountOrder[]> {
  const orders: MountOrder[] = [];
  for (const [at, text] of Object.entries(spec.mounts ?? {})) {
    const source = mountSource(text)!;
    if ("volume" in source) {
      const held = volumeFor(control.state, account, source);
      if (held === undefined) throw new Error(`mounts: the volume ${source.volume} was deleted`);
      // Grants may have changed while it waited.
      const access = dataAccess(control.state, held, account, user, spec);
      if (typeof access !== "string") throw new Error(`mounts: the volume ${source.volume} ${access.detail}`);
      orders.push({ at, folder: held.volume.path, readOnly: source.readOnly || access === "read" });
    } else if ("claim" in source) orders.push({ at, ...source });
    else orders.push({ at, tree: await treeOf(control, source.job, source.output) });
  }
  return orders;
}

async function treeOf(control: ControlPlane, job: string, output: string): Promise<string> {
  const row = await control.reader.job(job);
  if (row === undefined) throw new Error(`mounts: job ${job} has not ended`);
  if (keptUntil(control.state, row.account, row.endedAt) <= control.now())
    throw new Error(`mounts: the outputs of job ${job} are no longer kept`);
  const kept = (JSON.parse(row.doc) as WireJob).outputs?.find(({ name, rank }) => name === output && rank === 0);
  if (kept?.tree === undefined) throw new Error(`mounts: job ${job} kept no output ${output}`);
  return kept.tree;
}
