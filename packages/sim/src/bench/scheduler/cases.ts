import { fill, gangs, journal } from "./fill.ts";
import { reclaim, reclaimHalf } from "./reclaim.ts";
import { full, hopeless, mixed } from "./steady.ts";
import type { Measured } from "./stopwatch.ts";

export type Case = (gpus: number, seed: number) => Measured | Promise<Measured>;

/** Every case by its name, in the order in which they run. `growth` is `mixed` on fleets of several sizes. */
export const cases = {
  fill,
  mixed,
  gangs,
  full,
  reclaim,
  "reclaim-half": reclaimHalf,
  hopeless,
  journal,
} as const satisfies Readonly<Record<string, Case>>;

export type CaseName = keyof typeof cases;

export function isCase(name: string): name is CaseName {
  return Object.hasOwn(cases, name);
}
