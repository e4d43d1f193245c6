import type { Account } from "../model/account.ts";

/** Nobody has held the device since it was last known to be clean. */
export const clean = 0;
/** Work of several, or of someone unknown, may still be in its memory. */
export const unknownHolder = -1;

/**
 * Whether a device may pass from one tenant to another as it is (S4): inside one tenant, and between trusted tenants of
 * one group, who may share a GPU anyway. `before` is undefined where that tenant is gone.
 */
export function mayPassUnscrubbed(before: Account | undefined, next: Account): boolean {
  if (before === undefined) return false;
  if (before.no === next.no) return true;
  const [a, b] = [before.terms, next.terms];
  const trusted = a.trust === "trusted" && b.trust === "trusted";
  return trusted && a.trustGroup !== undefined && a.trustGroup === b.trustGroup;
}
