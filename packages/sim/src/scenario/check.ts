import {
  type AlternativeTerms,
  alternativesFor,
  type Outlook as CoreOutlook,
  durationText,
  expected,
  type Instant,
  isRefusal,
  type Job,
  type JobId,
  jobsAheadOf,
  type Refusal,
  type Rehearsal,
  reasonFor,
  type State,
  startBand,
  unitsPerGpu,
  unmadeById,
} from "@tessera/core";
import { fieldOf } from "@tessera/server";
import type { Expect, PlaceLevel, ScenarioJob, Start } from "./scenario.ts";

/** What an expectation can be compared with. */
export interface Outlook {
  readonly state: State;
  readonly now: Instant;
  /** Instants of the scenario count from here. */
  readonly startAt: Instant;
  /** Every name submitted so far, with its id; a refused one has no live job. */
  readonly ids: ReadonlyMap<string, JobId>;
  /** The names of each group of `count` or `array`. */
  readonly groups: ReadonlyMap<string, readonly string[]>;
  /** The status of jobs that will not run any more: refused or ended. */
  readonly over: ReadonlyMap<string, string>;
  /** Jobs evicted since the last expectation. */
  readonly evicted: ReadonlySet<string>;
  /** What would happen to a job if it were submitted now. */
  readonly rehearse: (job: ScenarioJob) => Rehearsal | Refusal;
  /** Whether the engine offers an isolation. */
  readonly offers: AlternativeTerms["offers"];
}

/** One expectation that is not met. */
export interface Miss {
  readonly what: string;
  readonly expected: unknown;
  readonly got: unknown;
}

/** What an account's jobs hold: the core's usage without the seats that are held for claimants. */
function unitsUsed(state: State, path: string): number {
  const account = state.accountByPath.get(path)!;
  let units = state.usage[account.no]!.units;
  for (const { account: owner, state: standing, claim } of state.claimants) {
    const inside = `${state.accounts[owner]!.path}/`.startsWith(`${path}/`);
    if (standing !== "waiting" || !inside) continue;
    for (const { gpus, part } of claim!.seats) units -= part?.compute ?? claim!.unitsEach * gpus.length;
  }
  return units;
}

/** Each part of `expect` that is not met. */
export function missesOf(expect: Expect, outlook: Outlook): Miss[] {
  const { state, evicted } = outlook;
  const running = [...outlook.ids.keys()].filter((name) => isRunning(jobOf(outlook, name)));
  const compared: Miss[] = [];
  const compare = (what: string, expected: unknown, got: unknown) => compared.push({ what, expected, got });
  const inGroup = (group: string, names: Iterable<string>) => {
    const members = new Set(outlook.groups.get(group));
    return [...names].filter((name) => members.has(name)).length;
  };
  if (expect.running !== undefined) compare("running", sorted(expect.running), sorted(running));
  for (const { job, kind } of expect.waiting ?? []) compare(`waiting.${job}`, kind, waitingKind(outlook, job));
  for (const job of expect.never ?? []) compare(`never.${job}`, "never", neverOr(outlook, job));
  for (const { job, outcome } of expect.ended ?? [])
    compare(`ended.${job}`, `ended (${outcome})`, statusOf(outlook, job));
  if (expect.evicted !== undefined) compare("evicted", sorted(expect.evicted), sorted(evicted));
  for (const { group, count } of expect.evictedOf ?? []) compare(`evicted_of.${group}`, count, inGroup(group, evicted));
  for (const { group, count } of expect.runningOf ?? []) compare(`running_of.${group}`, count, inGroup(group, running));
  for (const { account, units } of expect.usage ?? []) {
    compare(`usage.${account}`, units / unitsPerGpu, unitsUsed(state, account) / unitsPerGpu);
  }
  for (const { job, class: expected } of expect.class ?? []) {
    const live = jobOf(outlook, job);
    compare(
      `class.${job}`,
      expected,
      live !== undefined && live.leases.length > 0 ? live.class : statusOf(outlook, job),
    );
  }
  for (const { job, level, are } of expect.on ?? []) {
    const live = jobOf(outlook, job);
    const places = live === undefined || live.leases.length === 0 ? undefined : placesOf(state, live, level);
    const got = places ?? statusOf(outlook, job);
    const expected = typeof are === "number" ? are : sorted(are);
    compare(`on.${job}.${level}`, expected, typeof are === "number" && places !== undefined ? places.length : got);
  }
  compareForecasts(expect, outlook, compare);
  return compared.filter(({ expected, got }) => JSON.stringify(expected) !== JSON.stringify(got));
}

