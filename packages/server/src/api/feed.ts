import {
  type AccountNo,
  type ArrayAsk,
  type BudgetReached,
  durationText,
  type Event,
  elementAt,
  elementsOf,
  type Instant,
  type Job,
  type JobIdle,
  type JobLabelled,
  type JobNo,
  moneyText,
  type NodeFacts,
  type NodeNo,
  nodeName,
  parseLeaseId,
  type ReadonlyState,
  shareText,
} from "@tessera/core";
import type { FeedEntry } from "@tessera/wire";
import type { ControlPlane } from "../flow/control.ts";
import { eventsOf } from "../flow/write/recover.ts";
import { timestamp } from "../render/quantities.ts";

/** Something that happened, as it is kept: put into words only when someone reads it. */
export interface FeedItem {
  /** Counts up; the place in the feed. */
  readonly place: number;
  readonly event: Event;
  readonly subject: string;
  /** Of a job: what people call it. */
  readonly name?: string;
  /** Account path; empty for the fleet, which every signed-in user may see. */
  readonly account: string;
}

interface NamedJob {
  readonly id: string;
  readonly name: string;
  readonly account: string;
}

/** What the numbers in an event stand for. */
interface Names {
  job(no: JobNo): NamedJob | undefined;
  jobById(id: string): NamedJob | undefined;
  account(no: AccountNo): string | undefined;
  node(no: NodeNo): string | undefined;
  newNode(facts: NodeFacts): string;
}

const keptMax = 10_000;
/** What happened to nodes, engines and pools is kept longer: jobs would push it out within minutes. */
const fleetKeptMax = 20_000;
const rowsReadBack = 500;

/** The latest events, in memory: enough to see what just happened. The journal has them all. */
export class Feed {
  /** In order of their places. Before `#wholeFrom` only those of the fleet. */
  #items: FeedItem[] = [];
  #wholeFrom = 1;
  #fleetSince: Instant = 0;
  #next = 1;
  #seq = 0;
  readonly #heard = new Set<() => void>();
  readonly stop: () => void;

  constructor(control: ControlPlane) {
    const names = namesIn(control.state);
    this.stop = control.follow({
      before: (event) => this.#add(event, names),
      after: (batch) => {
        this.#seq = batch.seq;
        for (const listener of this.#heard) listener();
      },
    });
  }

  /** Starts with the end of the journal, as far as names can still be found for its numbers. */
  static async load(control: ControlPlane): Promise<Feed> {
    const feed = new Feed(control);
    const { seq } = await control.reader.head();
    feed.#fleetSince = control.now();
    const rows = await control.reader.rows(Math.max(1, seq - rowsReadBack + 1), rowsReadBack);
    const events = rows.flatMap((row) => eventsOf(row.events));
    const live = feed.#items.splice(0);
    const names = namesOf(events, control.state);
    if (rows[0] !== undefined) feed.#fleetSince = rows[0].seq === 1 ? 0 : rows[0].at;
    for (const event of events) feed.#add(event, names);
    for (const item of live) feed.#items.push({ ...item, place: feed.#next++ });
    feed.#seq = Math.max(feed.#seq, seq);
    return feed;
  }

  /** The last batch that the replica holds. */
  get seq(): number {
    return this.#seq;
  }

  /** The place that the next entry will take. */
  get end(): number {
    return this.#next;
  }

  /** From when on everything that happened to the fleet is here. */
  get fleetSince(): Instant {
    return this.#fleetSince;
  }

  /** Newest first, from before `place`. */
  *newest(place = this.#next): Generator<FeedItem> {
    for (let i = this.#indexOf(place) - 1; i >= 0; i--) yield this.#items[i]!;
  }

  /** Oldest first, from `place` on; undefined when some of them are no longer kept. */
  since(place: number): FeedItem[] | undefined {
    return place < this.#wholeFrom ? undefined : this.#items.slice(this.#indexOf(place));
  }

  /** Where the first item at or after a place lies. */
  #indexOf(place: number): number {
    let [from, to] = [0, this.#items.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if (this.#items[middle]!.place < place) from = middle + 1;
      else to = middle;
    }
    return from;
  }

  /** Tells when there may be something new. */
  onNew(listener: () => void): () => void {
    this.#heard.add(listener);
    return () => this.#heard.delete(listener);
  }

  #add(event: Event, names: Names): void {
    const about = subjectOf(event, names);
    if (about === undefined) return;
    this.#items.push({ place: this.#next++, event, ...about });
    if (this.#items.length > 2 * keptMax + fleetKeptMax) this.#trim();
  }

  #trim(): void {
    const recent = this.#items.slice(-keptMax);
    const ofFleet = this.#items.slice(0, -keptMax).filter(({ account }) => account === "");
    const kept = ofFleet.slice(-fleetKeptMax);
    if (kept.length < ofFleet.length) this.#fleetSince = kept[0]!.event.at;
    this.#wholeFrom = recent[0]!.place;
    this.#items = [...kept, ...recent];
  }
}

