import type { RowKey } from "./table.ts";
import type { View } from "./view.ts";

/**
 * Lines of a view are kept apart in parts, by node or by account, so that a question about one reads little. There are as
 * many parts as the lines need, a power of two: `3/8` has the names whose hash is 3 of 8.
 */
const linesPerPart: { readonly [Name in View]: number } = { gpu: 1_024, lease: 1_024, group: 64 };
const partsMax = 64;

/** The number of parts for a number of lines. */
export function partsNeeded(view: View, lines: number): number {
  let parts = 1;
  while (parts < partsMax && parts * linesPerPart[view] < lines) parts *= 2;
  return parts;
}

/** The part of each line; undefined = the view has no such lines. */
export function partsOf(view: View, keys: readonly RowKey[], parts: number): (string | undefined)[] {
  const known = new Map<string, string>();
  return keys.map((key) => {
    if (view === "gpu" && key.gpu === undefined) return undefined;
    const name = nameOf(view, key);
    let part = known.get(name);
    if (part === undefined) {
      part = `${hashOf(name) % parts}/${parts}`;
      known.set(name, part);
    }
    return part;
  });
}

/** Every part in which lines of these nodes or accounts may be. */
export function partsWith(view: View, names: Iterable<string>): string[] {
  const all = new Set<string>();
  for (const name of names) {
    for (let parts = 1; parts <= partsMax; parts *= 2) all.add(`${hashOf(name) % parts}/${parts}`);
    all.add(firstPart(view, name));
  }
  return [...all];
}

/** Of how many parts one is; undefined = layout 1 wrote it. */
export function countIn(part: string): number | undefined {
  const [, count] = /^\d+\/(\d+)$/.exec(part) ?? [];
  return count === undefined ? undefined : Number(count);
}

/** As layout 1 named them: 64 by node, one for each account, and one for all groups. */
function firstPart(view: View, name: string): string {
  if (view === "gpu") return String(hashOf(name) % 64);
  return view === "lease" ? name : "";
}

function nameOf(view: View, { node, account }: RowKey): string {
  return (view === "gpu" ? node : account) ?? "";
}

/** Names are spread evenly, and a name always has the same hash. */
function hashOf(name: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < name.length; index++) hash = Math.imul(hash ^ name.charCodeAt(index), 0x01000193);
  return hash >>> 0;
}
