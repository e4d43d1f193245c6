import type { ContentStore, TenantContent } from "@tessera/content";
import {
  isTreeFile,
  isTreeLink,
  type JobId,
  type LeaseId,
  leaseIdOf,
  type Refusal,
  refuse,
  tenantOf,
} from "@tessera/core";
import type { JobFolder } from "@tessera/engine";
import type { JobFile, Output, OutputList, Job as WireJob } from "@tessera/wire";
import { timestamp } from "../../render/quantities.ts";
import type { ControlPlane } from "../control.ts";
import type { FoundJob } from "../find/find-job.ts";
import { keptUntil } from "./until.ts";

/** Which files of a job are meant. */
export interface FileAsk {
  readonly output?: string;
  readonly rank?: number;
}

/** One place of files: a tree that is kept, or a folder of a member that runs. */
type Source =
  | { readonly name: string; readonly rank: number; readonly tree: string; readonly content: TenantContent }
  | { readonly name: string; readonly rank: number; readonly lease: LeaseId; readonly folder: JobFolder };

export interface OpenedFile {
  readonly bytes: number;
  readonly content: AsyncIterable<Uint8Array>;
}

/** What a job keeps. */
export function outputsOf(control: ControlPlane, found: FoundJob): OutputList | Refusal {
  if ("live" in found) return "size" in found.live ? noArray(found) : { job: found.live.id, live: true, outputs: [] };
  const doc = JSON.parse(found.ended.doc) as WireJob;
  if (doc.elements !== undefined) return noArray(found);
  const until = keptUntil(control.state, found.ended.account, found.ended.endedAt);
  const outputs = until <= control.now() ? [] : (doc.outputs ?? []);
  return { job: doc.id, live: false, outputs: [...outputs], keptUntil: timestamp(until) };
}

/** The places that are asked for, the one that people mean most often first. */
export async function sourcesOf(
  control: ControlPlane,
  store: ContentStore | undefined,
  found: FoundJob,
  { output, rank = 0 }: FileAsk,
): Promise<Source[] | Refusal> {
  if ("live" in found) {
    if ("size" in found.live) return noArray(found);
    const folders: readonly JobFolder[] = output === undefined ? ["work", "out"] : isFolder(output) ? [output] : [];
    const lease = leaseIdOf(found.live.id, found.live.attempt, rank);
    return folders.map((folder) => ({ name: folder, rank, lease, folder }));
  }
  const list = outputsOf(control, found);
  if ("refused" in list) return list;
  const named = list.outputs.filter((each) => each.rank === rank && (output === undefined || each.name === output));
  if (output === "checkpoint" && named.length === 0)
    return [{ name: output, rank: 0, lease: leaseIdOf(list.job as JobId, 1, 0), folder: output }];
  const content = store?.of(tenantOf(control.state, found.account.no).id);
  if (content === undefined) return [];
  const sources: Source[] = [];
  for (const { name, tree } of named.sort(byUse))
    if (tree !== undefined && (await content.has(tree))) sources.push({ name, rank, tree, content });
  return sources;
}

export async function* filesOf(control: ControlPlane, sources: readonly Source[]): AsyncGenerator<JobFile> {
  for (const source of sources) {
    const { name: output, rank } = source;
    if ("tree" in source) {
      for (const entry of (await source.content.readTree(source.tree)).files) {
        const { path } = entry;
        if (isTreeFile(entry)) yield { output, rank, path, mode: entry.mode, bytes: entry.bytes, sha256: entry.sha256 };
        else if (isTreeLink(entry)) yield { output, rank, path, mode: 0o777, bytes: 0, link: entry.link };
      }
    } else {
      for await (const { path, mode, bytes, link } of control.files(source.lease, source.folder))
        yield { output, rank, path, mode, bytes, ...(link !== undefined && { link }) };
    }
  }
}

/** The first file of this path; undefined where there is none. */
export async function openFileOf(
  control: ControlPlane,
  sources: readonly Source[],
  path: string,
  start: number,
): Promise<OpenedFile | undefined> {
  for (const source of sources) {
    if ("tree" in source) {
      const entry = (await source.content.readTree(source.tree)).files.find((each) => each.path === path);
      // A server that was restored from a backup knows of files that it no longer has.
      if (entry === undefined || !isTreeFile(entry) || !(await source.content.has(entry.sha256))) continue;
      return { bytes: entry.bytes, content: source.content.read(entry.sha256, start) };
    }
    const opened = await control.readFile(source.lease, source.folder, path, start);
    if (opened !== undefined) return opened;
  }
  return undefined;
}

function isFolder(name: string): name is JobFolder {
  return name === "work" || name === "out" || name === "checkpoint";
}

/** Names that no user chose come first: with them there are no others. */
function byUse(a: Output, b: Output): number {
  const first = (name: string) => (name === "work" ? 0 : name === "out" ? 1 : 2);
  return first(a.name) - first(b.name) || (a.name < b.name ? -1 : 1);
}

function noArray(found: FoundJob): Refusal {
  const id = "live" in found ? found.live.id : found.ended.id;
  return refuse("invalid", "job", id, "is an array, which has no files of its own", `name an element, such as ${id}.1`);
}
