import type { RowKey } from "./table.ts";

/**
 * The same samples at three widths, so that each question reads few rows: `gpu` by GPU, instance and lease, apart by node;
 * `lease` by member, apart by account; `group` by account, user and model.
 */
export const views = ["gpu", "lease", "group"] as const;
export type View = (typeof views)[number];

/** Which line a row becomes part of, by the key of the row; undefined = of none. Rows of one `id` are one line. */
export interface Regroup {
  readonly idOf: (key: RowKey) => string | undefined;
  readonly keyOf: (key: RowKey) => RowKey;
}

const nodeParts = 64;
const apart = "\0";

/** What of a line is the same in all its rows, at each width. */
export const regroups: { readonly [Name in View]: Regroup } = {
  gpu: {
    idOf: ({ gpu, instance = "", lease = "", node }) => gpu && [node, gpu, instance, lease].join(apart),
    keyOf: (key) => key,
  },
  lease: {
    idOf: ({ lease, node }) => lease && [lease, node].join(apart),
    keyOf: ({ gpu: _, instance: __, ...key }) => key,
  },
  group: {
    idOf: ({ account = "", user = "", model = "", source = "" }) => [account, user, model, source].join(apart),
    keyOf: ({ account, user, model, source }) => ({
      ...(account !== undefined && { account }),
      ...(user !== undefined && { user }),
      ...(model !== undefined && { model }),
      ...(source !== undefined && { source }),
    }),
  },
};

/** In which part of a view a line is kept. */
export function partOf(view: View, key: RowKey): string {
  if (view === "gpu") return nodePart(key.node ?? "");
  return view === "lease" ? (key.account ?? "") : "";
}

/** Nodes are spread evenly, and a node is always in the same part. */
export function nodePart(node: string): string {
  let hash = 0x811c9dc5;
  for (let index = 0; index < node.length; index++) hash = Math.imul(hash ^ node.charCodeAt(index), 0x01000193);
  return String((hash >>> 0) % nodeParts);
}
