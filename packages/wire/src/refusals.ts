import type { RefusalKind } from "@tessera/core";

/** The HTTP status of each refusal. A new kind does not compile until it has one. */
export const statusOfRefusal: Readonly<Record<RefusalKind, number>> = {
  invalid: 422,
  "unknown-field": 422,
  unsupported: 422,
  "not-found": 404,
  "already-exists": 409,
  conflict: 409,
  stale: 412,
  "key-reused": 409,
  "not-allowed": 403,
  "never-fits": 422,
  "over-guarantee": 422,
  "no-space": 507,
  "look-again": 503,
};
