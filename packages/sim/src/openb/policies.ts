import type { Policy, World } from "./policy.ts";
import { published } from "./published.ts";
import { type MixKnowledge, Tessera } from "./tessera.ts";

export const policyNames: readonly string[] = [...Object.keys(published), "tessera"];

/** The policy of that name. What it knows of the mix concerns Tessera alone: the published ones are as published. */
export function policyOf(name: string, mix: MixKnowledge): (world: World) => Policy {
  return published[name] ?? ((world) => new Tessera(world, mix));
}
