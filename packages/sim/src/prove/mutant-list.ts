/** A text in a built file of core, and its replacement. */
export interface Edit {
  /** Below packages/core/dist. */
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

/** One small way to break the scheduler. */
export interface Mutant extends Edit {
  readonly name: string;
  /** Other places that hold the same rule: with only one of them gone, the others would still keep it. */
  readonly also?: readonly Edit[];
}

export const mutants: readonly Mutant[] = [
  {
    name: "O1: burst jobs go before guaranteed ones",
    file: "queue/contestant.js",
    from: "return !burst;",
    to: "return burst;",
  },
  {
    name: "O2: the largest share goes first",
    file: "queue/contestant.js",
    from: "return shares < 0;",
    to: "return shares > 0;",
  },
  {
    name: "O2: between equal shares the youngest job goes first",
    file: "queue/contestant.js",
    from: "return no < other.no;",
    to: "return no > other.no;",
  },
  {
    name: "C1: only the job's own account covers it, not the accounts above",
    file: "quota/guarantee.js",
    from: "return each.no;",
    to: "return each.no;\n        break;",
  },
  {
    name: "C5: a max of GPUs stops no job",
    file: "quota/ceiling.js",
    from: "demand.units === 0)",
    to: "true)",
  },
  {
    name: "C5: all of an idle guarantee is lent",
    file: "quota/lending.js",
    from: "return Math.max(below,",
    to: "return below;\n    return Math.max(below,",
  },
  {
    name: "C5: the unlent part of a model is kept free of any model",
    file: "quota/lending.js",
    from: 'const names = ["*"];',
    to: 'return ["*"];\n    const names = ["*"];',
  },
  {
    name: "share: weights divide instead of multiply",
    file: "quota/share.js",
    from: "return compareProducts(a.borrowed, b.of, b.borrowed, a.of);",
    to: "return compareProducts(a.borrowed, a.of, b.borrowed, b.of);",
  },
  {
    name: "share: weight 0 is smaller than every other share",
    file: "quota/share.js",
    from: "return a.of === 0 ? 1 : -1;",
    to: "return a.of === 0 ? -1 : 1;",
  },
  {
    name: "C3: no job is promoted",
    file: "schedule/classes.js",
    from: "state.usage[account].burst > 0 && isWithin(state, account)",
    to: "false",
  },
  {
    name: "C3: no job falls to burst",
    file: "schedule/classes.js",
    from: "return isWithinFloor(state, accountOf(state, account), state.usage[account].covered);",
    to: "return true;",
  },
  {
    name: "C2: covered work is taken for every claimant",
    file: "claim/rules/cover.js",
    from: "return cover !== noAccount && !path.has(cover);",
    to: "return false;",
  },
  {
    name: "C4: a job with preemptible: false is taken",
    file: "claim/rules/protection.js",
    from: 'job.state !== "stopping" && job.spec.preemptible && leases.length > 0',
    to: 'job.state !== "stopping" && leases.length > 0',
  },
  {
    name: "T3: a job of equal priority is taken",
    file: "claim/rules/own-account.js",
    from: "if (other.spec.priority < job.spec.priority)\n        return true;",
    to: "if (other.spec.priority <= job.spec.priority)\n        return true;",
  },
  {
    name: "T8: min_runtime protects no job",
    file: "claim/rules/protection.js",
    from: "now - placedAt < policy.minRuntimeMs",
    to: "false",
  },
  {
    name: "T2: a side may end below the claimant's side",
    file: "claim/rules/fairness.js",
    from: "return compareShares(noShare, winner.share) >= 0;",
    to: "return true;",
  },
  {
    // Held twice: where victims are chosen, and on the set that is left.
    name: "T5: an account within its guarantee loses work",
    file: "claim/rules/source.js",
    from: "if (!isAbove(state, each, after.left(each.no)))",
    to: "if (false)",
    also: [
      { file: "claim/rules/source.js", from: "return ![...wasAbove.values()].includes(false);", to: "return true;" },
    ],
  },
  {
    name: "T4: work of the claimant's own account goes first",
    file: "claim/search/next-victim.js",
    from: "const ranks = { T1: 0, T2: 1, T3: 2, O3: 3 };",
    to: "const ranks = { T1: 2, T2: 1, T3: 0 };",
  },
  {
    name: "T5: no victim is spared",
    file: "claim/search/spare.js",
    from: "if (isEnough() || isEnoughToShrink(",
    to: "if (false && isEnoughToShrink(",
  },
  {
    name: "T5: the highest priority leaves first",
    file: "claim/draft/victim.js",
    from: "return a.job.spec.priority - b.job.spec.priority;",
    to: "return b.job.spec.priority - a.job.spec.priority;",
  },
  {
    name: "P2: a gang goes where it needs the most places",
    file: "fleet/gang.js",
    from: "return order !== 0 ? order < 0",
    to: "return order !== 0 ? order > 0",
  },
  {
    name: "P3: tenants share a GPU whatever their trust",
    file: "gpu/seat.js",
    from: "if (who.tenant === other.tenant)\n        return true;",
    to: "return true;",
  },
  {
    name: "P3: a claimant of a part starts before its victims have left",
    file: "claim/settle.js",
    from: "fleet.gpuLeaving[gpu] === 0",
    to: "true",
  },
  {
    name: "P5: a job starts although it breaks a neighbour's latency promise",
    file: "gpu/latency.js",
    from: "return addedBy(mode, newcomer) <= spare;",
    to: "return true;",
  },
  {
    name: "C4: a claimant loses the guarantee that it claimed by",
    file: "claim/settle.js",
    from: "    if (cover === undefined)\n        return coverWithout(state, job);",
    to: "    return coverWithout(state, job);",
  },
  {
    name: "B1: no job is planned",
    file: "schedule/plans.js",
    from: "const plan = mayPlan(",
    to: "const plan = false && mayPlan(",
  },
  {
    name: "B1: a plan ignores the plans before it",
    file: "plan/plan-list.js",
    from: "held += start.takes.get(node)?.gpus ?? 0;",
    to: "held += 0;",
  },
  {
    name: "B2: seats reserved by a plan are free for every job",
    file: "plan/backfill.js",
    from: "const spare = this.#spareFor(job, plan",
    to: "const spare = undefined && this.#spareFor(job, plan",
  },
  {
    name: "B2: quota that a plan waits for is free for every job",
    file: "plan/backfill.js",
    from: "return usage.allows(start,",
    to: "return true || usage.allows(start,",
  },
  {
    name: "B2: a plan counts on taking work back although no guarantee will cover it",
    file: "plan/reclaim-outlook.js",
    from: "cover !== noAccount && !isInside(",
    to: "cover === noAccount || !isInside(",
  },
  {
    name: "B2: a planned job is refused for its own plan",
    file: "plan/backfill.js",
    from: "if (planned === job)\n            return true;",
    to: "if (planned === job)\n            return false;",
  },
  {
    name: "U3: other tenants' jobs come to a confidential tenant's nodes",
    file: "place/dedicated.js",
    from: "            if (left > 0)\n                return false;",
    to: "",
  },
  {
    name: "U3: the remainder of a node is charged to no account",
    file: "state/apply/dedicated.js",
    from: "addGpusOf(state.usage[at], remainder, sign);",
    to: "",
  },
  {
    name: "P10: free seats of any node are taken, whatever a job asks for",
    file: "fleet/fit.js",
    from: "if (need.among !== undefined && !need.among.has(node))",
    to: "if (false)",
  },
  {
    name: "P11: parts of any tenant come to a pool, whatever its trust",
    file: "gpu/seat.js",
    from: "if (!isTrusted(who, device))",
    to: "if (false)",
  },
  {
    name: "P11: claims make room in pools that are closed to the claimant",
    file: "claim/seats/site.js",
    from: "if (need.among !== undefined && !need.among.has(node))",
    to: "if (false)",
  },
];