function namesIn(state: ReadonlyState): Names {
  const named = (job: Pick<Job, "id" | "account" | "spec"> | undefined) =>
    job && { id: job.id, name: job.spec.name, account: state.accounts[job.account]!.path };
  return {
    job: (no) => named(state.jobs.get(no) ?? state.arrays.get(no)),
    jobById: (id) => named(state.jobById.get(id as never) ?? state.arrayById.get(id as never)),
    account: (no) => state.accounts[no]?.path,
    node: (no) => {
      const node = state.fleet.nodes[no];
      return node && nodeName(state.fleet, node);
    },
    newNode: (facts) => nodeName(state.fleet, { facts }),
  };
}

/** Names for events of the past: what the events themselves introduce, else what is still live. */
function namesOf(events: readonly Event[], state: ReadonlyState): Names {
  const live = namesIn(state);
  const jobs = new Map<JobNo, NamedJob>();
  const byId = new Map<string, NamedJob>();
  /** Their elements are named when an event is about them: there may be very many. */
  const arrays: (NamedJob & { readonly no: JobNo; readonly array: ArrayAsk })[] = [];
  for (const event of events) {
    if (event.kind === "job-edited" && event.as !== undefined) {
      const known = jobs.get(event.job);
      if (known !== undefined) jobs.set(event.as, known);
    }
    if (event.kind !== "job-submitted") continue;
    const account = live.account(event.account);
    if (account === undefined) continue;
    const job = { id: event.id, name: event.spec.name, account };
    jobs.set(event.job, job);
    byId.set(event.id, job);
    if (event.spec.array !== undefined) arrays.push({ ...job, no: event.job, array: event.spec.array });
  }
  const elementByNo = (no: JobNo) => {
    const of = arrays.find((each) => no > each.no && no <= each.no + elementsOf(each.array));
    return of && { id: `${of.id}.${elementAt(of.array, no - of.no - 1)}`, name: of.name, account: of.account };
  };
  const elementById = (id: string) => {
    const of = byId.get(id.slice(0, Math.max(0, id.lastIndexOf("."))));
    return of && { id, name: of.name, account: of.account };
  };
  return {
    ...live,
    job: (no) => jobs.get(no) ?? elementByNo(no) ?? live.job(no),
    jobById: (id) => byId.get(id) ?? elementById(id) ?? live.jobById(id),
  };
}

