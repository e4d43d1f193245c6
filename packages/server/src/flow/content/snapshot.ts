import { ContentDamaged, ContentMissing, ContentRefused, type ContentStore } from "@tessera/content";
import { type Account, type Code, type Job, type ReadonlyState, type Refusal, refuse, tenantOf } from "@tessera/core";
import { snapshotLimits } from "./limits.ts";

/** Makes sure that what a job is to start from is there, and stays there. */
export async function checkSnapshot(
  content: ContentStore | undefined,
  state: ReadonlyState,
  account: Account,
  tree: string,
): Promise<Refusal | undefined> {
  if (content === undefined) {
    return refuse("unsupported", "workdir", tree, "cannot be kept by this server", "leave workdir out");
  }
  try {
    await content.of(tenantOf(state, account.no).id).useTree(tree, snapshotLimits(state.policy));
    return undefined;
  } catch (error) {
    if (error instanceof ContentRefused) return refuse("invalid", "workdir.tree", tree, error.message, error.hint);
    if (error instanceof ContentMissing || error instanceof ContentDamaged) {
      return refuse(
        "invalid",
        "workdir.tree",
        tree,
        `cannot be used: ${error.message}`,
        "send the folder with tess run",
      );
    }
    throw error;
  }
}

/** The trees that live jobs start from, by the outside id of their tenant. */
export function liveTrees(state: ReadonlyState): Map<string, Set<string>> {
  const trees = new Map<string, Set<string>>();
  const add = ({ spec, account }: { readonly spec: { readonly code?: Code }; readonly account: Job["account"] }) => {
    if (spec.code === undefined || !("tree" in spec.code)) return;
    const tenant = tenantOf(state, account).id;
    const known = trees.get(tenant) ?? new Set();
    trees.set(tenant, known.add(spec.code.tree));
  };
  for (const job of state.jobs.values()) add(job);
  for (const array of state.arrays.values()) add(array);
  return trees;
}

/** How many live jobs and arrays start from a tree that is not there, or not whole. */
export async function jobsWithoutSnapshot(content: ContentStore, state: ReadonlyState): Promise<number> {
  const lacking = new Set<string>();
  for (const [tenant, trees] of liveTrees(state)) {
    for (const tree of trees) {
      await content
        .of(tenant)
        .useTree(tree)
        .catch(() => lacking.add(`${tenant} ${tree}`));
    }
  }
  const lacks = ({ spec, account, array }: Pick<Job, "spec" | "account" | "array">) =>
    array === undefined &&
    spec.code !== undefined &&
    "tree" in spec.code &&
    lacking.has(`${tenantOf(state, account).id} ${spec.code.tree}`);
  return [...state.jobs.values(), ...state.arrays.values()].filter((each) => lacks(each as Job)).length;
}
