import { lstat, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import type { Job } from "@tessera/wire";
import type { Command } from "commander";
import { type Failure, notFoundFailure, usageFailure } from "../../failure.ts";
import { choose } from "../../files/choose.ts";
import { copyAll } from "../../files/copy.ts";
import { destination } from "../../files/fetch.ts";
import { listFiles } from "../../files/list.ts";
import { type Place, parsePlace, refuseArray } from "../../files/place.ts";
import { examples } from "../../help.ts";
import { findMember } from "../../inside/member.ts";
import type { Session } from "../../session.ts";

export function define(command: Command, session: Session): void {
  command
    .description(
      "Copies files of a job to this machine: what it kept after its end, or what lies in its folders while it runs.\n" +
        "A path may be a file, a folder or a pattern, relative to the work folder. Files that are there are replaced, as by cp.",
    )
    .argument("<source>", "JOB:PATH; JOB.RANK:PATH of another rank; JOB/OUTPUT:PATH of one output")
    .argument("<destination>", "a file or a folder; . is the folder you are in");
  examples(command, [
    "tess cp train:model.bin .",
    "tess cp 'train:checkpoints/*.pt' checkpoints/",
    "tess cp train/out: results",
    "tess cp train.3:worker.log worker-3.log",
    "tess cp train/checkpoint:state.pt .",
  ]);
  command.action((source: string, to: string) => copy(session, source, to));
}

async function copy(session: Session, source: string, to: string): Promise<void> {
  const place = parsePlace(source);
  if (place === undefined) throw notFromHere(source, to);
  if (parsePlace(to) !== undefined)
    throw usageFailure("one of the two must be on this machine", "such as: tess cp train:model.bin .");
  if (to === "-") throw usageFailure("a copy needs a file or a folder", "write . for the folder you are in");
  const api = await session.api();
  const { job, rank } = await findMember(api, place.job);
  refuseArray(job);
  const files = await listFiles(api, job.id, { rank, ...(place.output !== undefined && { output: place.output }) });
  const { chosen, single } = choose(files, place.path);
  if (chosen.length === 0)
    throw nothingFound(
      job,
      place,
      files.map(({ path }) => path),
    );
  if (job.state !== "ended") await session.note(`${job.name} is ${job.state}: these are its files as they are now`);
  const full = resolve(session.terminal.cwd, to);
  const into = to.endsWith("/") || (await isFolder(full));
  const named = single && !into;
  // A folder that is copied to a new name becomes that name; into a folder that is there it goes under its own.
  const renamed =
    !single && !into && place.path !== "" && chosen.every(({ file }) => file.path.startsWith(`${place.path}/`));
  const moved = chosen.map(({ file, to: path }) => ({
    file,
    to: named ? basename(full) : renamed ? file.path.slice(place.path.length + 1) : path,
  }));
  const copied = await copyAll(session, api, job.id, moved, await destination(named ? dirname(full) : full));
  const where = named ? to : single ? join(to, moved[0]!.to) : to;
  if (session.readable) await session.note(`${copied} copied to ${where}`);
}

/** Files go out of a job; how they get in is said instead of half done. */
function notFromHere(source: string, to: string): Failure {
  if (parsePlace(to) === undefined)
    return usageFailure(
      `neither ${source} nor ${to} names a job`,
      "write JOB:PATH, such as: tess cp train:model.bin .",
    );
  return usageFailure(
    "files cannot be copied into a job that is there already",
    "put them into the folder you run it from, or mount a volume: mounts: {/data: vol:NAME}",
  );
}

function nothingFound(job: Job, { path, output }: Place, there: readonly string[]): Failure {
  const what = path === "" ? "files" : `no "${path}"`;
  const of = output === undefined ? "" : ` in ${output}`;
  const left = job.outputs?.find((each) => each.left !== undefined)?.left;
  const shown = there.slice(0, 5).join(", ") + (there.length > 5 ? `, and ${there.length - 5} more` : "");
  if (job.state === "waiting") return notFoundFailure(`${job.name} waits and has no files yet`);
  const verb = job.state === "ended" ? "kept" : "has";
  const message = path === "" ? `${job.name} ${verb} no files${of}` : `${job.name} ${verb} ${what}${of}`;
  if (there.length > 0) return notFoundFailure(message, `there is ${shown}`);
  return notFoundFailure(message, left === undefined ? "see what it kept: tess outputs JOB" : `not kept: ${left.why}`);
}

async function isFolder(path: string): Promise<boolean> {
  if ((await lstat(path).catch(() => undefined)) === undefined) return false;
  return (await stat(path).catch(() => undefined))?.isDirectory() ?? false;
}
