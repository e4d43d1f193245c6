import { useAct } from "../../api/use-call.ts";

/** Keeps a waiting job from starting; says so. */
export function useHoldJob() {
  return useAct("holdJob", ({ name }) => `${name} is held.`);
}

/** Lets a held job start; says so. */
export function useReleaseJob() {
  return useAct("releaseJob", ({ name }) => `${name} may start.`);
}
