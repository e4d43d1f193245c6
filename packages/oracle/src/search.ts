import { type ClaimBasis, claimBasesOf, faultsOfSet, isEnough, startable, type TakingRule } from "./take.ts";
import { type Holding, type Option, onceLeft, optionsOf, type Wish, type World } from "./world.ts";

/** Limits of the search for a claim. */
export interface Bounds {
  /** The most victims in a set. */
  readonly victimsMax: number;
  /** The most sets that are tried. */
  readonly setsMax: number;
}

export interface FoundClaim {
  readonly option: Option;
  readonly basis: ClaimBasis;
  readonly set: readonly Holding[];
}

/**
 * A set of victims with which the job could claim, found by trying all sets, small ones first. A job that fits once the
 * stopping jobs have stopped needs no victims.
 */
export function findClaim(
  now: World,
  wish: Wish,
  bounds: Bounds,
  rules: readonly TakingRule[] = ["T1", "T2", "T3"],
): FoundClaim | "none" | "too-many" {
  const world = onceLeft(now);
  if (startable(world, wish) !== undefined) return "none";
  let answer: "none" | "too-many" = "none";
  for (const option of optionsOf(world, wish)) {
    for (const basis of claimBasesOf(world, wish, option)) {
      const mayGo = [...basis.by.keys()].filter((holding) => rules.includes(basis.by.get(holding)!));
      // If all candidates together are not enough, no subset is.
      if (mayGo.length === 0 || !isEnough(world, wish, option, mayGo)) continue;
      const found = firstLegal(world, wish, option, basis, unitsOf(world, mayGo), bounds);
      if (found === "none") continue;
      if (found !== "too-many") return { option, basis, set: found };
      answer = "too-many";
    }
  }
  return answer;
}

/** Holdings that must be taken together, grouped by likeness: within a group no rule distinguishes them. */
function unitsOf(world: World, holdings: readonly Holding[]): Holding[][][] {
  const alike = new Map<string, Holding[][]>();
  for (const holding of holdings) {
    const rest = holding.extra ? [] : world.holdings.filter((each) => each.job === holding.job && each.extra);
    if (!rest.every((each) => holdings.includes(each))) continue;
    const unit = [holding, ...rest];
    const key = unit.map((each) => likeness(each)).join("+");
    alike.set(key, [...(alike.get(key) ?? []), unit]);
  }
  return [...alike.values()];
}

function likeness({ account, cover, priority, extra, job, seats, ...holding }: Holding): string {
  const where = seats
    .map((seat) => `${seat.node}:${seat.gpus.length}`)
    .sort()
    .join(",");
  const take = `${holding.compute}/${holding.memory}/${holding.cpusMilli}/${holding.memoryMiB}`;
  return `${account}|${cover}|${priority}|${take}|${where}|${extra ? job : ""}`;
}

function firstLegal(
  world: World,
  wish: Wish,
  option: Option,
  basis: ClaimBasis,
  groups: readonly (readonly (readonly Holding[])[])[],
  { victimsMax, setsMax }: Bounds,
): readonly Holding[] | "none" | "too-many" {
  let tried = 0;
  let cut = false;
  const isNeeded = (one: Holding, set: readonly Holding[]) =>
    !isEnough(
      world,
      wish,
      option,
      set.filter((each) => each !== one),
    );
  const choose = (from: number, left: number, chosen: readonly Holding[]): readonly Holding[] | undefined => {
    if (left === 0) {
      if (++tried > setsMax) {
        cut = true;
        return undefined;
      }
      const set = [...new Set(chosen)];
      const legal =
        isEnough(world, wish, option, set) &&
        faultsOfSet(world, wish, option, basis, set).length === 0 &&
        // T2 takes no victim only to have the claimant covered, or to make its side small enough.
        set.every((one) => basis.by.get(one) !== "T2" || isNeeded(one, set));
      return legal ? set : undefined;
    }
    for (let group = from; group < groups.length && !cut; group++) {
      const units = groups[group]!;
      for (let count = Math.min(left, units.length); count > 0 && !cut; count--) {
        const found = choose(group + 1, left - count, [...chosen, ...units.slice(0, count).flat()]);
        if (found !== undefined) return found;
      }
    }
    return undefined;
  };
  const most = groups.reduce((all, units) => all + units.length, 0);
  for (let size = 1; size <= Math.min(victimsMax, most) && !cut; size++) {
    const found = choose(0, size, []);
    if (found !== undefined) return found;
  }
  return cut || most > victimsMax ? "too-many" : "none";
}
