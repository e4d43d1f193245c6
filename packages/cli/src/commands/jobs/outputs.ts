import { resolve } from "node:path";
import type { Job, JobFile, Output, OutputList } from "@tessera/wire";
import type { Command } from "commander";
import { notFoundFailure } from "../../failure.ts";
import { outputColumns } from "../../files/columns.ts";
import { copyAll } from "../../files/copy.ts";
import { destination } from "../../files/fetch.ts";
import { listFiles } from "../../files/list.ts";
import { refuseArray } from "../../files/place.ts";
import { examples } from "../../help.ts";
import type { Api } from "../../http.ts";
import { findMember } from "../../inside/member.ts";
import { sizeText } from "../../output/bytes.ts";
import { emitList, emitObject } from "../../output/emit.ts";
import { instantText } from "../../output/time.ts";
import type { Session } from "../../session.ts";

interface OutputFlags {
  readonly download?: string;
}

export function define(command: Command, session: Session): void {
  command
    .description(
      "Lists what a job kept after its end, or the files of one of its outputs; with --download fetches all of it.\n" +
        "Files of ranks above 0 go into folders rank-1, rank-2 and so on.",
    )
    .argument("<job>", "name or id")
    .argument("[name]", "one output: its files")
    .option("--download <folder>", "copy everything into this folder, one folder for each output");
  examples(command, ["tess outputs train", "tess outputs train model", "tess outputs train --download results"]);
  command.action((job: string, name: string | undefined, flags: OutputFlags) => outputs(session, job, name, flags));
}

async function outputs(session: Session, asked: string, name: string | undefined, flags: OutputFlags): Promise<void> {
  const api = await session.api();
  const { job } = await findMember(api, asked);
  refuseArray(job);
  const list = await api.call("listOutputs", { at: { job: job.id } });
  const shown = list.live ? await liveOutputs(api, job) : list.outputs;
  const chosen = name === undefined ? shown : shown.filter((each) => each.name === name);
  if (name !== undefined && chosen.length === 0)
    throw notFoundFailure(
      `${job.name} has no output "${name}"`,
      shown.length === 0 ? "" : `there is ${[...new Set(shown.map((each) => each.name))].join(", ")}`,
    );
  if (flags.download !== undefined) return download(session, api, job, chosen, name, flags.download);
  if (name !== undefined) return showFiles(session, await filesOf(api, job, chosen));
  await showOutputs(session, { ...list, outputs: shown }, job);
}

/** What its folders hold now. */
async function liveOutputs(api: Api, { id }: Job): Promise<Output[]> {
  const sums = new Map<string, Output>();
  for (const { output: name, rank, bytes } of await listFiles(api, id, {})) {
    const so = sums.get(name) ?? { name, rank, files: 0, bytes: 0 };
    sums.set(name, { ...so, files: so.files + 1, bytes: so.bytes + bytes });
  }
  return [...sums.values()];
}

async function filesOf(api: Api, { id }: Job, chosen: readonly Output[]): Promise<JobFile[]> {
  const files: JobFile[] = [];
  for (const { name: output, rank } of chosen) files.push(...(await listFiles(api, id, { output, rank })));
  return files;
}

async function showOutputs(session: Session, list: OutputList, job: Job): Promise<void> {
  const { outputs: items, live, keptUntil } = list;
  const view = { columns: outputColumns, nameOf: ({ name }: Output) => name };
  if (session.format === "json" || session.format === "yaml") return emitObject(session, list, job.id, () => "");
  await emitList(session, { items }, view);
  if (!session.readable) return;
  if (live) await session.note(`${job.name} is ${job.state}: these are its files as they are now`);
  else if (items.length === 0) await session.note(`${job.name} kept no files`);
  else if (keptUntil !== undefined) await session.note(`kept until ${instantText(keptUntil)}`);
}

async function showFiles(session: Session, files: readonly JobFile[]): Promise<void> {
  await emitList(
    session,
    { items: files },
    {
      columns: [
        { name: "path", text: ({ path, link }) => (link === undefined ? path : `${path} -> ${link}`) },
        { name: "rank", text: ({ rank }) => String(rank), raw: ({ rank }) => rank, right: true, wide: true },
        { name: "size", text: ({ bytes }) => sizeText(bytes), raw: ({ bytes }) => bytes, right: true },
        { name: "mode", text: ({ mode }) => mode.toString(8).padStart(3, "0") },
        { name: "sha256", text: ({ sha256 = "" }) => sha256, wide: true },
      ],
      nameOf: ({ path }) => path,
    },
  );
}

async function download(
  session: Session,
  api: Api,
  job: Job,
  chosen: readonly Output[],
  name: string | undefined,
  to: string,
): Promise<void> {
  const files = await filesOf(api, job, chosen);
  const placed = files.map((file) => {
    const rank = file.rank === 0 ? "" : `rank-${file.rank}/`;
    return { file, to: `${name === undefined ? `${file.output}/` : ""}${rank}${file.path}` };
  });
  const copied = await copyAll(session, api, job.id, placed, await destination(resolve(session.terminal.cwd, to)));
  if (session.readable) await session.note(`${copied} copied to ${to}`);
}
