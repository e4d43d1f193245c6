import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Remembered } from "@tessera/wire/history";
import { stateFolder } from "../config/paths.ts";
import type { Terminal } from "../terminal.ts";

export function recall(env: Terminal["env"], place: string): Remembered | undefined {
  try {
    return JSON.parse(readFileSync(fileOf(env, place), "utf8")) as Remembered;
  } catch {
    return undefined;
  }
}

/** Nothing is remembered where the folder cannot be written: no reason to fail a command. */
export function remember(env: Terminal["env"], place: string, remembered: Remembered): void {
  const file = fileOf(env, place);
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    const fresh = `${file}.${process.pid}.new`;
    writeFileSync(fresh, `${JSON.stringify({ place, ...remembered })}\n`, { mode: 0o600 });
    renameSync(fresh, file);
  } catch {}
}

export function forget(env: Terminal["env"], place: string): void {
  rmSync(fileOf(env, place), { force: true });
}

function fileOf(env: Terminal["env"], place: string): string {
  const name = createHash("sha256").update(place).digest("hex").slice(0, 16);
  return join(stateFolder(env), "heads", `${name}.json`);
}