/** Who or what an event is about; undefined for what is no news, or belongs to the audit. */
function subjectOf(event: Event, names: Names): Pick<FeedItem, "subject" | "name" | "account"> | undefined {
  switch (event.kind) {
    case "node-added":
      return { subject: names.newNode(event.facts), account: "" };
    case "node-changed":
    case "maintenance-planned":
    case "node-removed": {
      const node = names.node(event.node);
      return node === undefined ? undefined : { subject: node, account: "" };
    }
    case "engine-changed":
    case "engine-reached":
      return { subject: event.engine, account: "" };
    case "pool-changed":
      return { subject: event.pool, account: "" };
    case "account-created":
      return { subject: event.path, account: event.path };
    case "account-edited":
    case "account-deleted":
    case "secret-changed":
    case "volume-changed": {
      const path = names.account(event.account);
      return path === undefined ? undefined : { subject: path, account: path };
    }
    case "lease-scrubbed":
    case "lease-reshaped":
    case "lease-prepared":
    case "lease-started":
    case "lease-stopping":
    case "lease-ended": {
      const job = names.jobById(parseLeaseId(event.lease)?.job ?? "");
      return job && { subject: job.id, name: job.name, account: job.account };
    }
    case "job-submitted": {
      const account = names.account(event.account);
      return account === undefined ? undefined : { subject: event.id, name: event.spec.name, account };
    }
    case "job-held":
    case "job-entered":
    case "job-idle":
    case "job-edited":
    case "job-labelled":
    case "job-planned":
    case "plan-dropped":
    case "job-placed":
    case "job-grown":
    case "job-requeued":
    case "job-claimed":
    case "claim-dropped":
    case "job-classed":
    case "own-budget-spent":
    case "job-ended": {
      const job = names.job(event.job);
      return job && { subject: job.id, name: job.name, account: job.account };
    }
    case "budget-set":
      return { subject: event.budget.account, account: event.budget.account };
    case "budget-dropped":
    case "budget-reached":
    case "budget-foreseen":
      return { subject: event.account, account: event.account };
    case "credit-reached":
    case "tenant-billed":
    case "invoice-issued":
      return { subject: event.tenant, account: event.tenant };
    default:
      return undefined;
  }
}

export function renderFeedItem({ event, subject, name, account }: FeedItem): FeedEntry {
  const at = timestamp(event.at);
  return { at, kind: event.kind, subject, ...(name !== undefined && { name }), account, text: wordsOf(event) };
}

function wordsOf(event: Event): string {
  switch (event.kind) {
    case "node-added":
      return `joined with ${event.facts.gpus.length} GPUs`;
    case "node-changed":
      return event.reason === "" ? `is ${event.mode}` : `is ${event.mode}: ${event.reason}`;
    case "maintenance-planned":
      return event.windows.length === 0
        ? "has no planned maintenance any more"
        : `will be in maintenance from ${timestamp(event.windows[0]!.from)} to ${timestamp(event.windows[0]!.to)}`;
    case "node-removed":
      return "left the fleet";
    case "engine-changed":
      if (event.terms === undefined) return "engine has left";
      return event.leaving ? "engine leaves when what runs there has ended" : "engine was set";
    case "engine-reached":
      return event.away === undefined ? "engine is within reach" : `engine is out of reach: ${event.away}`;
    case "pool-changed":
      return event.terms === undefined ? "pool was deleted" : "pool was set";
    case "account-created":
      return "was created";
    case "account-edited":
      return "was edited";
    case "account-deleted":
      return "was deleted";
    case "secret-changed":
      return `secret ${event.name} was ${event.present ? "set" : "deleted"}`;
    case "volume-changed":
      return `volume ${event.name} was ${event.volume === undefined ? "deleted" : "made"}`;
    case "job-submitted":
      return `${event.spec.name} was submitted`;
    case "job-held":
      return event.held ? "is held" : "was released";
    case "job-entered":
      return `rank ${event.rank} was entered by ${event.user} (${entryWords[event.how]})`;
    case "job-idle":
      return idleText(event);
    case "job-edited":
      return `was edited${event.as === undefined ? "" : ", and goes behind the jobs that waited then: it asks for more"}`;
    case "job-labelled":
      return labelledText(event);
    case "job-planned":
      return `is planned to start at ${timestamp(event.startsAt)}`;
    case "plan-dropped":
      return "has no planned start any more";
    case "job-placed":
      return `attempt ${event.attempt} is placed with ${event.seats.length} ${event.seats.length === 1 ? "member" : "members"} as ${event.class}`;
    case "job-grown":
      return `grows by ${event.seats.length} ${event.seats.length === 1 ? "member" : "members"}`;
    case "lease-scrubbed":
      return `${rankOf(event.lease)}: its GPUs were cleared first (${event.how})`;
    case "lease-reshaped":
      return `${rankOf(event.lease)}: its GPUs were divided for it (${event.how})`;
    case "lease-prepared":
      return `${rankOf(event.lease)} is prepared`;
    case "lease-started":
      return `${rankOf(event.lease)} runs`;
    case "lease-stopping":
      return `${rankOf(event.lease)} is asked to stop (${event.cause}): ${event.signal}, then ${durationText(event.graceMs)}${reasonOf(event.why)}`;
    case "lease-ended":
      return `${rankOf(event.lease)} ended: ${event.result}${event.exitCode === undefined ? "" : `, code ${event.exitCode}`}${event.done === true ? ", its work is done" : ""}${event.reason === undefined ? "" : ` (${event.reason})`}`;
    case "job-requeued":
      return `waits again as attempt ${event.attempt}: ${requeueWords[event.cause]}`;
    case "job-claimed":
      return `room is being made for ${event.seats.length} ${event.seats.length === 1 ? "member" : "members"}`;
    case "claim-dropped":
      return `room is no longer being made: ${event.reason}`;
    case "job-classed":
      return `is ${event.class} now`;
    case "job-ended":
      return `${event.outcome}${event.exitCode === undefined ? "" : `, code ${event.exitCode}`}${event.reason === undefined ? "" : `: ${event.reason}`}`;
    case "own-budget-spent":
      return "has used up its own budget";
    case "budget-set":
      return "has a budget";
    case "budget-dropped":
      return "has no budget any more";
    case "budget-reached":
      return reachedText(event);
    case "budget-foreseen":
      return event.over ? `will spend more than its budget${whenSpent(event.spentAt)}` : "will stay within its budget";
    case "credit-reached":
      return event.reached ? "has used up its credit: burst jobs are stopped" : "has credit again";
    case "tenant-billed":
      return `is billed by ${event.mode}`;
    case "invoice-issued":
      return `has invoice ${event.number} for ${event.period.label}: ${moneyText(BigInt(event.totalMicros), event.currency)}`;
    default:
      return event.kind;
  }
}

