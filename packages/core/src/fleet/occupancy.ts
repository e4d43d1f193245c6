import type { Occupant, PartTenant } from "../gpu/seat.ts";
import type { LeaseId } from "../model/ids.ts";
import { must } from "../model/must.ts";
import type { Instant } from "../model/units.ts";

/** The occupants of GPUs that are shared by parts. */
export class Occupancy {
  /** By GPU and lease; a GPU without parts is absent. */
  readonly byGpu = new Map<number, Map<LeaseId, Occupant>>();
  /** When a shared GPU last got or lost an occupant: its usage record is only ever extended forward. */
  readonly changedAt = new Map<number, Instant>();

  of(gpu: number): Occupant[] {
    return [...(this.byGpu.get(gpu)?.values() ?? [])];
  }

  add(gpu: number, lease: LeaseId, occupant: Occupant, at: Instant): void {
    const occupants = this.byGpu.get(gpu);
    if (occupants === undefined) this.byGpu.set(gpu, new Map([[lease, occupant]]));
    else occupants.set(lease, occupant);
    this.changedAt.set(gpu, at);
  }

  delete(gpu: number, lease: LeaseId): void {
    const occupants = must(this.byGpu.get(gpu), "a part is given back on a GPU without parts");
    if (!occupants.delete(lease)) throw new Error(`Bug: ${lease} holds no part of GPU ${gpu}`);
    if (occupants.size > 0) return;
    this.byGpu.delete(gpu);
    this.changedAt.delete(gpu);
  }

  /** Writes a tenant's changed sharing rules into its parts; returns the GPUs where it has some. */
  changeTenant(tenant: PartTenant): number[] {
    const changed: number[] = [];
    for (const [gpu, occupants] of this.byGpu) {
      let has = false;
      for (const [lease, occupant] of occupants) {
        if (occupant.tenant !== tenant.tenant) continue;
        occupants.set(lease, { ...occupant, ...tenant });
        has = true;
      }
      if (has) changed.push(gpu);
    }
    return changed;
  }
}
