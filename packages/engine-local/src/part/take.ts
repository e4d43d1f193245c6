import type { LeaseOrder } from "@tessera/engine";
import type { MeasureLoad } from "./full-load.ts";
import { type Holder, readHolders, writeHolders } from "./holders.ts";
import { withGpu } from "./lock.ts";
import { CutRefused, destroyInstance, listInstances, migMode, setMigMode } from "./mig.ts";
import { type MpsSite, stopUnused } from "./mps/server.ts";
import type { Scrubber } from "./scrub.ts";
import type { Smi } from "./smi.ts";

/** What preparing a GPU or a part of it rests on. All supervisors of a machine share `folder` and `leases`. */
export interface PartGround {
  readonly smi: Smi;
  /** Locks, and records of the members that have a GPU. */
  readonly folder: string;
  readonly leases: string;
  readonly bootId: string;
  /** The minor number of each real GPU of the order; empty = they are only declared. */
  readonly gpuMinors: { readonly [uuid: string]: number };
  readonly scrubber: Scrubber;
  readonly measureLoad: MeasureLoad;
  readonly mps: Pick<MpsSite, "folder" | "machine">;
}

export function mpsSite({ mps, folder, leases, bootId }: PartGround): MpsSite {
  return { ...mps, locks: folder, leases, bootId };
}

export type PartOrder = Pick<
  LeaseOrder,
  "lease" | "job" | "tenant" | "tenantTerms" | "gpuUuids" | "part" | "scrub" | "reshape"
>;

/** What is known of a GPU when a member gets it, or a part of it. */
export interface Taken {
  /** Its MIG mode had to be switched. */
  readonly switched: boolean;
  /** Other members have parts of it: it must not be reset. */
  readonly shared: boolean;
}

/**
 * Takes a GPU for a member, alone among all supervisors: in the mode that the member needs, without instances that no
 * member has any more, and without MPS servers of that kind. `make` makes the part; if it fails, a mode that was switched for it is switched back.
 */
export async function takeGpu<Made extends Pick<Holder, "gi"> & { readonly how?: string | undefined }>(
  { lease }: PartOrder,
  gpu: string,
  mode: Holder["mode"],
  ground: PartGround,
  make: (taken: Taken) => Promise<Made>,
): Promise<Made> {
  const { smi, folder, bootId } = ground;
  return withGpu(folder, gpu, async () => {
    const others = (await readHolders(folder, gpu, ground)).filter((holder) => holder.lease !== lease);
    if (others.some((other) => other.mode !== mode || mode === "whole"))
      throw new CutRefused(`GPU ${gpu} is in use in another way`);
    await stopUnused(mpsSite(ground), gpu);
    const wanted = mode === "mig" ? "on" : "off";
    const before = await migMode(smi, gpu);
    if (before === "on") await destroyUnheld(smi, gpu, others);
    const switched = before === wanted ? false : await setMigMode(smi, gpu, wanted);
    try {
      const made = await make({ switched, shared: others.length > 0 });
      const own: Holder = { lease, mode, ...(made.gi !== undefined && { gi: made.gi }) };
      await writeHolders(folder, gpu, bootId, [...others, own]);
      return made;
    } catch (error) {
      if (switched) await setMigMode(smi, gpu, wanted === "on" ? "off" : "on").catch(() => {});
      throw error;
    }
  });
}

/** Gives a GPU back: the instance of the member is destroyed, and with it what it left in memory. */
export async function giveGpu({ lease }: PartOrder, gpu: string, ground: PartGround): Promise<void> {
  const { smi, folder, bootId } = ground;
  await withGpu(folder, gpu, async () => {
    const holders = await readHolders(folder, gpu, ground);
    const own = holders.find((holder) => holder.lease === lease);
    if (own?.gi !== undefined) await destroyInstance(smi, gpu, own.gi);
    await writeHolders(
      folder,
      gpu,
      bootId,
      holders.filter((holder) => holder !== own),
    );
  });
}

/** What a supervisor that was killed left behind. One in which a process still is stays, and refuses the cut. */
async function destroyUnheld(smi: Smi, gpu: string, holders: readonly Holder[]): Promise<void> {
  const held = new Set(holders.map(({ gi }) => gi));
  for (const { gi } of await listInstances(smi, gpu)) if (!held.has(gi)) await destroyInstance(smi, gpu, gi);
}
