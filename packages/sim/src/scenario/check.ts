import { type Instant, type Job, type JobId, reasonFor, type State, unitsPerGpu } from "@tessera/core";
import type { Expect, PlaceLevel } from "./scenario.ts";

/** What an expectation can be compared with. */
export interface Outlook {
  readonly state: State;
  readonly now: Instant;
  /** Every name submitted so far, with its id; a refused one has no live job. */
  readonly ids: ReadonlyMap<string, JobId>;
  /** Names by the group they were written as. */
  readonly groups: ReadonlyMap<string, readonly string[]>;
  /** How those stand that will not run any more. */
  readonly over: ReadonlyMap<string, string>;
  /** Who was evicted since the last expectation. */
  readonly evicted: ReadonlySet<string>;
}

/** One expectation that is not met. */
export interface Miss {
  readonly what: string;
  readonly expected: unknown;
  readonly got: unknown;
}

/** What an account's jobs hold: the core counts as well what is kept for those who wait for their victims to leave. */
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

/** Everything in `expect` that is not so. */
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
  return compared.filter(({ expected, got }) => JSON.stringify(expected) !== JSON.stringify(got));
}

function sorted(names: Iterable<string>): string[] {
  return [...new Set(names)].sort();
}

function jobOf({ state, ids }: Outlook, name: string): Job | undefined {
  return state.jobById.get(ids.get(name)!);
}

/** It holds its seats and is not on its way out. */
function isRunning(job: Job | undefined): boolean {
  return job?.state === "starting" || job?.state === "running";
}

function waitingKind(outlook: Outlook, name: string): string {
  const job = jobOf(outlook, name);
  return job?.state === "waiting" ? reasonFor(outlook.state, job, outlook.now).kind : statusOf(outlook, name);
}

/** A job that only asks for what is not built yet is refused too, but nobody found that it can never fit. */
function neverOr(outlook: Outlook, name: string): string {
  const status = outlook.over.get(name);
  if (status?.startsWith("refused (") && !status.startsWith("refused (unsupported")) return "never";
  return waitingKind(outlook, name);
}

/** How a job stands, in words. */
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
