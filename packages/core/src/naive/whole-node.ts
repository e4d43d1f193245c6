import { isInside, lowestCommon, pathOf, type World } from "./world.ts";

/** Nodes that a confidential tenant holds whole [U3]. */

/** The highest account on the path: the tenant. */
export function tenantOf(world: World, account: number): number {
  return pathOf(world, account).at(-1)!;
}

/** Whether the tenant of an account has nodes to itself. */
export function isConfidential(world: World, account: number): boolean {
  return world.accounts[tenantOf(world, account)]!.trust === "confidential";
}

/** Accounts that have or have kept a seat on a node. */
function accountsOn(world: World, node: number): number[] {
  return [...world.holdings, ...world.holds]
    .filter(({ seats }) => seats.some((seat) => seat.node === node))
    .map(({ account }) => account);
}

/** Whether trust lets an account come to a node beside those who are there. */
export function mayBeOn(world: World, account: number, node: number): boolean {
  const tenant = tenantOf(world, account);
  return accountsOn(world, node).every(
    (other) => tenantOf(world, other) === tenant || (!isConfidential(world, account) && !isConfidential(world, other)),
  );
}

/**
 * The account that is charged with what nobody holds of a node that a confidential tenant has: the lowest that holds
 * everyone of it who came since the node was empty; undefined = the node is nobody's.
 */
export function chargedWith(world: World, node: number): number | undefined {
  if (!world.accounts.some(({ trust }) => trust === "confidential")) return undefined;
  const [first, ...others] = accountsOn(world, node).filter((account) => isConfidential(world, account));
  if (first === undefined) return undefined;
  const { charged } = world.nodes[node]!;
  const before = charged !== undefined && isInside(world, charged, tenantOf(world, first)) ? [charged] : [];
  return [...others, ...before].reduce((a, b) => lowestCommon(world, a, b), first);
}
