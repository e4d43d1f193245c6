import { closeSync } from "node:fs";
import {
  byPath,
  faultOfLink,
  faultOfPath,
  isTreeFile,
  type KeptOutput,
  matchesGlob,
  outputFolders,
  outputUndeclared,
  type Tree,
  type TreeEntry,
  type TreeFile,
} from "@tessera/core";
import type { JobFolder, OutputsOrder } from "../port.ts";
import { bytesOf, type Found, openFile, openFolder, walk } from "./below.ts";
import type { Keeper } from "./keeper.ts";

/** What is there to be looked at when a member has ended. */
export interface Leavings {
  readonly outputs: OutputsOrder;
  readonly rank: number;
  /** Its folders, each as a path below one that the tenant cannot replace. */
  readonly places: { readonly [place in JobFolder]: { readonly base: string; readonly path: string } };
  /** A folder of its user's in which it worked, and where its files stay. */
  readonly workdir?: string;
  /** What its work folder held when it began. */
  readonly code?: Tree;
  /** The user whose files are kept, where we may read those of others. */
  readonly owner?: number;
  /** When its work folder was ready, by the clock of the file system: a file that was last changed before is no result. */
  readonly readyAt: number;
}

/** An output: its name, the folder its files come from, which of them, and how many. */
interface Ask {
  readonly name: string;
  readonly place: JobFolder;
  readonly wants: (found: Found) => boolean;
  /** Folders that are not even looked into. */
  readonly skips?: (path: string) => boolean;
  readonly bytesMax: number;
  readonly filesMax: number;
  /** What the folder held when the job began; the same file again is no result. */
  readonly before?: ReadonlyMap<string, TreeFile>;
}

/** So many files a supervisor with a small heap can list. */
const filesMax = 50_000;
/** What was never asked for is kept as a convenience, so it has a limit of its own. */
const undeclaredMax = { bytes: 2 ** 30, files: 5_000 };

/** Names that programs fill by themselves: caches and settings below HOME, compiled files, packages. */
const ownOfTools = /(^|\/)(\.[^/]*|__pycache__|node_modules)$/;

/** Gives what a member left to the keeper. All its processes must be gone. */
export async function collectOutputs(leavings: Leavings, keeper: Keeper): Promise<KeptOutput[]> {
  const { outputs, rank } = leavings;
  const asks = outputs.declared === undefined ? undeclared(leavings) : declared(outputs.declared);
  const kept: KeptOutput[] = [];
  let bytesLeft = outputs.bytesMax;
  for (const ask of asks) {
    const output = await collect(leavings, keeper, ask, bytesLeft);
    bytesLeft -= output.bytes;
    if (outputs.declared === undefined && output.files === 0 && output.left === undefined) continue;
    kept.push({ ...output, ...(rank > 0 && { rank }) });
  }
  return kept;
}

function declared(patterns: { readonly [name: string]: string }): Ask[] {
  return Object.entries(patterns).map(([name, pattern]) => {
    const folders = Object.entries(outputFolders) as ["out" | "checkpoint", string][];
    const [place, prefix] = folders.find(([, text]) => pattern.startsWith(text)) ?? (["work", ""] as const);
    const rest = pattern.slice(prefix.length);
    return { name, place, wants: ({ path }) => matchesGlob(path, rest), bytesMax: Number.POSITIVE_INFINITY, filesMax };
  });
}

/** Without a word of the user, results are those of rank 0: the other members of a gang write much the same. */
function undeclared({ rank, workdir, code, readyAt }: Leavings): Ask[] {
  if (rank > 0) return [];
  const out: Ask = {
    name: outputUndeclared.out,
    place: "out",
    wants: () => true,
    bytesMax: Number.POSITIVE_INFINITY,
    filesMax,
  };
  if (workdir !== undefined) return [out]; // it works in a folder that is not ours, and its files stay there
  const before = new Map(code?.files.filter(isTreeFile).map((file) => [file.path, file]));
  const wants = ({ stats }: Found) => stats.ctimeMs > readyAt;
  const skips = (path: string) => ownOfTools.test(path);
  const limits = { bytesMax: undeclaredMax.bytes, filesMax: undeclaredMax.files };
  return [out, { name: outputUndeclared.work, place: "work", wants, skips, before, ...limits }];
}

