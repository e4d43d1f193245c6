import { accountOf, type EndOf, endOf, type Instant, type Job, modelsFor, type State } from "@tessera/core";
import type { Job as WireJob } from "@tessera/wire";
import type { StoreReader } from "../store/port.ts";

/** What is learned from: so many jobs of each name, so many names, newest first. */
const jobsPerName = 25;
const namesMax = 12;
const waitsRead = 100;
/** Fewer than this tell nothing. */
const samplesMin = 3;

/** How long jobs of one user, account and name took, shortest first. */
type Spans = readonly number[];

export interface LearnedEnds {
  readonly p50: EndOf;
  readonly p90: EndOf;
  readonly samples: number;
}

/** When what holds the GPUs a job could use, and says no limit, will end if it goes as it went before. */
export async function learnEnds(reader: StoreReader, state: State, job: Job): Promise<LearnedEnds | undefined> {
  const models = new Set(job.spec.gpus.flatMap((_, choice) => modelsFor(state, job, choice)));
  const gpusOf = new Map<string, number>();
  const someOf = new Map<string, Job>();
  for (const jobs of state.active.values()) {
    for (const other of jobs) {
      const gpu = other.leases[0]?.gpus[0];
      if (gpu === undefined || other.spec.maxTimeMs !== undefined || !models.has(state.fleet.gpuModel[gpu]!)) continue;
      const key = keyOf(other);
      someOf.set(key, other);
      gpusOf.set(key, (gpusOf.get(key) ?? 0) + other.leases.reduce((sum, { gpus }) => sum + gpus.length, 0));
    }
  }
  const largest = [...gpusOf].sort((a, b) => b[1] - a[1]).slice(0, namesMax);
  const spans = new Map<string, Spans>();
  for (const [key] of largest) spans.set(key, await runTimes(reader, state, someOf.get(key)!));
  const samples = [...spans.values()].reduce((sum, each) => sum + each.length, 0);
  if (samples === 0) return undefined;
  const at =
    (part: number): EndOf =>
    (live, other, now) => {
      const known = endOf(live, other, now);
      if (known !== undefined) return known;
      const since = other.startedAt > 0 ? other.startedAt : other.placedAt;
      const span = quantileBeyond(spans.get(keyOf(other)) ?? [], now - since, part);
      return span === undefined ? undefined : since + span;
    };
  return { p50: at(0.5), p90: at(0.9), samples };
}

/** Between which instants a job starts if it waits as those of its name did; undefined where too few tell. */
export async function learnWait(
  reader: StoreReader,
  state: State,
  job: Job,
  now: Instant,
): Promise<{ p50: Instant; p90: Instant; samples: number } | undefined> {
  const docs = await endedLike(reader, state, job, waitsRead);
  const waits = sorted(docs.flatMap(({ submittedAt, startedAt }) => spanOf(submittedAt, startedAt)));
  const waited = now - job.submittedAt;
  if (waits.filter((each) => each > waited).length < samplesMin) return undefined;
  const at = (part: number) => job.submittedAt + quantileBeyond(waits, waited, part)!;
  return { p50: at(0.5), p90: at(0.9), samples: waits.length };
}

async function runTimes(reader: StoreReader, state: State, like: Job): Promise<Spans> {
  const docs = await endedLike(reader, state, like, jobsPerName);
  const ran = docs.filter(({ outcome }) => outcome === "succeeded" || outcome === "failed");
  const spans = sorted(ran.flatMap(({ startedAt, endedAt }) => spanOf(startedAt, endedAt)));
  return spans.length < samplesMin ? [] : spans;
}

/** Ended jobs of the same user, account and name, newest first. */
async function endedLike(reader: StoreReader, state: State, like: Job, limit: number): Promise<WireJob[]> {
  const { path } = accountOf(state, like.account);
  const rows = await reader.jobs({ accounts: [path], user: like.user, name: like.spec.name, limit });
  return rows.filter(({ account }) => account === path).map(({ doc }) => JSON.parse(doc) as WireJob);
}

function spanOf(from: string | undefined, to: string | undefined): number[] {
  return from === undefined || to === undefined ? [] : [Date.parse(to) - Date.parse(from)];
}

/** Of those that took longer than it has been already. */
function quantileBeyond(spans: Spans, already: number, part: number): number | undefined {
  const longer = spans.filter((each) => each > already);
  return longer[Math.ceil(part * longer.length) - 1];
}

function sorted(spans: number[]): number[] {
  return spans.sort((a, b) => a - b);
}

function keyOf({ account, user, spec }: Job): string {
  return `${account}|${user}|${spec.name}`;
}
