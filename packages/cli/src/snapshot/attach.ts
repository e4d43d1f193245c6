import { existsSync, statSync } from "node:fs";
import { dirname, join, parse } from "node:path";
import { cacheFolder, homeOf } from "../config/paths.ts";
import { exit } from "../exit.ts";
import { Failure, specFailure } from "../failure.ts";
import type { Api } from "../http.ts";
import { located } from "../job/mistakes.ts";
import type { Progress } from "../job/progress.ts";
import type { FolderToSend, SpecDocument } from "../job/spec-file.ts";
import { countText, sizeText } from "../output/bytes.ts";
import type { Session } from "../session.ts";
import { printable, redraws } from "../terminal.ts";
import { environmentOf } from "./environment.ts";
import { isServerData } from "./rules.ts";
import type { Sent } from "./send.ts";
import type { SnapshotLimits } from "./size.ts";

/** What was made of a folder. */
interface Snapshot {
  /** The value of `workdir`; undefined when there is nothing to send. */
  readonly workdir?: object;
}

/**
 * Sends the folders that jobs start from and puts their trees into the specs. `unasked` is the folder that is sent with a
 * job that names none.
 */
export async function attachFolders(
  session: Session,
  api: Api,
  documents: readonly SpecDocument[],
  { unasked, progress }: { readonly unasked?: string; readonly progress?: Progress | undefined },
): Promise<SpecDocument[]> {
  const snapshots = new Map<string, Snapshot>();
  const attached: SpecDocument[] = [];
  for (const document of documents) {
    const { spec } = document;
    const { workdir, ...rest } = spec;
    const asked = isFolderToSend(workdir) ? workdir.send : workdir === undefined ? unasked : undefined;
    if (asked === undefined) {
      const venv = isInPlace(workdir) ? venvOf(session, workdir.in_place) : {};
      attached.push({ ...document, spec: { ...venv, ...spec } });
      continue;
    }
    const project = spec.project as string | undefined;
    const key = `${project ?? ""}\n${asked}`;
    const folder = await folderFor(session, asked, workdir !== undefined);
    const known =
      snapshots.get(key) ??
      (await snapshotOf(session, api, project, folder, progress).catch((error): never => {
        throw located(error, document, documents.length > 1);
      }));
    snapshots.set(key, known);
    attached.push({ ...document, spec: { ...known, ...rest } });
  }
  return attached;
}

/** The specs as they are without their folders, for a dry run: nothing is sent. */
export function withoutFolders(documents: readonly SpecDocument[]): SpecDocument[] {
  return documents.map((document) => {
    const { workdir, ...rest } = document.spec;
    return isFolderToSend(workdir) ? { ...document, spec: rest } : document;
  });
}

function isFolderToSend(workdir: unknown): workdir is FolderToSend {
  return typeof workdir === "object" && workdir !== null && "send" in workdir;
}

function isInPlace(workdir: unknown): workdir is { readonly in_place: string } {
  return typeof workdir === "object" && workdir !== null && "in_place" in workdir;
}

/** The environment that is used here, for the job to use as well if it can. */
function venvOf(session: Session, folder: string | undefined): { readonly venv?: object } {
  const path = environmentOf(session.terminal.env, folder);
  return path === undefined ? {} : { venv: { path, optional: true } };
}

/** The folder to send; undefined when there is none. One that was not asked for is not sent where that would surprise. */
async function folderFor(session: Session, folder: string, asked: boolean): Promise<string | undefined> {
  if (folder === "") return undefined;
  if (!existsSync(folder) || !statSync(folder).isDirectory())
    throw specFailure(`workdir: there is no folder ${folder}`);
  if (isServerData(folder))
    throw specFailure(
      `${folder} holds the data of a server and is not sent`,
      "run it from another folder, or with --workdir none",
    );
  if (asked) return folder;
  const home = homeOf(session.terminal.env);
  const what = home === folder || home.startsWith(join(folder, "/")) ? "your home folder is in it" : undefined;
  const why =
    parse(folder).root === folder || dirname(folder) === parse(folder).root ? "it belongs to the machine" : what;
  if (why === undefined) return folder;
  const here = folder === home ? "it is your home folder" : why;
  await session.note(`${folder} is not sent (${here}); the job starts in an empty folder. To send it: --workdir .`);
  return undefined;
}

/** Reads and sends one folder, unless the server cannot take any. */
async function snapshotOf(
  session: Session,
  api: Api,
  project: string | undefined,
  folder: string | undefined,
  progress: Progress | undefined,
): Promise<Snapshot & { readonly venv?: object }> {
  const venv = venvOf(session, folder);
  if (folder === undefined && venv.venv === undefined) return {};
  const { scanFolder } = await import("./scan.ts");
  const found = folder === undefined ? undefined : scanFolder(folder, scanMax);
  const nothing = found === undefined || found.files.length + found.links.length + found.emptyFolders.length === 0;
  if (found !== undefined) await tellLeftOut(session, found.leftOut);
  if (nothing && venv.venv === undefined) return {};
  const limits = await limitsOf(session, api, project);
  if (limits === undefined) return {};
  if (nothing) return venv;
  return { ...venv, workdir: await send(session, api, project, found, limits, progress) };
}

/** More than any server takes; a folder with more is not read to its end. */
const scanMax = 100_000;

async function limitsOf(session: Session, api: Api, project: string | undefined): Promise<SnapshotLimits | undefined> {
  try {
    const body = { ...(project !== undefined && { project }), digests: [] };
    return (await api.call("findMissing", { body })).limits;
  } catch (error) {
    // A project that is not there is refused with the job, beside its other mistakes.
    if (error instanceof Failure && error.exitCode === exit.notFound) return undefined;
    if (!(error instanceof Failure) || error.code !== "unsupported") throw error;
    await session.note("This server does not run real jobs: the folder is not sent.");
    return undefined;
  }
}

async function send(
  session: Session,
  api: Api,
  project: string | undefined,
  found: import("./scan.ts").Found,
  limits: SnapshotLimits,
  progress: Progress | undefined,
): Promise<object> {
  const { checkSize } = await import("./size.ts");
  const { Digests } = await import("./digests.ts");
  const { sendTree } = await import("./send.ts");
  const { commitOf } = await import("./commit.ts");
  checkSize(found, limits);
  const total = `${countText(found.files.length)}, ${sizeText(found.bytes)}`;
  if (redraws(session.terminal.stderr, session.terminal.env)) progress?.phase("send", total);
  const commit = commitOf(found.folder);
  const digests = new Digests(join(cacheFolder(session.terminal.env), "snapshots"), found.folder);
  const { stderr, env } = session.terminal;
  const onSent = (soFar: Sent) => {
    if (redraws(stderr, env)) progress?.phase("send", `${total}; ${soFar.files} files, ${sizeText(soFar.bytes)} sent`);
  };
  const { tree, sent } = await sendTree(api, project, found, digests, onSent);
  const news = sent.files === 0 ? "nothing new" : `${sent.files} new, ${sizeText(sent.bytes)}`;
  progress?.phase("send", `${total}; ${news}`);
  return { tree, ...(await commit), from: shownFolder(found.folder) };
}

function shownFolder(folder: string): string {
  return folder.length <= 1_000 ? printable(folder) : `…${printable(folder.slice(-1_000))}`;
}

const leftOutShown = 5;

async function tellLeftOut(session: Session, leftOut: readonly string[]): Promise<void> {
  for (const line of leftOut.slice(0, leftOutShown)) await session.note(`not sent: ${printable(line)}`);
  if (leftOut.length > leftOutShown) await session.note(`not sent: ${leftOut.length - leftOutShown} more`);
}
