import type { Job } from "@tessera/wire";
import { call } from "../../api/call.ts";
import { useAct } from "../../api/use-call.ts";

type Named = Pick<Job, "id" | "name">;

const isHeld = ({ name }: Named) => `${name} is held.`;
const mayStart = ({ name }: Named) => `${name} may start.`;

/** Keeps a waiting job from starting; says so, and offers to release it. */
export function useHoldJob() {
  return useAct("holdJob", isHeld, {
    undo: async ({ id: job }) => mayStart(await call("releaseJob", { at: { job }, body: {} })),
  });
}

/** Lets a held job start; says so, and offers to hold it. */
export function useReleaseJob() {
  return useAct("releaseJob", mayStart, {
    undo: async ({ id: job }) => isHeld(await call("holdJob", { at: { job }, body: {} })),
  });
}
