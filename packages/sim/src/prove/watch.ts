import {
  type AccountNo,
  coverFor,
  demandOf,
  type Event,
  type Instant,
  isInside,
  type Job,
  type JobClaimed,
  type JobNo,
  type JobPlaced,
  modelsFor,
  noAccount,
  nothingHeld,
  pathUp,
  type State,
} from "@tessera/core";
import {
  type Bounds,
  domainOf,
  type Fault,
  faultOfSeats,
  type Holding,
  isSettled,
  judgeClaim,
  judgeGrowth,
  judgeHoldings,
  judgeLeft,
  judgeRest,
  judgeStart,
  judgeVictims,
  levels,
  onceLeft,
  optionsOf,
  startable,
  type World,
} from "@tessera/oracle";
import { type PlannedStarts, plannedIn, wishOf, worldOf } from "./world.ts";

/** What a trial can find. */
export interface Finding {
  readonly kind: Fault["kind"] | "livelock" | "threw";
  readonly what: string;
}

/** A claim that is not settled yet. */
interface Open {
  readonly victims: ReadonlySet<JobNo>;
  /** An input came since then, so the claimant may have to wait after all. */
  disturbed: boolean;
}

/** Follows the core's decisions and has each of them judged by the naive model. */
export class Watch {
  /** The planned starts of the scheduler that is watched; the caller sets them. */
  starts: PlannedStarts = () => undefined;
  readonly findings: Finding[] = [];
  readonly #bounds: Bounds;
  readonly #open = new Map<JobNo, Open>();
  /** The world before each decision of this batch. */
  #earlier: World[] = [];
  /** The state of the fleet after each change since the last input. */
  readonly #seen = new Set<string>();
  /** Planned starts when the last batch was over, and whether anything but starts happened since that may delay one. */
  #plans = new Map<JobNo, Instant>();
  #mayDelay = false;
  #started: { readonly job: Job; readonly cover: AccountNo }[] = [];

  constructor(bounds: Bounds) {
    this.#bounds = bounds;
  }

