import type { GpuNo } from "../../model/ids.ts";
import { must } from "../../model/must.ts";
import { gpusOf, lostWork, type Victim } from "../draft/victim.ts";
import { isOwn } from "../rules/rule.ts";
import type { Site } from "../seats/site.ts";
import { nextVictim } from "./next-victim.ts";
import { type ClaimSearch, evict } from "./search.ts";

/** The cost of the victims of one more member on a node. */
export interface VictimCost {
  readonly victims: readonly Victim[];
  /** How many of them are of the claimant's own account, which go last [T4]; GPUs instead of victims for O3. */
  readonly own: number;
  readonly lost: number;
}

/** The victims that make room for one more member on a site; undefined where none do. */
export function victimCostFor(search: ClaimSearch, site: Site): VictimCost | undefined {
  const { context, offers, draft } = search;
  context.effort.spend();
  const wanted = site.members + 1;
  const gone = draft.on(site.node.no);
  if (site.fits(gone) >= wanted) return { victims: [], own: 0, lost: 0 };
  const here = offers.on(site.node.no).filter((victim) => !draft.isGone(victim));
  let best: VictimCost | undefined;
  const tryWith = (left: readonly Victim[]): Victim | undefined => {
    const { fits, first, victims } = takeUntilFits(search, site, wanted, left);
    const cost = fits ? costOfVictims(search, victims) : undefined;
    if (cost !== undefined && (best === undefined || cost.own < best.own)) best = cost;
    // Where work of its own account was needed beside the first victim, others may be enough without that one [T4].
    const isDone = fits && (best?.own === 0 || isOwn(offers.ruleOf(must(first, "room is made by a victim"))));
    return isDone ? undefined : first;
  };
  for (let left = here; site.fits([...gone, ...left]) >= wanted; ) {
    const first = tryWith(left);
    if (first === undefined) break;
    left = left.filter((victim) => victim !== first);
  }
  if (best?.own === 0) return best;
  // A part of one GPU that leaves makes no room on another GPU.
  for (const gpu of sharedGpusOf(here)) {
    const onGpu = here.filter(({ leases }) => leases.some(({ gpus }) => gpus.includes(gpu)));
    if (site.fits([...gone, ...onGpu]) >= wanted) tryWith(onGpu);
  }
  return best;
}

function costOfVictims({ context, offers }: ClaimSearch, victims: readonly Victim[]): VictimCost {
  let own = 0;
  let lost = 0;
  for (const victim of victims) {
    if (isOwn(offers.ruleOf(victim))) own += victim.costToEnd === undefined ? 1 : gpusOf(victim.leases);
    lost += lostWork(victim, context.now);
  }
  return { victims, own, lost };
}

/** GPUs of which some victims hold parts. */
function sharedGpusOf(victims: readonly Victim[]): Set<GpuNo> {
  const shared = new Set<GpuNo>();
  for (const { leases } of victims)
    for (const { part, gpus } of leases) if (part !== undefined) for (const gpu of gpus) shared.add(gpu);
  return shared;
}

interface TrialResult {
  readonly fits: boolean;
  /** The first victim that was tried, even if its job left whole afterwards. */
  readonly first: Victim | undefined;
  readonly victims: readonly Victim[];
}

/** Evicts victims in order until `wanted` members fit or no more may be taken, and undoes it. */
function takeUntilFits(search: ClaimSearch, site: Site, wanted: number, here: readonly Victim[]): TrialResult {
  const { draft } = search;
  const mark = draft.mark();
  const taken: Victim[] = [];
  let fits = false;
  for (const left = [...here]; !fits; ) {
    const next = nextVictim(search, left);
    if (next === undefined) break;
    left.splice(left.indexOf(next), 1);
    taken.push(next);
    evict(search, next);
    fits = site.fits(draft.on(site.node.no)) >= wanted;
  }
  // A job that leaves whole replaces the extra members of it that were taken before.
  const victims = taken.filter((victim) => draft.victims.has(victim));
  draft.undoTo(mark);
  return { fits, first: taken[0], victims };
}
