import { needOf } from "../fleet/fit.ts";
import type { Seat } from "../journal/event.ts";
import { type AccountNo, type NodeNo, noAccount, rootAccount } from "../model/ids.ts";
import type { Job } from "../model/job.ts";
import type { Instant } from "../model/units.ts";
import { nodesFor } from "../place/dedicated.ts";
import type { FullMarks } from "../place/full-marks.ts";
import { findSeats } from "../place/seats.ts";
import { accountOf, isInside } from "../quota/accounts.ts";
import { ceilingHit } from "../quota/ceiling.ts";
import { coverFor, isWithin } from "../quota/guarantee.ts";
import { stayingOf } from "../quota/held.ts";
import { lostMsOf } from "../run/lost-work.ts";
import type { Verdict } from "../state/indexes/burst-order.ts";
import type { Wish, WishOption } from "../state/indexes/wish.ts";
import type { State } from "../state/state.ts";
import type { ClaimPlan } from "./claim-plan.ts";
import { partNeedOf } from "./part-seats.ts";
import { Site } from "./site.ts";
import { leavesFirst, type Victim, whole } from "./victim.ts";

/**
 * Room for one GPU, or a part of one, by a guarantee, where nothing but the order of T5 decides who leaves: what is being left
 * anyway, else the first of all burst work. Owners come back with thousands of such jobs at once, and to weigh the fleet
 * for each would take seconds. Undefined where there is more to weigh; the plan that does that finds the same.
 */
export function quickClaim(
  state: State,
  job: Job,
  wish: Wish,
  now: Instant,
  full: FullMarks,
): ClaimPlan | "nobody" | undefined {
  const { spec, account } = job;
  const [option, other] = wish.options;
  if (option === undefined || other !== undefined || spec.members.min !== 1 || spec.topology !== undefined)
    return undefined;
  const { choice, model, demand } = option;
  const { count, unitsEach } = spec.gpus[choice]!;
  if (count !== 1 || state.elastic.size > 0 || state.confidential > 0) return undefined;
  const staying = ({ no }: { readonly no: AccountNo }) => stayingOf(state, no);
  const cover = coverFor(state, account, demand, staying);
  if (cover === noAccount) return undefined;
  if (ceilingHit(state, account, demand, staying) !== undefined) return undefined;
  if (nodesFor(state, job) !== undefined) return undefined;
  if (hasFreeSeat(state, job, wish, option, full)) return "nobody";
  const need = { ...needOf(spec, choice, model), part: partNeedOf(state, job, choice) };
  const seatOn = (node: NodeNo, leaving: readonly Victim[]): Seat | undefined => {
    if (state.fleet.nodes[node]?.mode !== "up") return undefined;
    const site = new Site(state.fleet, state.fleet.node(node), need);
    if (site.fits(leaving) === 0) return undefined;
    site.members = 1;
    return site.seats(leaving)[0];
  };
  const plan = (seat: Seat, victims: readonly Victim[]): ClaimPlan => ({
    ...{ choice, cover, unitsEach, seats: [seat] },
    victims: new Map(victims.map((victim) => [victim, "T1"])),
  });
  const { nodesToHave, nodesBeingLeft } = state.fleet;
  const left = need.part === undefined ? nodesToHave : nodesBeingLeft;
  for (let no = left.next(0); no >= 0; no = left.next(no + 1)) {
    const seat = seatOn(no as NodeNo, []);
    // Others may still come to a GPU of which parts are being left.
    if (seat !== undefined) return need.part === undefined ? plan(seat, []) : "nobody";
  }
  const path = new Set<AccountNo>();
  for (let at = account; at !== noAccount; at = accountOf(state, at).parent) path.add(at);
  let seat: Seat | undefined;
  const ask = (loser: Job): Verdict => {
    if (isInside(state, loser.account, cover) || !isSource(state, loser.account, path)) return "not-this-account";
    const victim = whole(loser);
    for (const { node } of [...loser.leases].sort((a, b) => a.node - b.node)) {
      seat = seatOn(node, [victim]);
      if (seat !== undefined) return "yes";
    }
    return "not-this-job";
  };
  const first = state.burst.first(state, now, ask);
  if (first === undefined) return undefined;
  const firstSeat = seat!;
  // Work that a guarantee above covers may be taken too; where it loses as much as burst work, that goes first.
  const offers = offersAbove(state, cover, now);
  if (offers === undefined) return undefined;
  for (const loser of offers) {
    if (lostMsOf(first, now) <= lostMsOf(loser, now)) break;
    const answer = ask(loser);
    if (answer === "yes") return plan(seat!, [whole(loser)]);
    if (answer === "not-this-job") return undefined; // what its account offers then is to be weighed
  }
  return plan(firstSeat, [whole(first)]);
}

/** A free seat that it does not get is kept for someone who is planned [B2], or comes with quota; nobody need leave. */
export function hasFreeSeat(
  state: State,
  job: Job,
  wish: Wish,
  { choice, model }: Pick<WishOption, "choice" | "model">,
  full: FullMarks,
): boolean {
  if (full.isFull(state, wish, job.spec, job.account)) return false;
  return typeof findSeats(state, job, choice, model) === "object";
}

/**
 * Of the jobs that accounts above one cover, and that so may leave for what is inside its guarantee [C2]: what each of
 * their accounts offers [T5], the least lost first. Undefined where an account might offer burst work instead.
 */
function offersAbove(state: State, cover: AccountNo, now: Instant): Job[] | undefined {
  const offers = new Map<AccountNo, Job>();
  for (let at = accountOf(state, cover).parent; at !== noAccount; at = accountOf(state, at).parent) {
    for (const job of state.coveredBy.of(at)) {
      if (job.state === "stopping" || !job.spec.preemptible || job.leases.length === 0) continue;
      const known = offers.get(job.account);
      if (known === undefined || leavesFirst(whole(job), whole(known), now) < 0) offers.set(job.account, job);
    }
  }
  for (const account of offers.keys())
    for (const job of state.active.of(account)) if (job.cover === noAccount) return undefined;
  return [...offers.values()].sort((a, b) => lostMsOf(a, now) - lostMsOf(b, now) || b.no - a.no);
}

/** Whether all from an account up to where it meets the claimant are above their guarantees [T5]. */
function isSource(state: State, account: AccountNo, path: ReadonlySet<AccountNo>): boolean {
  for (let at = account; at !== rootAccount && !path.has(at); at = accountOf(state, at).parent)
    if (isWithin(state, accountOf(state, at), stayingOf(state, at))) return false;
  return true;
}
