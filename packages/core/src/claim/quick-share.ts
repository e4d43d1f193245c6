import { needOf } from "../fleet/fit.ts";
import { type AccountNo, type NodeNo, noAccount, rootAccount } from "../model/ids.ts";
import type { Job } from "../model/job.ts";
import type { FleetNode } from "../model/node.ts";
import { type Instant, unitsPerGpu } from "../model/units.ts";
import { nodesFor } from "../place/dedicated.ts";
import { accountOf, isInside } from "../quota/accounts.ts";
import { ceilingHit } from "../quota/ceiling.ts";
import { coverFor, isWithin } from "../quota/guarantee.ts";
import { type Held, minus, stayingOf } from "../quota/held.ts";
import { compareShares, isFairLoss, type Share, shareOf, shareOfJob } from "../quota/share.ts";
import type { Wish, WishOption } from "../state/indexes/wish.ts";
import type { State } from "../state/state.ts";
import type { ClaimPlan } from "./claim-plan.ts";
import type { EffortBudget } from "./effort-budget.ts";
import { mayTakeOwn } from "./own-work.ts";
import { partNeedOf } from "./part-seats.ts";
import { hasFreeSeat } from "./quick.ts";
import { type ClaimNeed, Site } from "./site.ts";
import { keepsFloor, mayRebalance } from "./takeable.ts";
import { leavesFirst, type Victim, whole } from "./victim.ts";

/** Nodes on which several are looked for who make room together. */
const nodesMax = 16;

/** What is known of a claim by fair share: a plan; nobody; or the nodes on which several together might make room. */
type Answer = ClaimPlan | "nobody" | { readonly nodes: readonly NodeNo[] };

/**
 * One victim for a job of at most one GPU that could take only by fair share [T2]: the side with the largest share, down
 * the tree; in one account by T5. Whether a side can do without is asked once for all jobs of a kind, so that most who
 * wait on a full fleet are told at once that there is nobody. Undefined where there is more to weigh.
 */
export function quickShareClaim(
  state: State,
  job: Job,
  wish: Wish,
  now: Instant,
  effort: EffortBudget,
): Answer | undefined {
  const { spec, account } = job;
  const [option, other] = wish.options;
  if (option === undefined || other !== undefined || !isPlain(state, job)) return undefined;
  const { choice, demand } = option;
  if (spec.gpus[choice]!.count > 1) return undefined;
  const staying = ({ no }: { readonly no: AccountNo }) => stayingOf(state, no);
  if (coverFor(state, account, demand, staying) !== noAccount) return undefined;
  if (ceilingHit(state, account, demand, staying) !== undefined) return undefined;
  if (nodesFor(state, job) !== undefined) return undefined;
  if (hasFreeSeat(state, job, wish, option, effort.full)) return "nobody";
  const need = { ...needOf(spec, choice, option.model), part: partNeedOf(state, job, choice) };
  // Whom it would take need not leave where it fits what others are leaving.
  const { nodesToHave, nodesBeingLeft } = state.fleet;
  const left = need.gpus === 1 && need.part === undefined ? nodesToHave : nodesBeingLeft;
  for (let no = left.next(0); no >= 0; no = left.next(no + 1)) {
    effort.spend();
    if (new Site(state.fleet, state.fleet.node(no as NodeNo), need).fits([]) > 0) return "nobody";
  }
  const search = new ShareSearch(state, job, option, need, now);
  const found = search.run();
  effort.spend(search.looks);
  if (search.isOpen) return undefined;
  if (found === undefined) return search.nodes.size === 0 ? "nobody" : { nodes: [...search.nodes] };
  const { site, victim } = found;
  site.members = 1;
  const { unitsEach } = spec.gpus[choice]!;
  return { choice, cover: noAccount, unitsEach, seats: site.seats([victim]), victims: new Map([[victim, "T2"]]) };
}

/** Nothing but what sides hold decides whom it may take. */
function isPlain(state: State, job: Job): boolean {
  const { members, topology, preemptible } = job.spec;
  if (members.min !== 1 || topology !== undefined || !preemptible || state.policy.rebalance === "off") return false;
  return state.elastic.size + state.confidential + state.lendingLimits === 0 && !mayTakeOwn(state, job);
}

interface Found {
  readonly victim: Victim;
  readonly site: Site;
}

/** Whether a side could do with so much less. */
type CanSpare = (held: Held) => boolean;

