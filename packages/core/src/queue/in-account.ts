import type { AccountOrder } from "../model/account.ts";
import type { Job } from "../model/job.ts";
import { day, hour, type Instant, minute, second, unitsPerGpu } from "../model/units.ts";

/** Order inside one account [O3]: higher priority, then as the account chose, then older. */
export function before(a: Job, b: Job, order: AccountOrder, now: Instant): boolean {
  if (a.spec.priority !== b.spec.priority) return a.spec.priority > b.spec.priority;
  const key = order === "age" ? 0 : keyOf(a, order, now) - keyOf(b, order, now);
  // A requeued job keeps its number, hence its place.
  return key !== 0 ? key < 0 : a.no < b.no;
}

function keyOf(job: Job, order: Exclude<AccountOrder, "age">, now: Instant): number {
  return order === "aged-shortest" ? agedTime(job, now) : attainedUnitMs(job);
}

/** GPU time of the attempts that are over; what never ran has none. */
export function attainedUnitMs(job: Job): number {
  let unitMs = 0;
  for (const { seats, startedAt, endedAt } of job.attempts) {
    if (startedAt === 0) continue;
    for (const { gpus, part } of seats) unitMs += (part?.compute ?? unitsPerGpu) * gpus.length * (endedAt - startedAt);
  }
  return unitMs;
}

/** What a job that declares no run time is taken to need: it goes behind those that say. */
const undeclaredMs = 7 * day;
/** Shorter than this makes no difference: it would only invite small lies. */
const shortestMs = 10 * minute;
/** So much waiting counts as much as asking for half the time. */
const halvingMs = 16 * hour;
/** Fixed point: logarithms are counted in these parts of one. */
const logParts = 65_536;

/**
 * log2 of the declared time, plus 0.45 of that of the GPUs, less the waiting, which weighs a little less for more GPUs:
 * the weights that did best on real traces. Every step is exact or correctly rounded, hence the same on any machine.
 */
function agedTime({ spec, submittedAt }: Job, now: Instant): number {
  const ms = Math.max(shortestMs, spec.maxTimeMs ?? undeclaredMs);
  const { count, unitsEach } = spec.gpus[0]!;
  const gpus = Math.max(1, Math.ceil((count * unitsEach * spec.members.min) / unitsPerGpu));
  const size = log2(Math.ceil(ms / second)) + Math.floor((log2(gpus) * 45) / 100);
  const waited = Math.max(0, now - submittedAt) / halvingMs;
  return size - Math.floor((waited * logParts * 1_000) / tenthRoot(gpus));
}

/** log2 of a whole number in parts of one, rounded down; by squaring, since Math.log2 may differ between machines. */
function log2(value: number): number {
  let whole = 0;
  let rest = value;
  for (; rest >= 2; rest /= 2) whole++;
  let parts = 0;
  for (let bit = logParts / 2; bit >= 1; bit /= 2) {
    rest *= rest;
    if (rest < 2) continue;
    rest /= 2;
    parts += bit;
  }
  return whole * logParts + parts;
}

const roots = new Map<number, number>();

/** The tenth root of a whole number in thousandths, rounded up. */
function tenthRoot(value: number): number {
  const known = roots.get(value);
  if (known !== undefined) return known;
  let root = 1_000;
  while (tenthPower(root / 1_000) < value) root++;
  roots.set(value, root);
  return root;
}

function tenthPower(value: number): number {
  const squared = value * value;
  const fourth = squared * squared;
  return fourth * fourth * squared;
}
