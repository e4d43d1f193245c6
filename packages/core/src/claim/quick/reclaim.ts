import type { Seat } from "../../journal/event.ts";
import { type AccountNo, type NodeNo, noAccount } from "../../model/ids.ts";
import type { Job } from "../../model/job.ts";
import { must } from "../../model/must.ts";
import type { Instant } from "../../model/units.ts";
import { nodesFor } from "../../place/dedicated.ts";
import { accountOf } from "../../quota/accounts.ts";
import { ceilingHit } from "../../quota/ceiling.ts";
import { coverFor } from "../../quota/guarantee.ts";
import { stayingOf } from "../../quota/held.ts";
import { lostMsOf } from "../../run/lost-work.ts";
import type { Verdict } from "../../state/indexes/burst-order.ts";
import { needFor, nodesAmong } from "../../state/narrowing.ts";
import type { ReadonlyState } from "../../state/readonly-state.ts";
import type { ClaimRequest } from "../claim-context.ts";
import type { ClaimPlan } from "../claim-plan.ts";
import { leavesFirst, type Victim, whole } from "../draft/victim.ts";
import type { Claimant } from "../rules/claimant.ts";
import { isTakeable } from "../rules/protection.ts";
import { NothingTaken } from "../rules/remaining.ts";
import { ruleFor } from "../rules/rule.ts";
import { pathOf } from "../rules/sides.ts";
import { isSource } from "../rules/source.ts";
import { partNeedOf } from "../seats/part-seats.ts";
import { type ClaimNeed, Site } from "../seats/site.ts";
import { hasFreeSeat } from "./free-seat.ts";

/**
 * Room for one GPU, or a part of one, by a guarantee, where only the order of T5 decides which job leaves: seats of
 * stopping work, else the first job in the order of burst work. Owners come back with thousands of such jobs at once, and
 * a full search for each would take seconds. Undefined where the full search must decide; it finds the same.
 */
export function quickReclaim(request: ClaimRequest): ClaimPlan | "none" | undefined {
  const { state, job, wish, effort } = request;
  const { spec, account } = job;
  const [option, other] = wish.options;
  if (option === undefined || other !== undefined || spec.members.min !== 1 || spec.topology !== undefined)
    return undefined;
  const { choice, model, demand } = option;
  if (spec.gpus[choice]!.count !== 1 || state.elastic.size > 0 || state.confidential > 0) return undefined;
  const staying = ({ no }: { readonly no: AccountNo }) => stayingOf(state, no);
  const cover = coverFor(state, account, demand, staying);
  if (cover === noAccount) return undefined;
  if (ceilingHit(state, account, demand, staying) !== undefined) return undefined;
  if (nodesFor(state, job) !== undefined || nodesAmong(state, account, spec) !== undefined) return undefined;
  if (hasFreeSeat(state, job, wish, option, effort.full)) return "none";
  const need = { ...needFor(state, job, choice, model), part: partNeedOf(state, job, choice) };
  const beingLeft = seatBeingLeft(state, need);
  // Other jobs may still come to a GPU of which parts are being left: such a seat is not held.
  if (beingLeft !== undefined && need.part !== undefined) return "none";
  const found =
    beingLeft === undefined
      ? firstToLeave(request, { job, demand, cover, path: pathOf(state, account) }, need)
      : { seat: beingLeft, victims: [] };
  if (found === undefined) return undefined;
  const { seat, victims } = found;
  const { unitsEach } = spec.gpus[choice]!;
  return { choice, cover, unitsEach, seats: [seat], victims: new Map(victims.map((victim) => [victim, "T1"])) };
}

/** The first seat that stopping work leaves. */
function seatBeingLeft(state: ReadonlyState, need: ClaimNeed): Seat | undefined {
  const { nodesToHave, nodesBeingLeft } = state.fleet;
  const left = need.part === undefined ? nodesToHave : nodesBeingLeft;
  for (let no = left.next(0); no >= 0; no = left.next(no + 1)) {
    const seat = seatOn(state, need, no as NodeNo, []);
    if (seat !== undefined) return seat;
  }
  return undefined;
}

