import { isRefusal, type Refusal, refuse } from "../journal/refusal.ts";
import { memoryText } from "../model/memory.ts";
import { parseSize } from "./quantities.ts";

export interface RawStorage {
  readonly shm?: number | string;
  readonly scratch?: number | string;
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
