import { shareOut } from "../money/amount.ts";
import type { Payer, TenantPayer } from "./payer.ts";

/** One account's own part of a floor. */
export interface FloorPart {
  readonly payer: Payer;
  readonly entry: string;
  readonly units: number;
}

/**
 * Divides a tenant's floor among its accounts. An account's own part is its guarantee less those of its children. Where
 * the children are guaranteed more than the account has (an overcommitted floor), they share it in proportion.
 */
export function floorParts(tenant: TenantPayer): FloorPart[] {
  const parts: FloorPart[] = [];
  for (const entry of Object.keys(tenant.guarantee).sort()) {
    divideFloor(tenant, entry, tenant.guarantee[entry]!, parts);
  }
  return parts;
}

function divideFloor(payer: Payer, entry: string, units: number, parts: FloorPart[]): void {
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
