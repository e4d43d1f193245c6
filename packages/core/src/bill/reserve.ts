import { shareOut } from "../money/amount.ts";
import type { Payer, TenantPayer } from "./payers.ts";
import type { FloorCut } from "./rate.ts";

/**
 * The floor of a tenant, divided among the accounts it belongs to: each account's own part is its guarantee without
 * those of its children. Where children were promised more than there is, they share it in proportion.
 */
export function floorParts(tenant: TenantPayer): FloorCut[] {
  const parts: FloorCut[] = [];
  for (const entry of Object.keys(tenant.guarantee).sort()) {
    divideFloor(tenant, entry, tenant.guarantee[entry]!, parts);
  }
  return parts;
}

function divideFloor(payer: Payer, entry: string, units: number, parts: FloorCut[]): void {
  let promised = 0;
  for (const child of payer.children) promised += child.guarantee[entry] ?? 0;
  const shares =
    promised <= units
      ? payer.children.map((child) => child.guarantee[entry] ?? 0)
      : shareOut(
          BigInt(units),
          payer.children.map((child) => BigInt(child.guarantee[entry] ?? 0)),
        ).map(Number);
  let own = units;
  for (const [i, child] of payer.children.entries()) {
    own -= shares[i]!;
    if (shares[i]! > 0) divideFloor(child, entry, shares[i]!, parts);
  }
  if (own > 0) parts.push({ payer, entry, units: own });
}
