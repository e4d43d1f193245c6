import { readFileSync } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { homeOf } from "../config/paths.ts";
import { exit } from "../exit.ts";
import { Failure, notFoundFailure, specFailure } from "../failure.ts";
import { readAll } from "../prompt.ts";
import type { Session } from "../session.ts";

/** A job as it was written, not yet checked: the server knows the fields. */
export type Spec = Record<string, unknown>;

export interface SpecDocument {
  readonly spec: Spec;
  /** `job.yaml`, or `job.yaml, document 2`. */
  readonly from: string;
}

/** Reads the documents of a job file (YAML 1.2 or JSON); `-` is standard input. */
export async function readSpecFile(session: Session, file: string): Promise<SpecDocument[]> {
  const path = resolve(session.terminal.cwd, file);
  const text = file === "-" ? await readAll(session) : readText(path, file);
  const folder = file === "-" ? session.terminal.cwd : dirname(path);
  const { parseAllDocuments } = await import("yaml");
  const documents = parseAllDocuments(text, { version: "1.2", prettyErrors: true });
  if (!Array.isArray(documents)) throw specFailure(`${file} is empty`);
  const specs: SpecDocument[] = [];
  for (const [index, document] of documents.entries()) {
    const from = documents.length === 1 ? file : `${file}, document ${index + 1}`;
    const [error] = document.errors;
    if (error !== undefined) throw specFailure(`${from}: ${error.message.split("\n")[0]}`);
    const value = contentOf(from, document);
    if (value === null || value === undefined) continue;
    if (typeof value !== "object" || Array.isArray(value)) {
      throw specFailure(
        `${from} must hold fields such as "run: nvidia-smi", got ${JSON.stringify(value).slice(0, 60)}`,
      );
    }
    specs.push({ spec: withFolderToSend(value as Spec, folder, session), from });
  }
  if (specs.length === 0) throw specFailure(`${file} is empty`);
  return specs;
}

function readText(path: string, file: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") {
      throw notFoundFailure(`there is no file ${file}`, `to run a command, put it after --: tess run -- ${file}`);
    }
    throw new Failure(exit.notFound, { code: "not-found", message: `${file} cannot be read (${code})`, cause: error });
  }
}

function contentOf(from: string, document: { toJS(): unknown }): unknown {
  try {
    return document.toJS();
  } catch (error) {
    throw specFailure(`${from}: ${(error as Error).message}`); // too many aliases
  }
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
