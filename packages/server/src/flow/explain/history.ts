import { accountOf, type Instant, type Job, type ReadonlyState, type StartBand } from "@tessera/core";
import type { Job as WireJob } from "@tessera/wire";
import type { StoreReader } from "../../store/port.ts";

/** The most jobs of its name to learn from, newest first. */
const waitsRead = 100;
/** Fewer than this tell nothing. */
const samplesMin = 3;

/** Between which instants a job starts if it waits as those of its name did; undefined where too few tell. */
export async function learnWait(
  reader: StoreReader,
  state: ReadonlyState,
  job: Job,
  now: Instant,
): Promise<StartBand | undefined> {
  const docs = await endedLike(reader, state, job, waitsRead);
  const waits = sorted(docs.flatMap(({ submittedAt, startedAt }) => spanOf(submittedAt, startedAt)));
  const waited = now - job.submittedAt;
  if (waits.filter((each) => each > waited).length < samplesMin) return undefined;
  const at = (part: number) => job.submittedAt + quantileBeyond(waits, waited, part)!;
  return { p50: at(0.5), p90: at(0.9), samples: waits.length };
}

/** Ended jobs of the same user, account and name, newest first. */
async function endedLike(reader: StoreReader, state: ReadonlyState, like: Job, limit: number): Promise<WireJob[]> {
  const { path } = accountOf(state, like.account);
  const rows = await reader.jobs({ accounts: [path], user: like.user, name: like.spec.name, limit });
  return rows.filter(({ account }) => account === path).map(({ doc }) => JSON.parse(doc) as WireJob);
}

function spanOf(from: string | undefined, to: string | undefined): number[] {
  return from === undefined || to === undefined ? [] : [Date.parse(to) - Date.parse(from)];
}

/** Of those that took longer than it has been already. */
function quantileBeyond(spans: readonly number[], already: number, part: number): number | undefined {
  const longer = spans.filter((each) => each > already);
  return longer[Math.ceil(part * longer.length) - 1];
}

function sorted(spans: number[]): number[] {
  return spans.sort((a, b) => a - b);
}
