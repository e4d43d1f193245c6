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

/**
 * Whether nobody is on the way out of, or into, a fleet in which nodes are held whole: while someone is, whom the rest of
 * a node is charged to is open, and only what no rule may break is asked.
 */
export function isSettled(world: World): boolean {
  if (!world.accounts.some(({ trust }) => trust === "confidential")) return true;
  return world.holds.length === 0 && !world.holdings.some(({ leaving }) => leaving);
}

/** Accounts that have a seat on a node or have one kept; those for whom one is kept first, those who leave last. */
function accountsOn(world: World, node: number): number[] {
  const leaving = world.holdings.filter((each) => each.leaving);
  return [...world.holds, ...world.holdings.filter((each) => !each.leaving), ...leaving]
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
  const here = accountsOn(world, node);
  const first = here.find((account) => isConfidential(world, account));
  if (first === undefined) return undefined;
  const { charged = first } = world.nodes[node]!;
  const own = [...here, charged].filter((account) => isInside(world, account, tenantOf(world, first)));
  return own.reduce((a, b) => lowestCommon(world, a, b), first);
}
