import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Instant } from "@tessera/core";
import type { Stray } from "./unleased-time.ts";

/** What was seen of work without a lease since the begin of an hour. */
export interface UnleasedNote {
  readonly hourAt: Instant;
  readonly strays: readonly Stray[];
}

/** Outlasts a restart; losing it begins the count again. */
export interface UnleasedNotes {
  read(): UnleasedNote | undefined;
  write(note: UnleasedNote): void;
}

/** More GPUs than this at work without a lease are not told one by one. */
const straysMax = 10_000;

/** Notes in a small file beside the samples: like them it is in no backup, and may be lost. */
export class UnleasedFile implements UnleasedNotes {
  readonly #folder: string;
  readonly #path: string;
  readonly #warn: (text: string) => void;
  #written = "";

  constructor(folder: string, warn: (text: string) => void) {
    this.#folder = folder;
    this.#path = join(folder, "unleased.json");
    this.#warn = warn;
  }

  read(): UnleasedNote | undefined {
    try {
      const note: unknown = JSON.parse(readFileSync(this.#path, "utf8"));
      return isNote(note) ? note : undefined;
    } catch {
      return undefined; // there is none yet, or it was cut off: the count begins again
    }
  }

  write({ hourAt, strays }: UnleasedNote): void {
    const text = JSON.stringify({ hourAt, strays: strays.slice(0, straysMax) });
    if (text === this.#written) return;
    this.#written = text;
    try {
      mkdirSync(this.#folder, { recursive: true });
      writeFileSync(`${this.#path}.new`, text, { mode: 0o600 });
      renameSync(`${this.#path}.new`, this.#path);
    } catch (error) {
      this.#warn(`work without a lease cannot be noted: ${(error as Error).message}`);
    }
  }
}

function isNote(note: unknown): note is UnleasedNote {
  if (typeof note !== "object" || note === null || !("hourAt" in note) || !("strays" in note)) return false;
  return typeof note.hourAt === "number" && Array.isArray(note.strays) && note.strays.every(isStray);
}

function isStray(stray: unknown): stray is Stray {
  if (typeof stray !== "object" || stray === null) return false;
  const { gpu, node, busyMs, lastAt } = stray as Partial<Record<keyof Stray, unknown>>;
  return [gpu, node].every((each) => typeof each === "string") && [busyMs, lastAt].every(Number.isFinite);
}
