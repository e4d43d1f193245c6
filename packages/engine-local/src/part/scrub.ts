import { complaintOf } from "./smi.ts";
import type { PartGround, PartOrder, Taken } from "./take.ts";

/** A GPU still holds, or may hold, what another tenant left: it must not be handed over. */
export class ScrubFailed extends Error {}

/** Marks the memory of a device before it is cleared, and looks for the mark afterwards. */
export interface Scrubber {
  /** Fills what is free with a pattern that the next look searches for. */
  plant(gpu: string, device: string): Promise<void>;
  /** What was found, in words. Throws `ScrubFailed` where the pattern is still there. */
  look(gpu: string, device: string): Promise<string>;
}

/** Clears a whole GPU where the order asks for that (S4); the answer says how, and what a look at its memory found. */
export async function clearGpu(
  order: PartOrder,
  gpu: string,
  { smi, scrubber }: PartGround,
  { switched, shared }: Taken,
): Promise<string | undefined> {
  if (order.scrub?.gpuUuids.includes(gpu) !== true) return undefined;
  if (shared) throw new ScrubFailed(`GPU ${gpu} could not be reset: other members have parts of it`);
  // All of its memory was in instances, and they are gone.
  if (switched) return `its MIG instances were destroyed; ${await scrubber.look(gpu, gpu)}`;
  await scrubber.plant(gpu, gpu);
  const said = await smi(["--gpu-reset", "-i", gpu]);
  if (said.code !== 0)
    throw new ScrubFailed(`GPU ${gpu} could not be reset: ${complaintOf(said)}${whyRefused(said.text)}`);
  return `reset by nvidia-smi; ${await scrubber.look(gpu, gpu)}`;
}

function whyRefused(text: string): string {
  return /not supported|Insufficient Permissions/i.test(text)
    ? " (in a virtual machine often only its host may reset a GPU: use MIG pools there, or one tenant for each GPU)"
    : "";
}
