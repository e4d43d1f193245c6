import type { Account } from "../model/account.ts";

/** No tenant has held the GPU since it was last known to be clean. */
export const clean = 0;
/** Its memory may still hold data of several tenants, or of an unknown one. */
export const unknownHolder = -1;

/**
 * Whether a GPU may pass from one tenant to another without a scrub [S4]: inside one tenant, and between trusted tenants
 * of one group, which may share a GPU anyway. `before` is undefined if that account was deleted.
 */
export function mayPassUnscrubbed(before: Account | undefined, next: Account): boolean {
  if (before === undefined) return false;
  if (before.no === next.no) return true;
  const [a, b] = [before.terms, next.terms];
  const trusted = a.trust === "trusted" && b.trust === "trusted";
  return trusted && a.trustGroup !== undefined && a.trustGroup === b.trustGroup;
}