class ShareSearch {
  readonly #state: State;
  readonly #job: Job;
  readonly #option: WishOption;
  readonly #need: ClaimNeed;
  readonly #now: Instant;
  readonly #path = new Set<AccountNo>();
  /** What there would be without those who could be taken and alone make no room: of GPUs, and of nodes. */
  readonly #units = new Map<number, number>();
  readonly #cpus = new Map<FleetNode, number>();
  readonly #memory = new Map<FleetNode, number>();
  /** The first nodes on which several of those who alone make no room might together. */
  readonly nodes = new Set<NodeNo>();
  looks = 0;
  /** There is someone of whom only a closer look tells whether he can be taken. */
  isOpen = false;

  constructor(state: State, job: Job, option: WishOption, need: ClaimNeed, now: Instant) {
    this.#state = state;
    this.#job = job;
    this.#option = option;
    this.#need = need;
    this.#now = now;
    for (let at = job.account; at !== noAccount; at = accountOf(state, at).parent) this.#path.add(at);
  }

  run(): Found | undefined {
    return this.#besideOwn(rootAccount);
  }

  /** Of the sides below an account that holds the claimant. */
  #besideOwn(common: AccountNo): Found | undefined {
    const { demand } = this.#option;
    const own = accountOf(this.#state, common).children.find((child) => this.#path.has(child));
    // Jobs of an account that also has accounts below are sides of their own.
    if (this.#state.alike.of(this.#state, common).size > 0 && common !== this.#job.account) this.isOpen = true;
    const mine =
      own === undefined
        ? shareOfJob(this.#state, demand)
        : shareOf(this.#state, accountOf(this.#state, own), stayingOf(this.#state, own), demand);
    const weight = own === undefined ? 1 : accountOf(this.#state, own).terms.quota.weight;
    return this.#ofLargest(common, (side, share) => {
      if (side === own) return this.#besideOwn(side);
      // A side without weight may lose all that it borrowed to one that has some, and no more.
      const freely = accountOf(this.#state, side).terms.quota.weight === 0 && weight > 0;
      if (!freely && compareShares(share, mine) <= 0) return undefined; // no loss would be fair [T11]
      const left = stayingOf(this.#state, side).units;
      return this.#below(
        side,
        (held) =>
          (freely && keepsFloor(this.#state, side, left - held.units)) ||
          isFairLoss(this.#without(side, held), mine, () => share),
      );
    });
  }

  #without(side: AccountNo, held: Held): Share {
    return shareOf(this.#state, accountOf(this.#state, side), minus(stayingOf(this.#state, side), held));
  }

  /** Of an account that does not hold the claimant, or below it. */
  #below(account: AccountNo, canSpare: CanSpare): Found | undefined {
    const state = this.#state;
    const { children } = accountOf(state, account);
    if (isWithin(state, accountOf(state, account), stayingOf(state, account))) return undefined; // no source [T5]
    if (children.length === 0) return this.#of(account, canSpare);
    if (state.alike.of(state, account).size > 0) this.isOpen = true;
    return this.#ofLargest(account, (side) => this.#below(side, canSpare));
  }

  /** Who is found in the side with the largest share that has someone; of equal sides, who leaves first. */
  #ofLargest(above: AccountNo, find: (side: AccountNo, share: Share) => Found | undefined): Found | undefined {
    const state = this.#state;
    const sides = accountOf(state, above).children.map((side) => ({
      side,
      share: shareOf(state, accountOf(state, side), stayingOf(state, side)),
    }));
    this.looks += sides.length;
    let best: Found | undefined;
    let largest: Share | undefined;
    for (const { side, share } of sides.sort((a, b) => compareShares(b.share, a.share))) {
      if (this.isOpen || (largest !== undefined && compareShares(share, largest) < 0)) break;
      const found = find(side, share);
      if (found === undefined) continue;
      if (best === undefined || leavesFirst(found.victim, best.victim, this.#now) < 0) best = found;
      largest = share;
    }
    return best;
  }

  #of(account: AccountNo, canSpare: CanSpare): Found | undefined {
    const victims: Victim[] = [];
    const { minRuntimeMs } = this.#state.policy;
    for (const kind of this.#state.alike.of(this.#state, account).values()) {
      const { cover, saves, held, jobs } = kind;
      this.looks++;
      if (this.#now - kind.oldestAt < minRuntimeMs) continue;
      if (!saves && this.#state.policy.rebalance === "checkpointed") continue;
      if (cover !== noAccount && !this.#path.has(cover)) continue;
      if (!canSpare(held) || !this.#isCoveredAsLow(cover, account, held)) continue;
      kind.oldestAt = Number.POSITIVE_INFINITY;
      for (const job of jobs) {
        kind.oldestAt = Math.min(kind.oldestAt, job.placedAt);
        const victim = whole(job);
        if (!mayRebalance(this.#state, victim, this.#now)) continue;
        this.looks++;
        if (this.#mayMakeRoom(victim)) victims.push(victim);
        else this.#remember(victim);
      }
    }
    while (victims.length > 0) {
      const [at, victim] = this.#first(victims);
      const site = this.#siteLeftBy(victim);
      if (site !== undefined) return { victim, site };
      this.#remember(victim);
      victims[at] = victims.at(-1)!;
      victims.pop();
    }
    return undefined;
  }

  /** A first look at what one leaves behind: no seat is free where it is, or will be without it. */
  #mayMakeRoom({ leases }: Victim): boolean {
    const [lease] = leases;
    if (leases.length !== 1) return leases.length > 1;
    const { fleet } = this.#state;
    const { gpus, part, cpusMilli, memoryMiB } = this.#need;
    const node = fleet.node(lease!.node);
    const freeCpus = node.freeCpusMilli + node.leavingCpusMilli;
    const freeMemory = node.freeMemoryMiB + node.leavingMemoryMiB;
    if (freeCpus + lease!.cpusMilli < cpusMilli || freeMemory + lease!.memoryMiB < memoryMiB) return false;
    // Where it is cores or memory that are missing, any of its GPUs may serve.
    if (gpus === 0 || freeCpus < cpusMilli || freeMemory < memoryMiB) return true;
    const wanted = part === undefined ? unitsPerGpu : part.ask.compute;
    return lease!.gpus.some((gpu) => fleet.gpuFree[gpu]! + fleet.gpuLeaving[gpu]! + lease!.unitsEach >= wanted);
  }

  /** Those who hold parts of one GPU, or cores and memory of one node, may make room together. */
  #remember({ leases }: Victim): void {
    if (this.nodes.size >= nodesMax) return;
    const { fleet } = this.#state;
    const { gpus, part, cpusMilli, memoryMiB } = this.#need;
    const wanted = part === undefined ? unitsPerGpu : part.ask.compute;
    for (const lease of leases) {
      const node = fleet.node(lease.node);
      if (node.mode !== "up") continue;
      const cpus = (this.#cpus.get(node) ?? node.freeCpusMilli + node.leavingCpusMilli) + lease.cpusMilli;
      const memory = (this.#memory.get(node) ?? node.freeMemoryMiB + node.leavingMemoryMiB) + lease.memoryMiB;
      this.#cpus.set(node, cpus);
      this.#memory.set(node, memory);
      let most = gpus === 0 || node.freeCpusMilli < cpusMilli || node.freeMemoryMiB < memoryMiB ? wanted : 0;
      for (const gpu of lease.gpus) {
        const units = (this.#units.get(gpu) ?? fleet.gpuFree[gpu]! + fleet.gpuLeaving[gpu]!) + lease.unitsEach;
        this.#units.set(gpu, units);
        most = Math.max(most, units);
      }
      if (most >= wanted && cpus >= cpusMilli && memory >= memoryMiB) this.nodes.add(lease.node);
    }
  }

  /** Covered work only for work that is covered at least as low once it runs [T3]; else it would claim its floor back. */
  #isCoveredAsLow(cover: AccountNo, loser: AccountNo, held: Held): boolean {
    if (cover === noAccount) return true;
    const state = this.#state;
    const covered = coverFor(state, this.#job.account, this.#option.demand, ({ no }) => {
      const staying = stayingOf(state, no);
      return isInside(state, loser, no) ? minus(staying, held) : staying;
    });
    return covered !== noAccount && isInside(state, covered, cover);
  }

  #first(victims: readonly Victim[]): [number, Victim] {
    let first = 0;
    for (let at = 1; at < victims.length; at++)
      if (leavesFirst(victims[at]!, victims[first]!, this.#now) < 0) first = at;
    return [first, victims[first]!];
  }

  /** The lowest of its nodes on which it leaves room. */
  #siteLeftBy(victim: Victim): Site | undefined {
    const { fleet } = this.#state;
    let best: Site | undefined;
    for (const { node } of victim.leases) {
      if (fleet.nodes[node]?.mode !== "up" || (best !== undefined && best.node.no < node)) continue;
      const site = new Site(fleet, fleet.node(node), this.#need);
      if (site.fits([victim]) > 0) best = site;
    }
    return best;
  }
}
