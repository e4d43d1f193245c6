import type { LeaseOrder } from "./port.ts";

type PartOrder = Pick<LeaseOrder, "gpuUuids" | "part">;

/** What a member names as its devices where GPUs are only declared: an instance cut by MIG has a name of its own. */
export function declaredDevices({ gpuUuids, part }: PartOrder): readonly string[] {
  if (part?.mode !== "mig") return gpuUuids;
  return gpuUuids.map((uuid) => `${uuid.replace(/^GPU-/, "MIG-")}-${part.slot ?? 0}`);
}

/** What holds the limits of a part where there is no GPU that could. */
export function declaredEnforcement({ part }: PartOrder, how: string): { readonly [limit: string]: string } {
  return part === undefined ? {} : { "gpu-compute": how, "gpu-memory": how };
}
