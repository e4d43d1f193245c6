import {
  hour,
  type Instant,
  type Job,
  jobCost,
  latestOf,
  openUsageOf,
  type ReadonlyState,
  tenantOfPath,
  type Usage,
} from "@tessera/core";
import type { JobCost } from "@tessera/wire";
import type { StoreReader } from "../../store/port.ts";
import { bookOf } from "./bill.ts";
import { windowsBetween } from "./periods.ts";

/** A job of which the cost is asked; `live` while it has not ended. */
export interface Costed {
  readonly id: string;
  readonly account: string;
  readonly live?: Job;
}

/** What a job has cost, what an hour of it costs as it runs now, and what it will have cost at its time limit. */
export interface JobCosts {
  readonly micros: bigint;
  readonly perHourMicros: bigint;
  readonly atEndMicros?: bigint;
}

/** What a job costs by the class it had: see `jobCost`. Undefined without a price list. */
export async function costOfJob(
  reader: Pick<StoreReader, "books">,
  state: ReadonlyState,
  costed: Costed,
  now: Instant,
): Promise<JobCosts | undefined> {
  const { account, live } = costed;
  if (state.books.versions.length === 0) return undefined;
  const usage = await usageOfJob(reader, state, costed, now);
  const next = live === undefined ? [] : goingOn(state, live, now, now + hour);
  const endAt = live === undefined ? undefined : limitOf(live);
  const rest = endAt === undefined ? [] : goingOn(state, live!, now, Math.max(now, endAt));
  const all = [...usage, ...next, ...rest];
  const from = Math.min(now, ...all.map(({ fromAt }) => fromAt));
  const to = Math.max(now, ...all.map(({ toAt }) => toAt));
  const book = bookOf(state);
  const windows = windowsBetween(book.versions, from, to);
  const costOf = (stretches: readonly Usage[]) => jobCost(stretches, tenantOfPath(account), book, windows);
  const micros = costOf(usage);
  return {
    micros,
    perHourMicros: costOf(next),
    ...(endAt !== undefined && { atEndMicros: micros + costOf(rest) }),
  };
}

/** What a job had come to by each of these instants, in their order; empty without a price list. */
export async function costOfJobBy(
  reader: Pick<StoreReader, "books">,
  state: ReadonlyState,
  costed: Costed,
  instants: readonly Instant[],
  now: Instant,
): Promise<bigint[]> {
  if (state.books.versions.length === 0) return [];
  const usage = await usageOfJob(reader, state, costed, now);
  const book = bookOf(state);
  const windows = windowsBetween(book.versions, Math.min(now, ...usage.map(({ fromAt }) => fromAt)), now);
  return instants.map((at) => {
    const until = usage.filter(({ fromAt }) => fromAt < at).map((each) => ({ ...each, toAt: Math.min(at, each.toAt) }));
    return jobCost(until, tenantOfPath(costed.account), book, windows);
  });
}

async function usageOfJob(
  reader: Pick<StoreReader, "books">,
  state: ReadonlyState,
  { id, live }: Costed,
  now: Instant,
): Promise<readonly Usage[]> {
  const never = live !== undefined && live.attempt === 1 && live.leases.length === 0;
  const rows = never ? [] : await reader.books({ kind: "usage", keyPrefix: `${id}-` });
  const open = live === undefined ? [] : openUsageOf(state, live, now);
  return latestOf([...rows.map(({ doc }) => JSON.parse(doc) as Usage), ...open]);
}

/** What its members would use from now on if they stayed as they are. */
function goingOn(state: ReadonlyState, job: Job, now: Instant, toAt: Instant): Usage[] {
  if (toAt <= now) return [];
  return openUsageOf(state, job, toAt).map((usage) => ({ ...usage, fromAt: now }));
}

/** When a running job reaches its time limit, or what its user expects. */
function limitOf({ spec, state, startedAt }: Job): Instant | undefined {
  const ms = spec.maxTimeMs ?? spec.expectedMs;
  return state === "waiting" || startedAt === 0 || ms === undefined ? undefined : startedAt + ms;
}

/** As the API shows it. */
export function renderJobCost(state: ReadonlyState, { micros, perHourMicros, atEndMicros }: JobCosts): JobCost {
  return {
    currency: state.books.versions.at(-1)!.currency,
    micros: String(micros),
    perHourMicros: String(perHourMicros),
    ...(atEndMicros !== undefined && { atEndMicros: String(atEndMicros) }),
  };
}
