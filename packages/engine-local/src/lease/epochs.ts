import { readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { LeaseId } from "@tessera/core";
import { EngineFenced } from "@tessera/engine";
import { codeOf, syncFolder } from "./durable.ts";

/** Takes note of an epoch; throws when a higher one was seen, by this process or any other on the same folder [S18]. */
export async function passEpoch(folder: string, lease: LeaseId, epoch: number): Promise<void> {
  const seen = await epochsIn(folder);
  const highest = Math.max(-1, ...seen);
  if (epoch < highest) throw new EngineFenced(lease, epoch, highest);
  if (epoch === highest) return;
  try {
    await writeFile(join(folder, String(epoch)), "", { flag: "wx", mode: 0o600 });
    await syncFolder(folder);
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
  }
  for (const old of seen) await rm(join(folder, String(old)), { force: true });
}

async function epochsIn(folder: string): Promise<number[]> {
  return (await readdir(folder)).filter((name) => /^\d+$/.test(name)).map(Number);
}