function seatOn({ fleet }: ReadonlyState, need: ClaimNeed, node: NodeNo, leaving: readonly Victim[]): Seat | undefined {
  if (fleet.nodes[node]?.mode !== "up") return undefined;
  const site = new Site(fleet, fleet.node(node), need);
  if (site.fits(leaving) === 0) return undefined;
  site.members = 1;
  return site.seats(leaving)[0];
}

interface VictimWithSeat {
  readonly seat: Seat;
  readonly victims: readonly Victim[];
}

/** The first job to leave that the rules allow and that leaves a seat; undefined where the full search must decide. */
function firstToLeave({ state, now }: ClaimRequest, claimant: Claimant, need: ClaimNeed): VictimWithSeat | undefined {
  const judge = new ReclaimJudge(state, claimant, need, now);
  const first = state.burst.first(state, now, (loser) => judge.verdictOn(loser));
  if (first === undefined) return undefined;
  const found = { seat: judge.seat, victims: [whole(first)] };
  // Work covered by a guarantee above may be taken too; where it loses as much as burst work, burst work goes first.
  const offers = offersAbove(state, claimant.cover, now);
  if (offers === undefined) return undefined;
  for (const loser of offers) {
    if (lostMsOf(first, now) <= lostMsOf(loser, now)) break;
    const verdict = judge.verdictOn(loser);
    if (verdict === "yes") return { seat: judge.seat, victims: [whole(loser)] };
    if (verdict === "not-this-job") return undefined; // what else its account offers is for the full search
  }
  return found;
}

/** Judges by the rulebook the jobs that an index proposes, and keeps the seat that the last one would leave. */
class ReclaimJudge {
  readonly #state: ReadonlyState;
  readonly #claimant: Claimant;
  readonly #need: ClaimNeed;
  readonly #now: Instant;
  readonly #noVictims: NothingTaken;
  #seat: Seat | undefined;

  constructor(state: ReadonlyState, claimant: Claimant, need: ClaimNeed, now: Instant) {
    this.#state = state;
    this.#claimant = claimant;
    this.#need = need;
    this.#now = now;
    this.#noVictims = new NothingTaken(state);
  }

  get seat(): Seat {
    return must(this.#seat, "a job is taken for the seat that it leaves");
  }

  verdictOn(loser: Job): Verdict {
    const victim = whole(loser);
    if (ruleFor(this.#state, this.#claimant, victim, this.#now) !== "T1") return "not-this-account";
    if (!isSource(this.#state, this.#claimant, loser.account, this.#noVictims)) return "not-this-account";
    for (const { node } of [...loser.leases].sort((a, b) => a.node - b.node)) {
      this.#seat = seatOn(this.#state, this.#need, node, [victim]);
      if (this.#seat !== undefined) return "yes";
    }
    return "not-this-job";
  }
}

/**
 * Of the jobs covered by accounts above one, which may leave for jobs inside its guarantee [C2]: the first of each
 * account [T5], the least work lost first. Undefined where such an account also has burst work, which would go first.
 */
function offersAbove(state: ReadonlyState, cover: AccountNo, now: Instant): Job[] | undefined {
  const offers = new Map<AccountNo, Job>();
  for (let at = accountOf(state, cover).parent; at !== noAccount; at = accountOf(state, at).parent) {
    for (const job of state.coveredBy.of(at)) {
      if (!isTakeable({ job, leases: job.leases })) continue;
      const known = offers.get(job.account);
      if (known === undefined || leavesFirst(whole(job), whole(known), now) < 0) offers.set(job.account, job);
    }
  }
  for (const account of offers.keys())
    for (const job of state.active.of(account)) if (job.cover === noAccount) return undefined;
  return [...offers.values()].sort((a, b) => lostMsOf(a, now) - lostMsOf(b, now) || b.no - a.no);
}
