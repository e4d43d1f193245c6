import { faultsOfSet, isEnough, type Standing, standingsOf, startable, type TakingRule } from "./take.ts";
import { type Holding, type Option, onceLeft, optionsOf, type Wish, type World } from "./world.ts";

export interface Bounds {
  /** Sets of more victims are not tried. */
  readonly victimsMax: number;
  /** Nor more sets than this. */
  readonly setsMax: number;
}

export interface Found {
  readonly option: Option;
  readonly standing: Standing;
  readonly set: readonly Holding[];
}

/**
 * Some set of victims with which the wish could claim, by trying all of them, small ones first. Whoever fits what is
 * leaving already has nobody to take.
 */
export function findClaim(
  now: World,
  wish: Wish,
  bounds: Bounds,
  rules: readonly TakingRule[] = ["T1", "T2", "T3"],
): Found | "none" | "too-many" {
  const world = onceLeft(now);
  if (startable(world, wish) !== undefined) return "none";
  let answer: "none" | "too-many" = "none";
  for (const option of optionsOf(world, wish)) {
    for (const standing of standingsOf(world, wish, option)) {
      const mayGo = [...standing.by.keys()].filter((holding) => rules.includes(standing.by.get(holding)!));
      // If even all of them are not enough, no part is.
      if (mayGo.length === 0 || !isEnough(world, wish, option, mayGo)) continue;
      const found = firstLegal(world, wish, option, standing, unitsOf(world, mayGo), bounds);
      if (found === "none") continue;
      if (found !== "too-many") return { option, standing, set: found };
      answer = "too-many";
    }
  }
  return answer;
}

/** What goes together, alike ones in one list: which of them is taken makes no difference to any rule. */
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
  standing: Standing,
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
        faultsOfSet(world, wish, option, standing, set).length === 0 &&
        // Nobody goes only so that the claimant is covered, or its side small enough [T2].
        set.every((one) => standing.by.get(one) !== "T2" || isNeeded(one, set));
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
