import { declaredDevices, declaredEnforcement } from "@tessera/engine";
import type { Bind } from "../limit/closet.ts";
import { capabilitiesOf } from "./capabilities.ts";
import { FullLoads } from "./full-load.ts";
import { CutRefused, createInstance, destroyInstance } from "./mig.ts";
import { clearGpu } from "./scrub.ts";
import { leaveMps, prepareMps, prepareSlice, type SharedGpu } from "./shared.ts";
import { giveGpu, type PartGround, type PartOrder, takeGpu } from "./take.ts";

/** A GPU, or a part of one, that is cut, clean and held for a member. */
export interface PreparedPart {
  /** What the member may name, in CUDA_VISIBLE_DEVICES. */
  readonly devices: readonly string[];
  readonly env: { readonly [name: string]: string };
  /** The nodes of /dev/nvidia-caps that stay open to it, by minor number; all others are closed. */
  readonly capabilities: readonly number[];
  /** Folders that it must see besides its own, such as the one where a daemon is met. */
  readonly binds: readonly Bind[];
  /** The folder that is its /dev/shm, where it must meet a server there. */
  readonly shm?: string;
  /** What is watched while it runs, where the GPU is shared without being cut. */
  readonly watch?: SharedGpu;
  /** What holds the limits that a part has, in words. */
  readonly enforcement: { readonly [limit: string]: string };
  /** How it was cleared and cut, where the order asks for that: the reports `scrubbed` and `reshaped`. */
  readonly scrubbed?: string;
  readonly reshaped?: string;
}

const nothing: PreparedPart = { devices: [], env: {}, capabilities: [], binds: [], enforcement: {} };

/**
 * Brings the GPUs of an order into the mode that it needs, clears what another tenant left, and makes its part. Throws
 * `CutRefused`, or `ScrubFailed` where a GPU must not be handed over.
 */
export async function preparePart(order: PartOrder, ground: PartGround): Promise<PreparedPart> {
  const real = realGpus(order, ground);
  if (real.length === 0) {
    const virtual = order.scrub === undefined ? {} : { scrubbed: "nothing to clear: the GPUs are virtual" };
    const reshaped = order.reshape === undefined ? {} : { reshaped: "nothing to cut: the GPUs are virtual" };
    const enforcement = declaredEnforcement(order, "environment (virtual GPUs)");
    return { ...nothing, devices: declaredDevices(order), enforcement, ...virtual, ...reshaped };
  }
  switch (order.part?.mode) {
    case undefined:
      return prepareWhole(order, real, ground);
    case "mig":
      return prepareMig(order, real[0]!, ground);
    case "mps":
      return prepareMps(order, real[0]!, ground);
    case "timeslice":
      return prepareSlice(order, real[0]!, ground);
  }
}

/** Gives back what `preparePart` made, once nothing of the member is left. */
export async function releasePart(order: PartOrder, ground: PartGround): Promise<void> {
  for (const gpu of realGpus(order, ground)) {
    if (order.part?.mode === "mps") await leaveMps(order, gpu, ground);
    await giveGpu(order, gpu, ground);
  }
}

function realGpus({ gpuUuids }: PartOrder, { gpuMinors }: PartGround): string[] {
  return gpuUuids.filter((uuid) => gpuMinors[uuid] !== undefined);
}

async function prepareWhole(order: PartOrder, gpus: readonly string[], ground: PartGround): Promise<PreparedPart> {
  const hows: string[] = [];
  for (const gpu of gpus) {
    await takeGpu(order, gpu, "whole", ground, async (taken) => {
      const how = await clearGpu(order, gpu, ground, taken);
      if (how !== undefined) hows.push(how);
      return {};
    });
  }
  return {
    ...nothing,
    devices: gpus,
    ...(hows.length > 0 && { scrubbed: [...new Set(hows)].join("; ") }),
    ...(order.reshape !== undefined && { reshaped: "whole: MIG mode is off" }),
  };
}

/** An instance is made for each member and destroyed after it, so that none sees what another left in its memory. */
async function prepareMig(order: PartOrder, gpu: string, ground: PartGround): Promise<PreparedPart> {
  const { slot: start, profile } = order.part!;
  if (start === undefined || profile === undefined) throw new CutRefused("the part names no MIG profile or no slot");
  const isDirty = order.scrub?.gpuUuids.includes(gpu) === true;
  const { instance, how } = await takeGpu(order, gpu, "mig", ground, async () => {
    if (isDirty) await markAndDestroy(gpu, { profile, start }, ground);
    const begunAt = performance.now();
    const instance = await createInstance(ground.smi, gpu, { profile, start });
    const how = `MIG instance of its own, made in ${Math.round(performance.now() - begunAt)} ms`;
    return { gi: instance.gi, instance, how };
  });
  const measured = await new FullLoads(ground.folder, ground.bootId).know(gpu, instance, ground.measureLoad);
  const probed = isDirty ? await ground.scrubber.look(gpu, instance.uuid) : "";
  return {
    ...nothing,
    devices: [instance.uuid],
    capabilities: await capabilitiesOf(ground.gpuMinors[gpu]!, instance),
    enforcement: { "gpu-memory": "mig", "gpu-compute": "mig" },
    ...(isDirty && { scrubbed: [how, measured, probed].filter(Boolean).join("; ") }),
    ...(order.reshape !== undefined && {
      reshaped: [`${profile} at slot ${start}, ${how}`, measured].filter(Boolean).join("; "),
    }),
  };
}

/** What the last tenant left went with its instance. Whether that holds is tried on the same slots, with a mark of ours. */
async function markAndDestroy(gpu: string, cut: { profile: string; start: number }, ground: PartGround): Promise<void> {
  const marked = await createInstance(ground.smi, gpu, cut);
  await ground.scrubber.plant(gpu, marked.uuid);
  await destroyInstance(ground.smi, gpu, marked.gi);
}
