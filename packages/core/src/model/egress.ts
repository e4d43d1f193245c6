/**
 * What jobs may reach beyond their gang. `none`: nothing; `declared`: what is named, `host:port` each; `all`: everything but the
 * machine itself, other jobs and addresses that hand out credentials. Of an account it is the most that jobs below it
 * may ask for, and what those get that ask for nothing.
 */
export type Egress = "none" | "declared" | "all" | { readonly allow: readonly string[] };

/** The same for an engine: what follows from the job and the accounts above it. */
export interface EgressOrder {
  readonly egress: "none" | "declared" | "all";
  readonly allow?: readonly string[];
}

export const egressKinds = ["none", "declared", "all"] as const;
export const egressTargetsMax = 64;

export function egressKind(egress: Egress): EgressOrder["egress"] {
  return typeof egress === "string" ? egress : "declared";
}

/** The targets that are named; undefined where none are. */
export function egressTargets(egress: Egress): readonly string[] | undefined {
  return typeof egress === "string" ? undefined : egress.allow;
}

/** Whether `asked` reaches further than `most`: the kind, or the first target that `most` does not name. */
export function beyondEgress(asked: Egress, most: Egress): string | undefined {
  if (reach(asked) > reach(most)) return egressKind(asked);
  const named = egressTargets(most);
  return named === undefined ? undefined : egressTargets(asked)?.find((target) => !named.includes(target));
}

/** The narrowest of what a job asks for and its accounts allow; a target must be named by all that name any. */
export function narrowestEgress(all: readonly Egress[]): EgressOrder {
  const least = Math.min(...all.map(reach), egressKinds.indexOf("all"));
  const egress = egressKinds[least]!;
  if (egress !== "declared") return { egress };
  const [first = [], ...others] = all.map(egressTargets).filter((targets) => targets !== undefined);
  return { egress, allow: first.filter((target) => others.every((targets) => targets.includes(target))) };
}

function reach(egress: Egress): number {
  return egressKinds.indexOf(egressKind(egress));
}
