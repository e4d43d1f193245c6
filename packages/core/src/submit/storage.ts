import { isRefusal, type Refusal, refuse } from "../journal/refusal.ts";
import type { JobSpec } from "../model/job.ts";
import { memoryText } from "../model/memory.ts";
import { parseSize } from "./quantities.ts";

export interface RawStorage {
  readonly shm?: number | string;
  readonly scratch?: number | string;
  readonly outputs?: { readonly [name: string]: string };
}

/** `shm` and `scratch` in MiB. Shared memory is memory: it cannot be larger than what the member may use. */
export function parseStorage(
  raw: RawStorage,
  memoryMiB: number,
): { readonly shmMiB?: number; readonly scratchMiB?: number } | Refusal {
  const shmMiB = sizeAbove0(raw.shm, "shm");
  if (isRefusal(shmMiB)) return shmMiB;
  const scratchMiB = sizeAbove0(raw.scratch, "scratch");
  if (isRefusal(scratchMiB)) return scratchMiB;
  if (shmMiB !== undefined && memoryMiB > 0 && shmMiB > memoryMiB) {
    const detail = `is more than its memory of ${memoryText(memoryMiB)}, in which it is counted`;
    return refuse("invalid", "shm", raw.shm!, detail, "ask for more memory, or for less shm");
  }
  return { ...(scratchMiB !== undefined && { scratchMiB }), ...(shmMiB !== undefined && { shmMiB }) };
}

function sizeAbove0(value: number | string | undefined, field: string): number | undefined | Refusal {
  if (value === undefined) return undefined;
  const size = parseSize(value, field);
  return size === 0 ? refuse("invalid", field, value, "is zero", "leave it out, or give at least 1MiB") : size;
}

/** The folders from which outputs can be kept, as a pattern names them; without one it is the work folder. */
export const outputFolders = { out: "$TESS_OUT/", checkpoint: "$TESS_CHECKPOINT/" } as const;

/** Names and patterns, sorted. A pattern cannot name a place outside the folders of the job. */
export function parseOutputs(raw: RawStorage["outputs"]): JobSpec["outputs"] | Refusal {
  if (raw === undefined || Object.keys(raw).length === 0) return undefined;
  const names = Object.keys(raw).sort();
  for (const name of names) {
    const pattern = raw[name]!;
    const field = `outputs.${name}`;
    const folder = Object.values(outputFolders).find((prefix) => pattern.startsWith(prefix)) ?? "";
    const path = pattern.slice(folder.length);
    if (path.startsWith("/") || path.startsWith("$") || path.startsWith("~")) {
      const hint = "give a path relative to the work folder, or one that begins with $TESS_OUT/ or $TESS_CHECKPOINT/";
      return refuse("invalid", field, pattern, "is not a path in a folder of the job", hint);
    }
    if (path === "" || path.split("/").includes(".."))
      return refuse("invalid", field, pattern, "does not stay in its folder", "give a path such as checkpoints/*.pt");
  }
  return Object.fromEntries(names.map((name) => [name, raw[name]!]));
}
