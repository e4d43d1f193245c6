import { must } from "@tessera/core/model";
import { isInside, lowestCommon, pathOf, type World } from "./world.ts";

/** The tenant of an account: the highest account on its path. */
export function tenantOf(world: World, account: number): number {
  return must(pathOf(world, account).at(-1), "the root has no tenant");
}

/** Whether the tenant of an account has its nodes to itself [U3]. */
export function isConfidential(world: World, account: number): boolean {
  return world.accounts[tenantOf(world, account)]!.trust === "confidential";
}

/**
 * Whether no job is stopping or claiming in a fleet with confidential tenants. While one is, the rules leave open which
 * account is charged with the remainder of a node, so only the rules that hold at every instant are checked.
 */
export function isSettled(world: World): boolean {
  if (!world.accounts.some(({ trust }) => trust === "confidential")) return true;
  return world.holds.length === 0 && !world.holdings.some(({ leaving }) => leaving);
}

/** The accounts with seats on a node: first those with held seats, then those of staying jobs, then of stopping ones. */
function accountsOn(world: World, node: number): number[] {
  const leaving = world.holdings.filter((each) => each.leaving);
  return [...world.holds, ...world.holdings.filter((each) => !each.leaving), ...leaving]
    .filter(({ seats }) => seats.some((seat) => seat.node === node))
    .map(({ account }) => account);
}

/** Whether trust allows a job of an account on a node beside the jobs that are there [U3]. */
export function mayBeOn(world: World, account: number, node: number): boolean {
  const tenant = tenantOf(world, account);
  return accountsOn(world, node).every(
    (other) => tenantOf(world, other) === tenant || (!isConfidential(world, account) && !isConfidential(world, other)),
  );
}

/**
 * The account that is charged with the remainder of a confidential tenant's node: the lowest one that contains every job
 * of the tenant that came since the node was empty [U3]; undefined = no confidential tenant has the node.
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
