import {
  type Lease,
  type PartMode,
  type PossiblePart,
  partMemoryMiB,
  type ReadonlyState,
  unitsPerGpu,
} from "@tessera/core";
import type { HeldPart, PartOffer } from "@tessera/wire";

/** What holds the limits of a part, by mode, before it is made: what an engine really does it says when it has. */
const limitsBy: Readonly<Record<PartMode, (share: number) => Readonly<Record<string, string>>>> = {
  mig: () => ({
    "gpu-compute": "MIG: slices of its own, in hardware",
    "gpu-memory": "MIG: memory of its own, in hardware",
    "gpu-faults": "MIG: its instance only",
  }),
  mps: (share) => ({
    "gpu-compute": `MPS: at most ${percent(share)} of the threads; bandwidth is not limited`,
    "gpu-memory": "MPS: a limit of the driver",
    "gpu-faults": "none: a fatal fault of a job on its MPS server ends it too, and it starts again for free",
  }),
  timeslice: () => ({
    "gpu-compute": "none: jobs take turns",
    "gpu-memory": "memory watch: a job that holds more is stopped",
    "gpu-faults": "its processes only",
  }),
};

export function renderOffer({ model, seat, memoryMiB, virtual }: PossiblePart): PartOffer {
  const limits = limitsBy[seat.mode](seat.compute / unitsPerGpu);
  return {
    model,
    ...sizeOf(seat, memoryMiB),
    limits: virtual ? mapped(limits, (by) => `environment (virtual GPUs); on real ones: ${by}`) : { ...limits },
  };
}

/** The part of its GPU that a lease holds; nothing where it holds whole GPUs. */
export function renderPart({ fleet }: Pick<ReadonlyState, "fleet">, { gpus, part }: Lease): { part?: HeldPart } {
  const gpu = gpus[0];
  if (part === undefined || gpu === undefined) return {};
  return { part: sizeOf(part, partMemoryMiB(fleet.device(gpu), part)) };
}

function sizeOf({ mode, compute, profile }: PossiblePart["seat"], memoryMiB: number): HeldPart {
  const share = Math.round((compute * 10_000) / unitsPerGpu) / 10_000;
  return { mode, ...(profile !== undefined && { profile }), share, memoryMiB };
}

function percent(share: number): string {
  return `${Math.max(1, Math.round(share * 100))} %`;
}

function mapped(from: Readonly<Record<string, string>>, to: (text: string) => string): Record<string, string> {
  return Object.fromEntries(Object.entries(from).map(([key, text]) => [key, to(text)]));
}
