import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { LeaseId, PartSeat } from "@tessera/core";
import { replaceWhole } from "../lease/durable.ts";
import { readClaim, readIfThere } from "../lease/folder.ts";
import { isAlive } from "../supervise/processes.ts";

/** A member that has a GPU or a part of it, from before it is prepared until it has ended. */
export interface Holder {
  readonly lease: LeaseId;
  readonly mode: PartSeat["mode"] | "whole";
  /** The GPU instance of a MIG part. */
  readonly gi?: number;
}

interface Written {
  /** Instances do not survive a start of the machine, and neither do supervisors. */
  readonly bootId: string;
  readonly holders: readonly Holder[];
}

/** Who has a GPU now: what lies in the file, without those whose supervisor has ended. Read and written under its lock. */
export async function readHolders(
  folder: string,
  gpu: string,
  { leases, bootId }: { readonly leases: string; readonly bootId: string },
): Promise<Holder[]> {
  const text = await readIfThere(fileOf(folder, gpu));
  const written: Written = text === undefined ? { bootId, holders: [] } : (JSON.parse(text) as Written);
  if (written.bootId !== bootId) return [];
  const alive: Holder[] = [];
  for (const holder of written.holders) {
    const claim = await readClaim(join(leases, holder.lease));
    if (claim?.by === "supervisor" && isAlive(claim.pid, claim.startedAt)) alive.push(holder);
  }
  return alive;
}

export async function writeHolders(
  folder: string,
  gpu: string,
  bootId: string,
  holders: readonly Holder[],
): Promise<void> {
  if (holders.length === 0) await rm(fileOf(folder, gpu), { force: true });
  else await replaceWhole(fileOf(folder, gpu), JSON.stringify({ bootId, holders } satisfies Written));
}

function fileOf(folder: string, gpu: string): string {
  return join(folder, `${gpu}.json`);
}
