import type { LeaseId } from "@tessera/core";

/** Ids name files; one that could name another place is refused. */
export function isFileName(id: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9_.-]{0,199}$/.test(id);
}

/** A lease id names files; anything that could name another place is a bug of the caller. */
export function safeName(lease: LeaseId): string {
  if (!isFileName(lease)) throw new Error(`"${lease}" cannot be the id of a lease`);
  return lease;
}
