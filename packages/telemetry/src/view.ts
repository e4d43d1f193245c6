import type { RowKey } from "./table.ts";

/**
 * The same samples at three widths, so that each question reads few rows: `gpu` by GPU, instance and lease, apart by node;
 * `lease` by member and `group` by account, user and model, both apart by account.
 */
export const views = ["gpu", "lease", "group"] as const;
export type View = (typeof views)[number];

/** Which line a row becomes part of, by the key of the row; undefined = of none. Rows of one `id` are one line. */
export interface Regroup {
  readonly idOf: (key: RowKey) => string | undefined;
  readonly keyOf: (key: RowKey) => RowKey;
}

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
