import { type Account, type Instant, ownSince, type ReadonlyState } from "@tessera/core";
import { isWithin } from "../../store/paths.ts";

/** A span of time, or a part of it. */
export interface Span {
  readonly fromAt: Instant;
  readonly toAt: Instant;
}

type Root = Pick<Account, "path" | "createdAt">;

/** What is asked for of one part of a span: the lines of these accounts and all below them. */
export interface OwnPart extends Span {
  readonly roots: readonly Root[];
  readonly mine: (path: string) => boolean;
}

/**
 * The parts of a span whose lines belong to accounts as they are now. Lines name paths, and a path can be reused: an
 * account that has the path of a deleted one begins where it was created. In all other cases this is the whole span.
 */
export function ownParts(state: ReadonlyState, roots: readonly Root[], { fromAt, toAt }: Span): OwnPart[] {
  const bySince = new Map<Instant, Root[]>();
  for (const root of roots) {
    const since = Math.max(fromAt, ownSince(state, root));
    if (since > toAt) continue;
    const known = bySince.get(since);
    if (known === undefined) bySince.set(since, [root]);
    else known.push(root);
  }
  return [...bySince].map(([since, own]) => ({ fromAt: since, toAt, roots: own, mine: withinAny(own) }));
}

function withinAny(roots: readonly Root[]): (path: string) => boolean {
  if (roots.some((root) => root.path === "")) return () => true;
  return (path) => roots.some((root) => isWithin(path, root.path));
}
