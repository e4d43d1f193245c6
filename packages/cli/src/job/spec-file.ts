import { dirname, isAbsolute, join, resolve } from "node:path";
import { homeOf } from "../config/paths.ts";
import { specFailure } from "../failure.ts";
import { readDocuments } from "../read/documents.ts";
import type { Locate } from "../read/place.ts";
import type { Session } from "../session.ts";

/** A job as it was written, not yet checked: the server knows the fields. */
export type Spec = Record<string, unknown>;

export interface SpecDocument {
  readonly spec: Spec;
  /** `job.yaml`, or `job.yaml, document 2`. */
  readonly from: string;
  /** Where a field stands in the file; absent for what comes from the command line alone. */
  readonly locate?: Locate;
  /** Fields that the command line gives. */
  readonly given?: readonly string[];
}

/** Reads the documents of a job file (YAML 1.2 or JSON); `-` is standard input. */
export async function readSpecFile(session: Session, file: string): Promise<SpecDocument[]> {
  const folder = file === "-" ? session.terminal.cwd : dirname(resolve(session.terminal.cwd, file));
  const documents = await readDocuments(session, file, {
    ifMissing: `to run a command, put it after --: tess run -- ${file}`,
    before: (text) => refuseScript(file, text),
  });
  const { refuseForeign } = await import("../elsewhere/show.ts");
  refuseForeign(documents);
  return documents.map(({ value, from, locate }) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      throw specFailure(
        `${from} must hold fields such as "run: nvidia-smi", got ${JSON.stringify(value).slice(0, 60)}`,
      );
    }
    return { spec: withFolderToSend(value as Spec, folder, session), from, locate };
  });
}

/** A script is not a job file; what it is written for is told apart by its text. */
async function refuseScript(file: string, text: string): Promise<void> {
  const { refuseForeignScript } = await import("../elsewhere/show.ts");
  refuseForeignScript(file, text);
  const python = file.endsWith(".py") || /^#!.*python/.test(text);
  if (python || file.endsWith(".sh") || text.startsWith("#!"))
    throw specFailure(
      `${file} is a script, not a job file`,
      `tess run -- ${python ? "python3" : "sh"} ${file} runs it`,
    );
}

/** A folder that is to be sent with the job, in the place of `workdir`; see `snapshot/attach.ts`. */
export interface FolderToSend {
  readonly send: string;
}

/** The user wants no folder sent. */
export const noFolder = { send: "" } as const satisfies FolderToSend;

/**
 * A relative folder is meant from where the job is written down, and is sent; so is one of the home folder. An absolute
 * one is a folder of the node, and addresses of repositories stay as they are.
 */
export function withFolderToSend(spec: Spec, folder: string, { terminal }: Session): Spec {
  const { workdir } = spec;
  if (typeof workdir !== "string" || workdir === "" || isAbsolute(workdir) || isAddress(workdir)) return spec;
  const home = workdir === "~" || workdir.startsWith("~/");
  const send = home ? join(homeOf(terminal.env), workdir.slice(1)) : resolve(folder, workdir);
  return { ...spec, workdir: { send } satisfies FolderToSend };
}

function isAddress(workdir: string): boolean {
  return /^[a-z+]+:\/\/|^[^/]+@[^/]+:/.test(workdir);
}
