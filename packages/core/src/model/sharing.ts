import type { NodeFacts } from "./node.ts";
import { partModes, type Sharing } from "./part.ts";
import type { PoolTerms } from "./pool.ts";

/** Equal ones are one object: few kinds are common to many nodes. */
const known = new Map<string, Sharing>();

/** How the GPUs of a node are shared: as its pool says, else as its engine says, within what the node offers [P3, P11]. */
export function sharingOf({ pool, offers }: Pick<NodeFacts, "pool" | "offers">, terms: PoolTerms | undefined): Sharing {
  const wanted = terms?.mode ?? pool ?? "whole";
  const modes = wanted === "any" ? partModes : partModes.filter((mode) => mode === wanted);
  const offered = offers === undefined ? modes : modes.filter((mode) => offers.isolation.includes(mode));
  const mode = offered.length === 0 ? "whole" : wanted;
  const ratio = offered.includes("timeslice") ? (terms?.ratio ?? 1) : 1;
  const trust = offered.length === 0 ? undefined : terms?.trust;
  return unique({ mode, modes: offered, ratio, trust, recut: mode === "any" || terms?.mode !== undefined });
}

function unique({ mode, modes, ratio, trust, recut }: Said): Sharing {
  const key = `${mode} ${modes.join("+")} ${ratio} ${trust ?? ""} ${recut ? 1 : 0}`;
  let sharing = known.get(key);
  if (sharing === undefined) {
    sharing = { key, mode, modes, ratio, recut, ...(trust !== undefined && { trust }) };
    known.set(key, sharing);
  }
  return sharing;
}

interface Said extends Omit<Sharing, "key" | "trust"> {
  readonly trust: Sharing["trust"] | undefined;
}
