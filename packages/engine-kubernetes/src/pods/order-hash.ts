import { createHash } from "node:crypto";
import { canonicalJson } from "@tessera/core";
import type { LeaseOrder } from "@tessera/engine";

/** What makes two orders for one lease the same request. Secrets and the epoch of the control plane do not count. */
export function orderHash(order: LeaseOrder): string {
  const { secrets: _, sealedSecrets: __, epoch: ___, tenantTerms: ____, ...rest } = order;
  return createHash("sha256").update(canonicalJson(rest)).digest("hex").slice(0, 32);
}
