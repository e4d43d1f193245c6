import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { exit } from "../exit.ts";
import { Failure, notFoundFailure } from "../failure.ts";
import { readBytes } from "../prompt.ts";
import type { Session } from "../session.ts";
import { decoded } from "./utf8.ts";

/** Reads a text file, or standard input for `-`. `ifMissing` says what may have been meant where there is no file. */
export async function readText(session: Session, file: string, ifMissing = ""): Promise<string> {
  if (file === "-") return decoded(await readBytes(session), "standard input");
  return decoded(bytesOf(resolve(session.terminal.cwd, file), file, ifMissing), file);
}

function bytesOf(path: string, file: string, ifMissing: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") throw notFoundFailure(`there is no file ${file}`, ifMissing);
    if (code === "EISDIR") throw folderFailure(path, file);
    const why = code === "EACCES" ? "you may not read it" : `${code}`;
    throw new Failure(exit.notFound, { code: "not-found", message: `${file} cannot be read: ${why}`, cause: error });
  }
}

const namesMax = 5;

function folderFailure(path: string, file: string): Failure {
  const inside = readdirSync(path)
    .filter((name) => /\.(ya?ml|json)$/.test(name))
    .sort();
  const near = inside.slice(0, namesMax).map((name) => join(file, name));
  const hint =
    near.length === 0 ? "name a file; there is no YAML or JSON file in it" : `did you mean ${near.join(" or ")}?`;
  return notFoundFailure(`${file} is a folder, not a file`, hint);
}
