import type { Event, Instant, JobClaimed, JobNo, JobPlaced, State } from "@tessera/core";
import {
  type Bounds,
  type Fault,
  judgeClaim,
  judgeHoldings,
  judgeRest,
  judgeStart,
  type World,
} from "@tessera/core/naive";
import { wishOf, worldOf } from "./world.ts";

/** What a trial can find. */
export interface Finding {
  readonly kind: Fault["kind"] | "livelock" | "threw";
  readonly what: string;
}

/** A claim that is not settled yet. */
interface Open {
  readonly victims: ReadonlySet<JobNo>;
  /** Something came from outside since, so that the claimant may have to wait after all. */
  disturbed: boolean;
}

/** Follows what the core decides and has each decision judged by the naive model. */
export class Watch {
  readonly findings: Finding[] = [];
  readonly #bounds: Bounds;
  readonly #open = new Map<JobNo, Open>();
  /** How it stood before each decision of this batch. */
  #earlier: World[] = [];
  /** The state of the fleet after each change since something last came from outside. */
  readonly #seen = new Set<string>();

  constructor(bounds: Bounds) {
    this.#bounds = bounds;
  }

  /** Something comes from outside; `disturbing` when it may be the reason why a claimant cannot start. */
  outside(disturbing: boolean): void {
    this.#seen.clear();
    if (disturbing) for (const open of this.#open.values()) open.disturbed = true;
  }

  /** A batch begins. */
  begin(): void {
    this.#earlier = [];
  }

  /** An event while the state is still without it. */
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
      case "lease-stopping":
        if (event.sequence === 0 && event.cause === "preempt") this.#evicts(state.leases.get(event.lease)!.job, state);
        return;
      case "job-ended":
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
    const before = worldOf(state, now);
    this.#earlier.push(before);
    const wish = before.wishes.find((each) => each.no === job.no) ?? wishOf(job);
    // What is kept for the job itself does not stand in its way.
    const world = claimed ? { ...before, holds: before.holds.filter((hold) => hold.job !== wish.job) } : before;
    const { choice, seats, cover } = event;
    this.#add(judgeStart(world, { wish, choice, seats, cover, claimed }, this.#bounds, this.#earlier));
  }

  #claim(event: JobClaimed, state: State, now: Instant): void {
    const world = worldOf(state, now);
    this.#earlier.push(world);
    const wish = world.wishes.find((each) => each.no === event.job);
    if (wish === undefined) {
      this.#add([{ kind: "rule", what: `job ${event.job} claims and does not wait` }]);
      return;
    }
    const taken = new Set<number>(event.victims);
    const victims = world.holdings.filter((holding) => taken.has(holding.no));
    const { choice, seats } = event;
    this.#open.set(event.job, { victims: new Set(event.victims), disturbed: false });
    this.#add(judgeClaim(world, { wish, choice, seats, victims }, this.#bounds, this.#earlier));
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
    this.#add([{ kind: "useless", what: `[T6] ${nameOf(state, job)} is evicted and nobody claims its seat` }]);
  }

  /** After each batch that changed who runs. */
  changed(state: State, now: Instant): void {
    if (this.findings.length > 0) return;
    const world = worldOf(state, now);
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
      // Whoever leaves for another claim may still hold the quota that this one needs.
      if (leaving || open.disturbed) continue;
      this.#add([
        { kind: "useless", what: `[T7] the victims of ${nameOf(state, job)} are gone and it does not start` },
      ]);
    }
    for (const job of state.jobs.values()) {
      if (job.state === "stopping" || job.leases.length === 0 || job.leases.length >= job.spec.members.min) continue;
      this.#add([
        { kind: "gang", what: `[P1] ${job.leases.length} of ${job.spec.members.min} of ${job.spec.name} run` },
      ]);
    }
    this.#add(judgeRest(worldOf(state, now), this.#bounds));
  }

  #add(faults: readonly (Fault | Finding)[]): void {
    this.findings.push(...faults);
  }
}

function nameOf(state: State, job: JobNo): string {
  return state.jobs.get(job)?.spec.name ?? `job ${job}`;
}

/** Who runs as what, who leaves and for whom room is kept; where is left out: an exchange of seats is one as well. */
function signatureOf(world: World): string {
  const running = world.holdings.map(({ job, cover, leaving }) => `${job}/${cover}${leaving ? "-" : ""}`);
  return [...running, ...world.holds.map(({ job }) => `${job}+`)].sort().join(" ");
}
