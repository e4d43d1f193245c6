/** A text in a built file of core, and what stands there instead. */
export interface Edit {
  /** Below packages/core/dist. */
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

/** One small way to break the scheduler. */
export interface Mutant extends Edit {
  readonly name: string;
  /** Where the same rule is held once more: one of them alone would hide that the other is gone. */
  readonly also?: readonly Edit[];
}

export const mutants: readonly Mutant[] = [
  {
    name: "O1: those that would borrow go first",
    file: "queue/order.js",
    from: "return !burst;",
    to: "return burst;",
  },
  {
    name: "O2: the largest share goes first",
    file: "queue/order.js",
    from: "return shares < 0;",
    to: "return shares > 0;",
  },
  {
    name: "O2: the youngest goes first where shares are equal",
    file: "queue/order.js",
    from: "return no < side.no;",
    to: "return no > side.no;",
  },
  {
    name: "C1: a job is covered by the account alone, whoever else holds a floor above",
    file: "queue/quota.js",
    from: "        if (isWithin(state, each, held, demand))\n            return each.no;",
    to: "        if (isWithin(state, each, held, demand))\n            return each.no;\n        break;",
  },
  {
    name: "C5: a max of GPUs holds nobody",
    file: "queue/quota.js",
    from: "if (max === undefined || demand.units === 0)",
    to: "if (true)",
  },
  {
    name: "C5: everything idle is lent",
    file: "queue/quota.js",
    from: 'return Math.max(below, name === "*" ? sum(idle) - sum(lendable) : keptOf(idle, lendable, name));',
    to: "return below;",
  },
  {
    name: "C5: what is lent by model is kept of any",
    file: "queue/quota.js",
    from: 'const names = ["*"];',
    to: 'return ["*"];\n    const names = ["*"];',
  },
  {
    name: "share: weights divide instead of multiply",
    file: "queue/share.js",
    from: "return compareProducts(a.borrowed, b.of, b.borrowed, a.of);",
    to: "return compareProducts(a.borrowed, a.of, b.borrowed, b.of);",
  },
  {
    name: "share: weight 0 is below every other",
    file: "queue/share.js",
    from: "return a.of === 0 ? 1 : -1;",
    to: "return a.of === 0 ? -1 : 1;",
  },
  {
    name: "C3: nobody is promoted",
    file: "class/classes.js",
    from: "state.usage[account].burst > 0 && isWithin(state, account)",
    to: "false",
  },
  {
    name: "C3: nobody falls",
    file: "class/classes.js",
    from: "return isWithinFloor(state, accountOf(state, account), state.usage[account].covered);",
    to: "return true;",
  },
  {
    name: "C2: covered work is taken for anybody",
    file: "claim/rules/cover.js",
    from: "return cover !== noAccount && !path.has(cover);",
    to: "return false;",
  },
  {
    name: "C4: what must not be preempted is taken",
    file: "claim/rules/protection.js",
    from: 'job.state !== "stopping" && job.spec.preemptible && leases.length > 0',
    to: 'job.state !== "stopping" && leases.length > 0',
  },
  {
    name: "T3: equal priority is taken",
    file: "claim/rules/own-account.js",
    from: "if (other.spec.priority < job.spec.priority)\n        return true;",
    to: "if (other.spec.priority <= job.spec.priority)\n        return true;",
  },
  {
    name: "T8: a minimum runtime protects nobody",
    file: "claim/rules/protection.js",
    from: "now - placedAt < policy.minRuntimeMs",
    to: "false",
  },
  {
    name: "T2: a side may end a little lower",
    file: "claim/rules/fairness.js",
    from: "return compareShares(noShare, winner.share) >= 0;",
    to: "return true;",
  },
  {
    // Held twice: where victims are chosen, and on the set that is left.
    name: "T5: an account is a source though it has nothing beyond its guarantee",
    file: "claim/rules/source.js",
    from: "if (!isAbove(state, each, after.left(each.no)))",
    to: "if (false)",
    also: [
      { file: "claim/rules/source.js", from: "return ![...wasAbove.values()].includes(false);", to: "return true;" },
    ],
  },
  {
    name: "T4: its own account's work goes first",
    file: "claim/search/next-victim.js",
    from: "const ranks = { T1: 0, T2: 1, T3: 2, O3: 3 };",
    to: "const ranks = { T1: 2, T2: 1, T3: 0 };",
  },
  {
    name: "T5: nobody is spared",
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
    file: "place/gang.js",
    from: "return order !== 0 ? order < 0",
    to: "return order !== 0 ? order > 0",
  },
  {
    name: "P3: tenants share a GPU whatever their trust",
    file: "part/seat.js",
    from: "if (who.tenant === other.tenant)\n        return true;",
    to: "return true;",
  },
  {
    name: "P3: a claim for a part starts before its victims have left",
    file: "claim/settle.js",
    from: "fleet.gpuLeaving[gpu] === 0",
    to: "true",
  },
  {
    name: "P5: a newcomer does not mind whose latency promise it breaks",
    file: "part/latency.js",
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
    name: "B1: nobody is planned",
    file: "cycle.js",
    from: "const plan = mayPlan(state) ? timeline().plan(job) : undefined;",
    to: "const plan = undefined;",
  },
  {
    name: "B1: who is planned before does not count",
    file: "when/timeline.js",
    from: "held += plan.takes.get(node)?.gpus ?? 0;",
    to: "held += 0;",
  },
  {
    name: "B2: what a plan keeps is anybody's",
    file: "when/timeline.js",
    from: "const left = this.#leftTo(job, kept, node.no);",
    to: "const left = undefined;",
  },
  {
    name: "B2: quota that a plan waits for is anybody's",
    file: "when/timeline.js",
    from: "        return usage.holds(start, [{ job, demand }], yielding);",
    to: "        return true;",
  },
  {
    name: "B2: a gap is for those inside the guarantee of whom it belongs to",
    file: "when/take-back.js",
    from: "return cover !== noAccount && !isInside(state, account, cover);",
    to: "return cover !== noAccount && isInside(state, account, cover);",
  },
  {
    name: "B2: who has a plan is in its own way",
    file: "when/timeline.js",
    from: "        if (planned === job)\n            return true;",
    to: "        if (planned === job)\n            return false;",
  },
  {
    name: "U3: others come to a confidential tenant's nodes",
    file: "place/dedicated.js",
    from: "            if (left > 0)\n                return false;",
    to: "",
  },
  {
    name: "U3: the rest of a node is charged to nobody",
    file: "state/dedicated.js",
    from: "addGpusOf(state.usage[at], rest, sign);",
    to: "",
  },
];
