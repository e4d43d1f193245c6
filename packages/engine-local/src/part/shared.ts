import { withGpu } from "./lock.ts";
import { CutRefused } from "./mig.ts";
import { clientEnvironment, partMemoryMiB, threadPercentage } from "./mps/limits.ts";
import { groupOf, isApart, type MpsPlace, placeOf } from "./mps/place.ts";
import { joinServer, leaveServer, type MpsSite } from "./mps/server.ts";
import type { PreparedPart } from "./part.ts";
import { clearGpu } from "./scrub.ts";
import { complaintOf, type Smi } from "./smi.ts";
import { mpsSite, type PartGround, type PartOrder, takeGpu } from "./take.ts";

/** What is watched while a member runs on a GPU that is not cut: the memory of its processes, and its MPS server. */
export interface SharedGpu {
  readonly gpu: string;
  readonly memoryMiB: number;
  readonly server?: MpsPlace;
}

/** A share of a GPU by MPS: a client of the server of its trust group, with limits that the driver holds. */
export async function prepareMps(order: PartOrder, gpu: string, ground: PartGround): Promise<PreparedPart> {
  const site = mpsSite(ground);
  const place = placeFor(order, gpu, site);
  const part = order.part!;
  if (site.machine.isRoot && !isApart(site.machine))
    throw new CutRefused("MPS needs bwrap or unshare here, so that tenants do not reach each other's servers");
  const memoryMiB = partMemoryMiB(part, await gpuMemoryMiB(ground.smi, gpu));
  const limits = { threads: threadPercentage(part), memoryMiB };
  const scrubbed = await takeGpu(order, gpu, "mps", ground, async (taken) => {
    const how = await clearGpu(order, gpu, ground, taken);
    const { lease, job, tenant } = order;
    await joinServer(site, place, { lease, job, tenant, ...limits }).catch((error: Error) => {
      throw new CutRefused(error.message);
    });
    return { how };
  });
  const apart = isApart(site.machine);
  return {
    devices: [gpu],
    env: clientEnvironment(place.pipeShown, limits),
    capabilities: [],
    // Sockets can be used where nothing can be written: the job cannot replace them.
    binds: [{ from: place.pipe, at: place.pipeShown, readOnly: true }],
    shm: place.shm,
    watch: { gpu, memoryMiB, server: place },
    enforcement: {
      "gpu-memory": apart ? "mps (driver), watched" : "mps (driver; its own user could raise it), watched",
      "gpu-compute": `mps (at most ${limits.threads} % of the threads; bandwidth is not limited)`,
      "gpu-faults": "none (shared with the jobs of its MPS server)",
      shm: "none (shared with the jobs of its MPS server)",
    },
    ...handover(order, scrubbed.how, "MPS: one server for its trust group"),
  };
}

/** A share of a GPU by time slices: all of it while its turn lasts, and memory that is watched. */
export async function prepareSlice(order: PartOrder, gpu: string, ground: PartGround): Promise<PreparedPart> {
  const memoryMiB = partMemoryMiB(order.part!, await gpuMemoryMiB(ground.smi, gpu));
  const { how } = await takeGpu(order, gpu, "timeslice", ground, async (taken) => ({
    how: await clearGpu(order, gpu, ground, taken),
  }));
  return {
    devices: [gpu],
    env: {},
    capabilities: [],
    binds: [],
    watch: { gpu, memoryMiB },
    enforcement: {
      "gpu-memory": "supervisor (measured)",
      "gpu-compute": "none (jobs take turns)",
      "gpu-faults": "process",
    },
    ...handover(order, how, "whole: jobs take turns"),
  };
}

/** Before the GPU is given back: the last user of a server stops it. */
export async function leaveMps(order: PartOrder, gpu: string, ground: PartGround): Promise<void> {
  const site = mpsSite(ground);
  await withGpu(site.locks, gpu, () => leaveServer(site, placeFor(order, gpu, site), order.lease));
}

function placeFor(order: PartOrder, gpu: string, { folder, machine }: MpsSite): MpsPlace {
  return placeOf(folder, gpu, groupOf(order), machine);
}

function handover(order: PartOrder, scrubbed: string | undefined, reshaped: string) {
  return { ...(scrubbed !== undefined && { scrubbed }), ...(order.reshape !== undefined && { reshaped }) };
}

async function gpuMemoryMiB(smi: Smi, gpu: string): Promise<number> {
  const said = await smi(["--query-gpu=memory.total", "--format=csv,noheader,nounits", "-i", gpu]);
  const total = Number(said.text.trim());
  if (said.code === 0 && total > 0) return total;
  throw new CutRefused(`the memory of ${gpu} cannot be read: ${complaintOf(said)}`);
}
