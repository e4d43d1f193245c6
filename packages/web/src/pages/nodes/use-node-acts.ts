import type { NodeShape } from "@tessera/wire";
import { call } from "../../api/call.ts";
import { useAct } from "../../api/use-call.ts";

const takesWork = ({ name }: Pick<NodeShape, "name">) => `${name} takes work again.`;
const isCordoned = ({ name }: Pick<NodeShape, "name">) => `${name} is cordoned.`;

/** Lets a node take work again; says so. A node that was cordoned `before` can be cordoned again, for the same reason. */
export function useUpNode(before: Pick<NodeShape, "mode" | "reason"> | undefined) {
  return useAct("upNode", takesWork, {
    undo:
      before?.mode !== "cordoned"
        ? undefined
        : async ({ name: node }) => {
            const body = before.reason === "" ? {} : { reason: before.reason };
            return isCordoned(await call("cordonNode", { at: { node }, body }));
          },
  });
}

/** Keeps new work from a node; says so, and offers to let it take work again. */
export function useCordonNode() {
  return useAct("cordonNode", isCordoned, {
    undo: async ({ name: node }) => takesWork(await call("upNode", { at: { node }, body: {} })),
  });
}
