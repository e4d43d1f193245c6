import { type ControlGroup, groupMembers, killGroup, removeGroup } from "../limit/group.ts";
import { descendantsOf, findProcess, markedWith, sendSignal } from "./processes.ts";

/** What holds the processes of one lease together. */
export interface Tree {
  readonly mark: string;
  readonly groups: readonly ControlGroup[];
  /** The process that was started, once it was. */
  readonly root?: number;
  /** The root and its first child only keep the namespace; they are not the job. */
  readonly contained: boolean;
}

/** Every live process of the lease. */
export function treeMembers(tree: Tree): number[] {
  const found = new Set(tree.groups.flatMap(groupMembers));
  if (tree.root !== undefined) {
    if (findProcess(tree.root) !== undefined) found.add(tree.root);
    for (const pid of descendantsOf(tree.root)) found.add(pid);
  }
  // A group cannot be left without privilege; only without one is it worth asking every process who it is.
  if (tree.groups.length === 0) for (const pid of markedWith(tree.mark)) found.add(pid);
  return [...found];
}

/** Sends a signal to the job's own processes, and not to those that keep it closed in. */
export function signalTree(tree: Tree, signal: NodeJS.Signals): void {
  const keepers = new Set<number>();
  if (tree.contained && tree.root !== undefined) {
    keepers.add(tree.root);
    for (const pid of descendantsOf(tree.root)) {
      if (findProcess(pid)?.parent === tree.root) keepers.add(pid);
    }
  }
  for (const pid of treeMembers(tree)) if (!keepers.has(pid)) sendSignal(pid, signal);
}

/** Ends everything and returns when nothing is left, however long the kernel takes. */
export async function endTree(tree: Tree): Promise<void> {
  for (let waitMs = 1; ; waitMs = Math.min(waitMs * 2, 500)) {
    for (const group of tree.groups) if (groupMembers(group).length > 0) killGroup(group);
    const left = treeMembers(tree);
    if (left.length === 0) return;
    for (const pid of left) sendSignal(pid, "SIGKILL");
    await new Promise((resolve) => setTimeout(resolve, waitMs));
  }
}

/** Removes the groups of a tree that has ended. The kernel may need a moment to let go of the last process. */
export async function removeGroups(groups: readonly ControlGroup[]): Promise<void> {
  let left = [...groups];
  for (let tries = 0; tries < 20 && left.length > 0; tries += 1) {
    left = left.filter((group) => !removeGroup(group));
    if (left.length > 0) await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
