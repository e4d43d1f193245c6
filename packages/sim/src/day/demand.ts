import { day, hour, type Instant, isRefusal, type JobSpec, type JobType, parseJob, type UserId } from "@tessera/core";
import { seededRandom } from "@tessera/engine-simulated";
import { followDemand, teamsOf } from "../scale/demand.ts";
import { syntheticDays } from "../scale/synthetic.ts";
import type { Arrival } from "../simulate/setting.ts";

/** GPUs asked for, as a part of the fleet: more than there are by day, fewer at night. */
const load = 0.9;
/** The median run time of a job. */
const medianMs = 180 * 60_000;
/** A team submits when it lacks this part of what a team has on average. */
const lackingOfTeam = 1 / 8;
const demandDays = 400;
/** So large a part of the jobs has a time limit, up to three times as long as they run. */
const withLimit = 0.7;

/** A tenant with its teams; the larger it is, the larger its guarantee. */
export interface Tenant {
  readonly path: string;
  readonly teams: readonly string[];
}

const names = ["vision", "speech", "language", "robotics", "search", "ads", "science", "platform"];

/** A few tenants for a small fleet, thirty for a large one; each has a team for every tenth of it. */
export function tenantsOf(gpus: number): Tenant[] {
  const count = Math.max(3, Math.min(30, Math.round(gpus / 500)));
  const teams = gpus >= 5_000 ? 8 : 3;
  return Array.from({ length: count }, (_, i) => {
    const path = `org${i + 1}`;
    return { path, teams: names.slice(0, teams).map((name) => `${path}/${name}`) };
  });
}

export const people = ["ana", "bo", "cy"];

function personOf(team: string, drawn: number): string {
  return `${team}/${people[Math.floor(drawn * people.length)]!}`;
}

export function userId(person: string): UserId {
  return `usr_${person.replaceAll("/", "")}` as UserId;
}

/** The jobs of some days, by the instant of submission. */
export function jobsOf(
  tenants: readonly Tenant[],
  gpus: number,
  { startAt, days }: { readonly startAt: Instant; readonly days: number },
  seed: number,
): Arrival[] {
  const random = seededRandom(seed);
  const paths = tenants.flatMap(({ teams }) => teams);
  const teams = teamsOf(paths, syntheticDays(demandDays, random), { days, gpus, load }, random);
  const atWork = teams.map(({ account, demand }) => ({ account, demand: fromClock(demand, days, startAt) }));
  const lackingMin = Math.max(1, Math.floor((gpus / paths.length) * lackingOfTeam));
  return followDemand(atWork, { startAt, days, medianMs, random, lackingMin }).map((arrival) => {
    const type = typeOf(arrival.spec, random());
    return { ...arrival, user: personOf(arrival.account, random()), spec: specOf(arrival, type, random()) };
  });
}

/** A table of whole days from the time of day at which the story begins, so that people work by day there too. */
function fromClock(demand: readonly number[], days: number, startAt: Instant): number[] {
  const first = Math.floor(((startAt % day) / (days * day)) * demand.length);
  return [...demand.slice(first), ...demand.slice(0, first)];
}

/** Gangs train; what holds one GPU is of every kind. */
function typeOf({ gpus, members }: JobSpec, drawn: number): JobType {
  if (gpus[0]!.count * members.min >= 8) return "train";
  return drawn < 0.15 ? "notebook" : drawn < 0.3 ? "service" : drawn < 0.6 ? "train" : "batch";
}

/** As its user would have written it; what it does is what the simulated members of a server can do too. */
function specOf({ name, spec, runMs }: Arrival, type: JobType, limited: number): JobSpec {
  const { gpus, members, checkpoint } = spec;
  const maxHours = Math.ceil((runMs / hour) * (1 + 2 * limited));
  const parsed = parseJob(
    {
      name: `${type}-${name.replace(/^job-/, "")}`,
      type,
      run: `sleep ${Math.ceil(runMs / 1_000)}`,
      gpus: `H100:${gpus[0]!.count}`,
      ...(members.min > 1 && { nodes: members.min }),
      ...(limited < withLimit && { max_time: `${maxHours}h` }),
      ...(type === "notebook" && { idle: { for: "1h", do: "notify" } }),
      ...(checkpoint !== undefined && { checkpoint: { every: "30m", grace: "1m" } }),
    },
    { after: [] },
  );
  if (isRefusal(parsed)) throw new Error(`${parsed.field} ${parsed.value} ${parsed.detail}`);
  return parsed;
}
