import { stat } from "node:fs/promises";
import { join } from "node:path";
import { replaceWhole } from "../lease/durable.ts";
import { readIfThere } from "../lease/folder.ts";
import type { Smi } from "./smi.ts";
import { computeApps, type GpuProcess, parseComputeApps, usedBy } from "./timeslice.ts";

/** Asking the driver takes a tenth of a second; all members of a machine share one answer. */
const lookEveryMs = 2_000;
/** A value may be caught between an allocation and a release: only what is still too much at the next look counts. */
const looksOver = 2;

/** What the watch rests on. `folder` is shared by all supervisors of the machine. */
export interface MemoryGround {
  readonly smi: Smi;
  readonly folder: string;
}

/**
 * Calls `act` once when the processes of a member hold more of a GPU's memory than it may. Where the driver does not
 * answer, or does not say what a process holds, nothing follows [S35]. The answer ends the watch.
 */
export function watchMemory(
  { smi, folder }: MemoryGround,
  { gpu, memoryMiB }: { readonly gpu: string; readonly memoryMiB: number },
  processes: () => readonly number[],
  act: (usedMiB: number) => void,
  everyMs = lookEveryMs,
): () => void {
  let over = 0;
  let busy = false;
  const look = async () => {
    const used = usedBy(await readApps(smi, folder, everyMs), gpu, new Set(processes()));
    if (used === undefined) return;
    over = used > memoryMiB ? over + 1 : 0;
    if (over < looksOver) return;
    clearInterval(timer);
    act(used);
  };
  const timer = setInterval(() => {
    if (busy) return;
    busy = true;
    look()
      .catch(() => {}) // asked again at the next look
      .finally(() => {
        busy = false;
      });
  }, everyMs).unref();
  return () => clearInterval(timer);
}

/** What another supervisor was told a moment ago, else what the driver says now. */
async function readApps(smi: Smi, folder: string, everyMs: number): Promise<GpuProcess[]> {
  const file = join(folder, "compute-apps.csv");
  const age = Date.now() - ((await stat(file).catch(() => undefined))?.mtimeMs ?? 0);
  const known = age >= 0 && age < everyMs / 2 ? await readIfThere(file) : undefined;
  if (known !== undefined) return parseComputeApps(known);
  const said = await smi(computeApps);
  if (said.code !== 0) return [];
  await replaceWhole(file, said.text);
  return parseComputeApps(said.text);
}
