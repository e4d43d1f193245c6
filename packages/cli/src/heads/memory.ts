import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { stateFolder } from "../config/paths.ts";
import type { Terminal } from "../terminal.ts";

/** What is remembered of a server's journal. */
export interface Remembered {
  /** The address, or the data folder, that it was reached by. */
  readonly place: string;
  /** The signing key that is believed (SPKI, base64). */
  readonly key: string;
  /** The newest head that is known to continue all before; a line. */
  readonly checked: string;
  /** The newest head that was shown since; a line. */
  readonly seen: string;
  readonly checkedAt: number;
}

export function recall(env: Terminal["env"], place: string): Remembered | undefined {
  try {
    return JSON.parse(readFileSync(fileOf(env, place), "utf8")) as Remembered;
  } catch {
    return undefined;
  }
}

/** Nothing is remembered where the folder cannot be written: no reason to fail a command. */
export function remember(env: Terminal["env"], remembered: Remembered): void {
  const file = fileOf(env, remembered.place);
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    const fresh = `${file}.${process.pid}.new`;
    writeFileSync(fresh, `${JSON.stringify(remembered)}\n`, { mode: 0o600 });
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
