import type { Machine } from "./machine.ts";

/** A machine on which nothing can be enforced: as for somebody without root and without tools. */
export async function bareMachine(): Promise<Machine> {
  return { isRoot: false, hierarchies: [], groupMounts: [], means: "nothing" };
}

export const isRoot = process.getuid?.() === 0;
export const needsRoot = isRoot ? false : "needs root: users, control groups and devices are not ours to set otherwise";