async function collect(leavings: Leavings, keeper: Keeper, ask: Ask, bytesLeft: number): Promise<KeptOutput> {
  const nothing = { name: ask.name, files: 0, bytes: 0 };
  if (ask.place === "work" && leavings.workdir !== undefined)
    return {
      ...nothing,
      left: { files: 0, bytes: 0, why: `it ran in ${leavings.workdir}, and its files are there` },
    };
  const { base, path } = leavings.places[ask.place];
  const folder = openFolder(base, path);
  if (folder === undefined) return { ...nothing, left: { files: 0, bytes: 0, why: "its folder is gone" } };
  try {
    return await keep(leavings, keeper, ask, Math.min(ask.bytesMax, bytesLeft), folder);
  } finally {
    closeSync(folder);
  }
}

async function keep(
  leavings: Leavings,
  keeper: Keeper,
  ask: Ask,
  bytesMax: number,
  folder: number,
): Promise<KeptOutput> {
  const wanted: Found[] = [];
  const left = new Left();
  for await (const found of walk(folder, ask.skips)) {
    if (!ask.wants(found)) continue;
    if (wanted.length < filesListed) wanted.push(found);
    else left.count(found.stats.size, `it has more than ${filesListed} files`);
  }
  // The newest first: where not all can be kept, the last checkpoint is worth more than the first.
  wanted.sort((a, b) => b.stats.mtimeMs - a.stats.mtimeMs || byPath(a, b));
  const entries: TreeEntry[] = [];
  let bytes = 0;
  for (const { path, link, stats } of wanted) {
    const fault = faultOfPath(path) ?? (link === undefined ? undefined : faultOfLink({ path, link }));
    if (fault !== undefined) left.count(0, `${path} ${fault}`);
    else if (entries.length >= ask.filesMax) left.count(stats.size, `only ${ask.filesMax} files are kept`);
    else if (link !== undefined) entries.push({ path, link });
    else if (bytes + stats.size > bytesMax) left.count(stats.size, `only ${sizeText(bytesMax)} may be kept`);
    else {
      const file = await keepFile(keeper, folder, path, leavings.owner);
      if (file === undefined) left.count(stats.size, `${path} cannot be read`);
      else if (!isSame(file, ask.before?.get(path))) {
        entries.push(file);
        bytes += file.bytes;
      }
    }
  }
  const files = entries.length;
  const tree = files === 0 ? undefined : await keeper.putTree({ files: entries.sort(byPath) });
  return { name: ask.name, ...(tree !== undefined && { tree }), files, bytes, ...left.told };
}

/** Beyond this many a folder is not even listed. */
const filesListed = 100_000;

async function keepFile(
  keeper: Keeper,
  folder: number,
  path: string,
  owner: number | undefined,
): Promise<TreeFile | undefined> {
  const opened = openFile(folder, path, owner);
  if (opened === undefined) return undefined;
  try {
    const taken = await keeper.takeFile(bytesOf(opened.file, opened.stats.size));
    return { path, mode: opened.stats.mode & 0o777, ...taken };
  } finally {
    closeSync(opened.file);
  }
}

function isSame(file: TreeFile, before: TreeFile | undefined): boolean {
  return before?.sha256 === file.sha256;
}

/** What was not kept, and the first reason for it. */
class Left {
  #files = 0;
  #bytes = 0;
  #why = "";

  count(bytes: number, why: string): void {
    this.#files += 1;
    this.#bytes += bytes;
    if (this.#why === "") this.#why = why;
  }

  get told(): Pick<KeptOutput, "left"> {
    return this.#files === 0 ? {} : { left: { files: this.#files, bytes: this.#bytes, why: this.#why } };
  }
}

export function sizeText(bytes: number): string {
  if (bytes >= 2 ** 30) return `${Math.round((bytes / 2 ** 30) * 10) / 10} GiB`;
  return bytes >= 2 ** 20 ? `${Math.round((bytes / 2 ** 20) * 10) / 10} MiB` : `${bytes} bytes`;
}
