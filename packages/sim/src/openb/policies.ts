import type { Policy, World } from "./policy.ts";
import { published } from "./published.ts";
import { type MixKnowledge, Tessera } from "./tessera.ts";

export const policyNames: readonly string[] = [...Object.keys(published), "tessera"];

/**
 * The policy of that name. The rest concerns Tessera alone: what it knows of the mix, and whether tasks leave again, so
 * that what has no place now may have one later. The published ones are as published.
 */
export function policyOf(name: string, mix: MixKnowledge, departures: boolean): (world: World) => Policy {
  return published[name] ?? ((world) => new Tessera(world, mix, departures ? "waits" : "dropped"));
}
