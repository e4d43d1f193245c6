import type { AccountNo } from "../model/ids.ts";
import type { Candidate } from "../queue/candidates.ts";
import type { Contest } from "../queue/contest.ts";
import type { WaitingGroup } from "../state/indexes/waiting-group.ts";
import type { SeatShape } from "../state/indexes/wish.ts";
import { type Awake, SeatHopes } from "./wake.ts";
import type { World } from "./world.ts";

/**
 * The candidates of one pass in their order, without those that cannot succeed. What lets the pass skip whole groups is
 * here; whether the search for seats of one group can be skipped is decided in pass.ts, by the marks in `memory.full`.
 */
export class Attempts {
  readonly #world: World;
  readonly #hopes: SeatHopes;
  #hopeless: HopelessShapes | undefined;
  #contest: Contest;
  /** Some candidate was refused, or some group was not tried at all. */
  hasRefused: boolean;

  constructor(world: World, awake: Awake) {
    this.#world = world;
    this.#hopes = new SeatHopes(world, awake);
    this.#contest = this.#hopes.contest();
    this.hasRefused = world.state.waiting.groups.size > awake.groups.length;
  }

  next(): Candidate | undefined {
    for (;;) {
      if (this.#hopes.areFewer()) this.#contest = this.#hopes.contest();
      const candidate = this.#contest.next();
      if (candidate === undefined || this.#hopeless?.has(candidate.group) !== true) return candidate;
      this.#contest.close(candidate);
    }
  }

  /** Whether the start of a candidate that finds no seats may be planned. */
  mayPlan(candidate: Candidate): boolean {
    return this.#hopes.mayPlan(candidate);
  }

  /** A job has started on free seats; the rest of some nodes may be `charged` to other accounts now. */
  started(candidate: Candidate, charged: readonly AccountNo[]): void {
    this.#contest.started(candidate);
    if (charged.length > 0) this.#contest.lost(charged, candidate.group.account);
    this.#hopes.started();
  }

  /** Seats are being emptied for a job, and these accounts lose what it needs. */
  claimed(candidate: Candidate, losers: readonly AccountNo[]): void {
    this.#contest.started(candidate);
    if (losers.length > 0) this.#contest.lost(losers, candidate.group.account);
  }

  refused(candidate: Candidate): void {
    const { planned, fleet } = this.#world.state;
    this.hasRefused = true;
    this.#contest.close(candidate);
    this.#hopes.refused(candidate);
    if (planned.size > 0 || fleet.maintained.size > 0 || candidate.seatsOnly) return;
    this.#hopeless ??= new HopelessShapes();
    this.#hopeless.add(candidate.group);
  }
}

/**
 * Shapes that found no room in this pass, by account. Where no plan and no maintenance is in the way, another group of
 * the account that differs only in its run time finds none either. Saves a search and a claim for each run time.
 */
export class HopelessShapes {
  readonly #byAccount = new Map<AccountNo, Set<SeatShape>>();

  add({ key, account, wish }: WaitingGroup): void {
    if (typeof key !== "number") return; // perhaps only its user or its array has reached a limit
    const known = this.#byAccount.get(account);
    if (known === undefined) this.#byAccount.set(account, new Set([wish.shape]));
    else known.add(wish.shape);
  }

  has({ account, wish }: WaitingGroup): boolean {
    return this.#byAccount.get(account)?.has(wish.shape) ?? false;
  }
}