const requeueWords: Readonly<Record<Extract<Event, { kind: "job-requeued" }>["cause"], string>> = {
  failed: "the attempt failed",
  node_lost: "its node was lost",
  node_fault: "its node is faulty",
  neighbour_fault: "a job on the same GPU broke it",
  preempted: "it was preempted",
  moved: "it was moved",
  drain: "its node is drained",
  budget: "a budget is spent",
  refused: "the engine refused it",
  suspended: "it was suspended",
  requeued: "its user sent it back",
};

const entryWords = { exec: "a command", terminal: "a terminal", port: "a port", page: "a page" } as const;

function reachedText({ perMille, stop }: BudgetReached): string {
  const then = stop === "none" || stop === "alert" ? "" : ` (${stop})`;
  return `has spent ${perMille / 10} % of its budget${then}`;
}

export function idleText({ since, activity, below, actsAt, does }: JobIdle): string {
  const seen = `its GPUs are below ${shareText(below)} since ${timestamp(since)} (measured at most ${shareText(activity)})`;
  return does === "notify"
    ? seen
    : `${seen}; it is ${does === "stop" ? "stopped" : "suspended"} at ${timestamp(actsAt)}`;
}

function whenSpent(at: number | undefined): string {
  return at === undefined ? "" : `, which is spent at ${timestamp(at)}`;
}

function reasonOf(why: string | undefined): string {
  return why === undefined ? "" : `; ${why}`;
}

function rankOf(lease: string): string {
  return `rank ${parseLeaseId(lease)?.rank ?? "?"}`;
}

function labelledText({ set = {}, drop = [] }: JobLabelled): string {
  const added = Object.entries(set).map(([key, value]) => `${key}=${value}`);
  const parts = [
    ...(added.length > 0 ? [`was labelled ${added.join(", ")}`] : []),
    ...(drop.length > 0 ? [`lost the label ${drop.join(", ")}`] : []),
  ];
  return parts.join(" and ");
}
