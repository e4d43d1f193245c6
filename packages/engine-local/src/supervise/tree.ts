import { type ControlGroup, groupMembers, killGroup, removeGroup } from "../limit/group.ts";
import {
  descendantsOf,
  findProcess,
  innerNumber,
  isAlive,
  markedWith,
  type ProcessEntry,
  sendSignal,
} from "./processes.ts";

/** What holds the processes of one lease together. */
export interface Tree {
  readonly mark: string;
  readonly groups: readonly ControlGroup[];
  /** The process that was started, once it was. Its number can belong to a stranger after its end. */
  readonly root?: Pick<ProcessEntry, "pid" | "startedAt">;
  /** The root made a PID namespace, and its child is the init. Otherwise the root is. */
  readonly contained: boolean;
  /** Children of the init that belong to it and not to the job, under the numbers that it sees. */
  readonly keepers?: ReadonlySet<number>;
}

/**
 * Every live process of the lease. The root enters all groups before it does anything else and no group can be left
 * without privilege, so one group knows them all; only without any is it worth asking every process of the machine.
 */
export function treeMembers(tree: Tree): number[] {
  const { root } = tree;
  const found = new Set<number>();
  if (root !== undefined && isAlive(root.pid, root.startedAt)) found.add(root.pid);
  const group = enderOf(tree.groups);
  if (group !== undefined) for (const pid of groupMembers(group)) found.add(pid);
  else {
    const isStranger = root !== undefined && !found.has(root.pid) && findProcess(root.pid) !== undefined;
    if (root !== undefined && !isStranger) for (const pid of descendantsOf(root.pid)) found.add(pid);
    for (const pid of markedWith(tree.mark)) found.add(pid);
  }
  return [...found];
}

/** The group through which the tree is counted and ended: one that can be ended at once, if there is one. */
function enderOf(groups: readonly ControlGroup[]): ControlGroup | undefined {
  return groups.find(({ ends }) => ends === "kill-file") ?? groups.find(({ ends }) => ends === "freezer") ?? groups[0];
}

/** The live processes that are the job, without those that keep it closed in and take in its orphans. */
export function jobProcesses(tree: Tree): number[] {
  const { members, init } = membersAndInit(tree);
  return members
    .filter(({ pid, parent }) => {
      if (pid === tree.root?.pid || pid === init) return false;
      return parent !== init || tree.keepers?.has(innerNumber(pid)) !== true;
    })
    .map(({ pid }) => pid);
}

/** The child of the init to which it gave this number. */
export function keeperOf(tree: Tree, number: number): ProcessEntry | undefined {
  const { members, init } = membersAndInit(tree);
  return members.find(({ pid, parent }) => parent === init && innerNumber(pid) === number);
}

function membersAndInit(tree: Tree): { members: ProcessEntry[]; init: number | undefined } {
  const members = treeMembers(tree)
    .map(findProcess)
    .filter((entry) => entry !== undefined);
  const root = tree.root?.pid;
  const init = tree.contained && root !== undefined ? members.find(({ parent }) => parent === root)?.pid : root;
  return { members, init };
}

/** Ends everything and returns when nothing is left, however long the kernel takes. */
export async function endTree(tree: Tree): Promise<void> {
  const group = enderOf(tree.groups);
  for (let waitMs = 1; ; waitMs = Math.min(waitMs * 2, 500)) {
    const left = treeMembers(tree);
    if (left.length === 0) return;
    if (group !== undefined) killGroup(group);
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
