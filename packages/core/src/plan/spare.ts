import type { MemberAsk } from "../fleet/fit.ts";
import type { NodeNo } from "../model/ids.ts";

/** What stays free on a node beyond a plan's own need when the plan starts; infinite where the plan needs none of it. */
export interface Spare {
  gpus: number;
  cpusMilli: number;
  memoryMiB: number;
}

/** Spare room by node; a plan needs nothing of a node without an entry. */
export type SpareOn = Map<NodeNo, Spare>;

/** How many of `members` fit into the spare room of a node. */
export function membersBeside({ gpus, cpusMilli, memoryMiB }: Spare, need: MemberAsk, members: number): number {
  let fit = members;
  if (need.gpus > 0) fit = Math.min(fit, Math.floor(gpus / need.gpus));
  if (need.cpusMilli > 0) fit = Math.min(fit, Math.floor(cpusMilli / need.cpusMilli));
  if (need.memoryMiB > 0) fit = Math.min(fit, Math.floor(memoryMiB / need.memoryMiB));
  return Math.max(0, fit);
}

/** Whether more of a node is taken than a plan leaves: the plan counts on taking some of it back. */
export function isOverdrawn(spare: Spare | undefined): boolean {
  return spare !== undefined && (spare.gpus < 0 || spare.cpusMilli < 0 || spare.memoryMiB < 0);
}

/** Takes an amount from the spare room of a node (`sign` 1), or gives it back (-1). */
export function takeSpare(
  on: SpareOn,
  node: NodeNo,
  { gpus, cpusMilli, memoryMiB }: MemberAsk,
  sign: 1 | -1 = 1,
): void {
  const spare = on.get(node);
  if (spare === undefined) return;
  spare.gpus -= sign * gpus;
  spare.cpusMilli -= sign * cpusMilli;
  spare.memoryMiB -= sign * memoryMiB;
}