/** What users see about jobs that wait, or that they might submit [W1, W2, W3, W4]. */
function compareForecasts(
  expect: Expect,
  outlook: Outlook,
  compare: (what: string, expected: unknown, got: unknown) => void,
): void {
  const { state, now, startAt } = outlook;
  for (const { job, starts, evicts } of expect.would ?? []) {
    const rehearsal = outlook.rehearse(job);
    const found = isRefusal(rehearsal) ? undefined : rehearsal.outlook;
    const got = isRefusal(rehearsal) ? `refused (${rehearsal.refused})` : startText(rehearsal.outlook, startAt);
    compare(`would.${job.name}.starts`, starts, got);
    if (evicts === undefined) continue;
    const leaving = found?.when === "now" ? found.displaced.map((each) => nameOf(outlook, each.job)) : [];
    compare(`would.${job.name}.evicts`, sorted(evicts), sorted(leaving));
  }
  for (const { job, of, class: as, count } of expect.ahead ?? []) {
    compare(
      `ahead.${job}.${of}.${as}`,
      count,
      ifWaiting(outlook, job, (live) => jobsAheadOf(state, live)[of][as]),
    );
  }
  for (const { job, changes } of expect.sooner ?? []) {
    const expectedTexts = changes.map(({ field, value, starts }) => `${field}: ${value}, starts ${starts}`);
    compare(
      `sooner.${job}`,
      expectedTexts,
      ifWaiting(outlook, job, (live) => changesFor(outlook, live)),
    );
  }
  for (const { job, starts } of expect.eta ?? []) {
    const got = ifWaiting(outlook, job, (live) => startText(expected(state, live, now), startAt));
    compare(`eta.${job}`, starts, got);
  }
  for (const { job, between } of expect.likely ?? []) {
    const got = ifWaiting(outlook, job, (live) => {
      const band = startBand(state, live, now);
      return band === undefined ? "unknown" : [band.p50, band.p90].map((at) => durationText(at - startAt));
    });
    compare(`likely.${job}`, between, got);
  }
}

/** The answer for a job that waits; for any other job its status. */
function ifWaiting<Answer>(outlook: Outlook, name: string, answer: (job: Job) => Answer): Answer | string {
  const job = jobOf(outlook, name);
  return job?.state === "waiting" ? answer(job) : statusOf(outlook, name);
}

/** The changes with which a job would start sooner, as the job file writes them. */
function changesFor(outlook: Outlook, job: Job): string[] {
  const { state, now, startAt, offers } = outlook;
  const found = alternativesFor(state, job, now, expected(state, job, now), { offers, mayRaise: true });
  return found.map(({ field, spec, outlook: then }) => {
    return `${field}: ${fieldOf(spec, field)}, starts ${startText(then, startAt)}`;
  });
}

function startText(outlook: CoreOutlook, startAt: Instant): Start {
  return outlook.when === "later" ? durationText(outlook.at - startAt) : outlook.when;
}

function nameOf({ ids }: Outlook, { id }: Job): string {
  return [...ids].find(([, known]) => known === id)?.[0] ?? id;
}

function sorted(names: Iterable<string>): string[] {
  return [...new Set(names)].sort();
}

function jobOf({ state, ids }: Outlook, name: string): Job | undefined {
  const id = ids.get(name)!;
  return state.jobById.get(id) ?? unmadeById(state, id);
}

/** It holds its seats and is not stopping. */
function isRunning(job: Job | undefined): boolean {
  return job?.state === "starting" || job?.state === "running";
}

function waitingKind(outlook: Outlook, name: string): string {
  const job = jobOf(outlook, name);
  return job?.state === "waiting" ? reasonFor(outlook.state, job, outlook.now).kind : statusOf(outlook, name);
}

/** A job that asks for something that is not built yet is refused too, but not because it can never fit. */
function neverOr(outlook: Outlook, name: string): string {
  const status = outlook.over.get(name);
  if (status?.startsWith("refused (") && !status.startsWith("refused (unsupported")) return "never";
  return waitingKind(outlook, name);
}

/** The status of a job, in words. */
function statusOf(outlook: Outlook, name: string): string {
  const job = jobOf(outlook, name);
  if (job === undefined) return outlook.over.get(name) ?? "unknown";
  return job.state === "waiting" ? `waiting (${waitingKind(outlook, name)})` : job.state;
}

function placesOf(state: State, job: Job, level: PlaceLevel): string[] {
  const nodes = job.leases.map((lease) => state.fleet.node(lease.node).facts);
  switch (level) {
    case "nodes":
      return sorted(nodes.map((node) => node.name));
    case "racks":
      return sorted(nodes.map((node) => node.place.rack));
    case "blocks":
      return sorted(nodes.map((node) => node.place.block));
    case "zones":
      return sorted(nodes.map((node) => node.place.zone));
  }
}
