import { createHash, randomBytes } from "node:crypto";
import { chmod, lstat, mkdir, open, readlink, rename, rm, symlink } from "node:fs/promises";
import { basename, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { JobFile } from "@tessera/wire";
import { exit } from "../exit.ts";
import { Failure, Outage } from "../failure.ts";
import type { Api } from "../http.ts";

/** Where files are fetched from and how that is told. */
export interface Fetching {
  readonly api: Api;
  readonly job: string;
  readonly signal: AbortSignal;
  readonly onBytes: (bytes: number) => void;
}

/**
 * Fetches one file into `folder`, never outside of it: each name on the way must be a folder and no link. The file appears
 * under its name when it is whole, with its digest where that is known; what was there before is replaced.
 */
export async function fetchFile(fetching: Fetching, file: JobFile, folder: string, to: string): Promise<void> {
  const parts = to.split("/");
  if (parts.some((part) => part === "" || part === "." || part === ".." || part.includes("\0"))) throw outside(to);
  const parent = await makeFolders(folder, parts.slice(0, -1));
  const target = join(parent, parts.at(-1)!);
  if (await isFolder(target)) throw refused(`${target} is a folder and cannot become a file`, "choose another place");
  if (file.link !== undefined) {
    if (leadsOut(to, file.link)) throw outside(to);
    return link(target, file.link);
  }
  const partial = join(parent, `.${basename(target).slice(0, 100)}.${randomBytes(6).toString("hex")}.part`);
  try {
    await download(fetching, file, partial);
    await chmod(partial, file.mode);
    await rename(partial, target);
  } finally {
    await rm(partial, { force: true });
  }
}

async function makeFolders(folder: string, names: readonly string[]): Promise<string> {
  let at = folder;
  for (const name of names) {
    at = join(at, name);
    await mkdir(at).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") throw error;
    });
    if (!(await lstat(at)).isDirectory()) throw refused(`${at} is no folder`, "move it away, or choose another place");
  }
  return at;
}

/** Whether a link at this path points out of the folder that all is copied to. */
export function leadsOut(path: string, link: string): boolean {
  let depth = path.split("/").length - 1;
  let down = false;
  if (link.startsWith("/")) return true;
  return link.split("/").some((part) => {
    if (part === "" || part === ".") return false;
    // After a name a ".." could follow another link first.
    if (part === "..") return down || --depth < 0;
    down = true;
    return false;
  });
}

async function link(target: string, to: string): Promise<void> {
  if ((await readlink(target).catch(() => undefined)) === to) return;
  await rm(target, { force: true });
  await symlink(to, target);
}

const triesMax = 5;

/** A connection that is lost is taken up again where it broke. */
async function download(fetching: Fetching, file: JobFile, partial: string): Promise<void> {
  const { api, job, signal } = fetching;
  const hash = createHash("sha256");
  const handle = await open(partial, "wx", 0o600);
  let at = 0;
  try {
    for (let tries = 1; ; tries += 1) {
      const before = at;
      try {
        const query = { path: file.path, output: file.output, rank: file.rank, start: at };
        const answer = await api.open("readFile", { at: { job }, query }, { accept: "*/*", signal });
        const size = at + Number(answer.headers["content-length"]);
        for await (const part of answer as AsyncIterable<Buffer>) {
          hash.update(part);
          await handle.write(part, 0, part.length, at);
          at += part.length;
          fetching.onBytes(part.length);
        }
        if (at >= size) break;
        throw new Outage(`the connection broke after ${at} of ${size} bytes`, "try again");
      } catch (error) {
        if (signal.aborted || (error instanceof Failure && !(error instanceof Outage))) throw error;
        if (at > before) tries = 1;
        if (tries >= triesMax) throw error;
        await sleep(500 * tries);
      }
    }
  } finally {
    await handle.close();
  }
  if (file.sha256 === undefined || hash.digest("hex") === file.sha256) return;
  throw new Failure(exit.serverDown, {
    code: "damaged",
    message: `${file.path} arrived with another content than the job kept`,
    hint: "try again; if it stays so, the server's disk has damaged it",
  });
}

async function isFolder(path: string): Promise<boolean> {
  const found = await lstat(path).catch(() => undefined);
  return found?.isDirectory() ?? false;
}

/** The folder that files go to: made with those above it where it is not there. */
export async function destination(path: string): Promise<string> {
  await mkdir(path, { recursive: true });
  return path;
}

function outside(path: string): Failure {
  return refused(
    `${path} would lie outside the folder it is copied to`,
    "tell the platform owner: no job can keep this",
  );
}

function refused(message: string, hint: string): Failure {
  return new Failure(exit.conflict, { code: "conflict", message, hint });
}