  /** An input comes; `disturbing` when it may keep a claimant from starting. */
  outside(disturbing: boolean): void {
    this.#seen.clear();
    this.#mayDelay ||= disturbing;
    if (disturbing) for (const open of this.#open.values()) open.disturbed = true;
  }

  /** A batch begins. */
  begin(): void {
    this.#earlier = [];
    this.#started = [];
    this.#mayDelay ||= this.#open.size > 0;
  }

  /**
   * A batch is over: no start may have delayed the first plan, unless it goes before that by the order [B2]. The order
   * of later plans may change when a job ends early.
   */
  end(state: State, now: Instant): void {
    for (const [no, at] of this.#mayDelay ? [] : [...this.#plans].slice(0, 1)) {
      const job = state.jobs.get(no);
      const then = job && new Map(plannedIn(state, this.starts)).get(job);
      if (job === undefined || then === undefined || at < now || then <= at) continue;
      const demand = demandOf(state, job, 0, modelsFor(state, job, 0)[0]!);
      // Between jobs that one guarantee can hold the order decides, not the plan; also where the job that started is
      // covered by a guarantee further down, which leaves the planned job no room in its own [B7].
      const floor = coverFor(state, job.account, demand, nothingHeld);
      const shares = (cover: AccountNo) =>
        pathUp(state, job.account).some((account) => account.no === cover) ||
        (cover !== noAccount && floor !== noAccount && isInside(state, cover, floor));
      if (this.#started.some((other) => isAhead(other.job, job) || shares(other.cover))) continue;
      // A planned job that would be guaranteed takes back the burst work in its gap.
      if (coverFor(state, job.account, demand) !== noAccount) continue;
      const what = `[B2] ${job.spec.name} was planned ${at - now} ms ahead, and is now ${then - now} ms ahead`;
      this.#add([{ kind: "rule", what }]);
    }
    this.#mayDelay = false;
    this.#plans = new Map(plannedIn(state, this.starts).map(([job, at]) => [job.no, at]));
  }

  /** An event, before it is applied to the state. */
  see(event: Event, state: State, now: Instant): void {
    if (this.findings.length > 0) return;
    switch (event.kind) {
      case "job-placed":
        this.#start(event, state, now);
        return;
      case "job-claimed":
        this.#claim(event, state, now);
        return;
      case "claim-dropped":
        this.#dropped(event.job, state);
        return;
      case "job-classed":
        this.#mayDelay = true; // what a plan counted on to take back may be covered now
        return;
      case "lease-stopping":
        this.#mayDelay = true;
        if (event.sequence === 0 && (event.cause === "preempt" || event.cause === "shrink"))
          this.#evicts(state.leases.get(event.lease)!.job, state);
        return;
      case "job-grown":
        this.#add(judgeGrowth(worldOf(state, now, this.starts), nameOf(state, event.job)));
        return;
      case "job-requeued":
        this.#left(event.job, undefined, state);
        return;
      case "job-ended":
        this.#left(event.job, event.outcome, state);
        this.#open.delete(event.job);
        return;
      default:
        return;
    }
  }

  #start(event: JobPlaced, state: State, now: Instant): void {
    const job = state.jobs.get(event.job)!;
    const claimed = job.claim !== undefined;
    this.#open.delete(job.no);
    this.#started.push({ job, cover: event.cover });
    const before = worldOf(state, now, this.starts);
    this.#earlier.push(before);
    const wish = before.wishes.find((each) => each.no === job.no) ?? wishOf(state, job);
    // Seats held for the job itself are free for it.
    const world = claimed ? { ...before, holds: before.holds.filter((hold) => hold.job !== wish.job) } : before;
    const { choice, seats, cover } = event;
    const moved = claimed && job.cover === cover;
    const faults = judgeStart(world, { wish, choice, seats, cover, claimed, moved }, this.#bounds, this.#earlier);
    this.#add(isSettled(world) ? faults : faults.filter(({ kind }) => kind !== "rule" && kind !== "useless"));
  }

  #claim(event: JobClaimed, state: State, now: Instant): void {
    const world = worldOf(state, now, this.starts);
    this.#earlier.push(world);
    this.#mayDelay = true;
    if (state.jobs.get(event.job)!.leases.length > 0) {
      this.#open.set(event.job, { victims: new Set(), disturbed: false });
      return; // It is moved: judged with the claim that it is moved for.
    }
    const wish = world.wishes.find((each) => each.no === event.job);
    if (wish === undefined) {
      this.#add([{ kind: "rule", what: `job ${event.job} claims and does not wait` }]);
      return;
    }
    const { choice, seats, shrinks = [], moves = [] } = event;
    const shrunk = shrinks.map((id) => state.leases.get(id)!);
    const taken = new Set<number>(event.victims);
    const victims = world.holdings.filter(
      (holding) =>
        (taken.has(holding.no) && !holding.leaving) ||
        (holding.extra && shrunk.some((lease) => lease.job === holding.no && isOf(holding, lease.gpus))),
    );
    const losers = new Set([...event.victims, ...shrunk.map((lease) => lease.job)]);
    this.#open.set(event.job, { victims: losers, disturbed: false });
    if (moves.length > 0) this.#add(this.#judgeMoves(world, event, state, now));
    else if (!isSettled(world)) this.#add(judgeVictims(world, wish, victims));
    else this.#add(judgeClaim(world, { wish, choice, seats, victims }, this.#bounds, this.#earlier));
  }

  /** Only jobs that can be moved are moved [T9], for a job that could not start without it and can then. */
  #judgeMoves(world: World, { job, choice, seats, moves = [] }: JobClaimed, state: State, now: Instant): Finding[] {
    const rule = (what: string): Finding => ({ kind: "rule", what: `[T9] ${what}` });
    for (const no of moves) {
      const { spec, placedAt, leases } = state.jobs.get(no)!;
      const able = spec.preemptible && spec.checkpoint !== undefined && leases.length === 1;
      if (!able || leases[0]!.part !== undefined || now - placedAt < state.policy.minRuntimeMs)
        return [rule(`${spec.name} is moved and cannot`)];
    }
    const wish = world.wishes.find((each) => each.no === job)!;
    if (startable(world, wish) !== undefined) return [rule(`${wish.job} could start without any move`)];
    const moved = new Set<number>(moves);
    const after = { ...world, holdings: world.holdings.filter((each) => !moved.has(each.no)) };
    const option = optionsOf(world, wish).find(
      (each) => each.choice === choice && each.model === world.nodes[seats[0]!.node]!.model,
    )!;
    const bad = faultOfSeats(onceLeft(after), wish, option, seats);
    return bad === undefined ? [] : [{ kind: bad.kind, what: `[T9] ${wish.job}: ${bad.what}` }];
  }

  #dropped(job: JobNo, state: State): void {
    const open = this.#open.get(job);
    this.#open.delete(job);
    if (open?.disturbed === false) {
      this.#add([{ kind: "useless", what: `[T6] ${nameOf(state, job)} gives up what others were evicted for` }]);
    }
  }

  #evicts(job: JobNo, state: State): void {
    for (const open of this.#open.values()) if (open.victims.has(job)) return;
    this.#add([{ kind: "useless", what: `[T6] ${nameOf(state, job)} is evicted and no job claims its seat` }]);
  }

  /** After each batch that changed which jobs run. */
  changed(state: State, now: Instant): void {
    if (this.findings.length > 0) return;
    const world = worldOf(state, now, this.starts);
    this.#add(judgeHoldings(world));
    const signature = signatureOf(world);
    if (this.#seen.has(signature)) this.#add([{ kind: "livelock", what: "[T10] the same jobs run as before" }]);
    this.#seen.add(signature);
  }

  /** When nothing more happens at this instant. */
  rest(state: State, now: Instant): void {
    if (this.findings.length > 0) return;
    const leaving = [...state.jobs.values()].some((job) => job.state === "stopping");
    for (const [job, open] of this.#open) {
      // A job that leaves for another claim may still hold the quota that this claim needs.
      if (leaving || open.disturbed) continue;
      this.#add([
        { kind: "useless", what: `[T7] the victims of ${nameOf(state, job)} are gone and it does not start` },
      ]);
    }
    const world = worldOf(state, now, this.starts);
    for (const job of state.jobs.values()) this.#add(splitOf(world, job));
    for (const [job, at] of plannedIn(state, this.starts)) if (at <= now) this.#add(overdue(world, job));
    if (isSettled(world)) this.#add(judgeRest(world, this.#bounds));
  }

  /** An attempt is over: the end of its last member is in the state already. */
  #left(no: JobNo, outcome: string | undefined, state: State): void {
    const { stopCause, done } = state.jobs.get(no)!;
    const asked = stopCause === "preempt" || stopCause === "move" || stopCause === "drain" || stopCause === "budget";
    this.#add(judgeLeft({ job: nameOf(state, no), asked, done: done === true, outcome }));
  }

  #add(faults: readonly (Fault | Finding)[]): void {
    this.findings.push(...faults);
  }
}

/** Whether a job still waits although its planned seats are free by now [B1]. */
function overdue(world: World, { no, spec }: Job): Finding[] {
  const wish = world.wishes.find((each) => each.no === no);
  if (wish === undefined || startable(world, wish) === undefined) return [];
  return [{ kind: "rule", what: `[B1] ${spec.name} is planned for now and could start` }];
}

/** Whether a gang runs in part, or not in one place where it must. */
function splitOf(world: World, { spec, state, leases, exitCode }: Job): Finding[] {
  // Members that are done have left.
  if (state === "stopping" || leases.length === 0 || exitCode !== undefined) return [];
  const { name, members, topology } = spec;
  const gang = (what: string): Finding[] => [{ kind: "gang", what: `${what} of ${name}` }];
  if (leases.length < members.min) return gang(`[P1] ${leases.length} of ${members.min}`);
  const nodes = leases.map((lease) => lease.node as number);
  if (members.apart && new Set(nodes).size < nodes.length) return gang("[P1] two members share a node");
  if (topology?.required !== true) return [];
  const level = levels.find((each) => each === topology.level)!;
  const places = new Set(nodes.map((node) => domainOf(world, node, level)));
  return places.size > 1 ? gang(`[P2] members in ${places.size} places of level ${level}`) : [];
}

/** Whether one job of an account goes before another [O3]. */
function isAhead(a: Job, b: Job): boolean {
  if (a.account !== b.account) return false;
  return a.spec.priority !== b.spec.priority ? a.spec.priority > b.spec.priority : a.no < b.no;
}

function isOf({ seats }: Holding, gpus: readonly number[]): boolean {
  return seats.some((seat) => seat.gpus.every((gpu, i) => gpu === gpus[i]));
}

function nameOf(state: State, job: JobNo): string {
  return state.jobs.get(job)?.spec.name ?? `job ${job}`;
}

/**
 * Which jobs run, with their cover, which leave, and for which jobs seats are held. Places are left out: an exchange of
 * seats is a repetition too.
 */
function signatureOf(world: World): string {
  const running = world.holdings.map(({ job, cover, leaving }) => `${job}/${cover}${leaving ? "-" : ""}`);
  return [...running, ...world.holds.map(({ job }) => `${job}+`)].sort().join(" ");
}
