import { burstPrice, type PriceTerms, termsAt, type UnitPrice } from "../bill/cost.ts";
import { moneyText } from "../bill/money.ts";
import { versionAt } from "../bill/price.ts";
import type { Event } from "../journal/event.ts";
import type { GpuAsk, Job, JobSpec } from "../model/job.ts";
import type { Instant } from "../model/units.ts";
import { type State, tenantOf } from "../state/state.ts";
import { stopJob } from "./stop.ts";

/** A price that keeps a job from borrowing. */
export interface PriceHit {
  readonly model: string;
  readonly currency: string;
  /** Of an hour of one whole GPU; absent while the shell has not yet said what this time of day costs. */
  readonly price?: UnitPrice;
  /** When it is low enough, as far as prices are known ahead. */
  readonly until?: Instant;
}

type Asking = Pick<Job, "account"> & { readonly spec: JobSpec };

/** Whether an hour of an alternative on a model costs more beyond the guarantee than the job pays, and until when. */
export function priceHit(state: State, job: Asking, choice: number, model: number, now: Instant): PriceHit | undefined {
  const max = job.spec.maxPriceMicros;
  if (max === undefined || model < 0) return undefined;
  const seen = priceAt(state, job, choice, model, now);
  if (seen === undefined || (seen.price !== undefined && isWithin(seen.price, max))) return undefined;
  const until = borders(state, now).find((at) => {
    const then = priceAt(state, job, choice, model, at);
    return then === undefined || (then.price !== undefined && isWithin(then.price, max));
  });
  return { ...seen, ...(until !== undefined && { until }) };
}

function isWithin({ numerator, denominator }: UnitPrice, maxMicros: number): boolean {
  return numerator <= BigInt(maxMicros) * denominator;
}

/** The price of an hour; undefined where there is no price list, hence nothing costs anything. */
function priceAt(state: State, job: Asking, choice: number, model: number, at: Instant): PriceHit | undefined {
  const { versions, contracts, ahead } = state.books;
  const version = versionAt({ versions, contracts: [] }, at);
  if (version === undefined) return undefined;
  const about = { model: state.fleet.models[model]!, currency: version.currency };
  const known = version.timesOfDay.length === 0 || (ahead.fromAt <= at && at < ahead.toAt);
  if (!known) return about;
  const tenant = tenantOf(state, job.account).path;
  const terms = termsAt({ versions, contracts: [...contracts.values()] }, ahead.windows, at, tenant)!;
  return { ...about, price: dearest(terms, job.spec, job.spec.gpus[choice]!, about.model) };
}

/** Of a part it is not known beforehand how it will be cut: it counts as the dearest that it could be. */
function dearest(terms: PriceTerms, spec: JobSpec, { part }: GpuAsk, model: string): UnitPrice {
  const topology = spec.topology?.required === true ? spec.topology.level : "";
  if (part === undefined) return burstPrice(terms, { model, topology, isolation: "whole", profile: "" });
  const isolations = spec.isolation === "any" ? ["mig", "mps", "timeslice"] : [spec.isolation];
  const profiles = part.profile === undefined ? ["", ...Object.keys(terms.version.profile)] : [part.profile];
  return isolations
    .flatMap((isolation) => profiles.map((profile) => burstPrice(terms, { model, topology, isolation, profile })))
    .reduce((most, each) => (each.numerator * most.denominator > most.numerator * each.denominator ? each : most));
}

/** The instants after `now` at which a price may change, in order. */
function borders({ books: { versions, contracts, ahead } }: State, now: Instant): Instant[] {
  const at = new Set<Instant>();
  for (const { fromAt } of versions) at.add(fromAt);
  for (const { fromAt, toAt } of contracts.values()) at.add(fromAt).add(toAt);
  for (const { fromAt, toAt } of ahead.windows) at.add(fromAt).add(toAt);
  return [...at].filter((each) => each > now).sort((a, b) => a - b);
}

/** A price may have changed: who would pay more than its `max_price` leaves gracefully, and waits until that is over. */
export function priceCame(state: State, now: Instant): Event[] {
  const [next] = borders(state, now);
  if (next !== undefined) state.timers.addOnce({ at: next, kind: "price", subject: 0 });
  state.waiting.wakeAll();
  return [...state.priced].flatMap((job) => leaveForPrice(state, job, now));
}

/** Who has fallen out of its guarantee by these events, and would now pay more than its `max_price`, leaves as well. */
export function fellBeyondPrice(state: State, events: readonly Event[], now: Instant): Event[] {
  if (state.priced.size === 0) return [];
  const fallen = new Set<Job>();
  for (const event of events) {
    const job = event.kind === "job-classed" ? state.jobs.get(event.job) : undefined;
    if (job !== undefined) fallen.add(job);
  }
  return [...fallen].flatMap((job) => leaveForPrice(state, job, now));
}

function leaveForPrice(state: State, job: Job, now: Instant): Event[] {
  if (job.state === "waiting" || job.class !== "burst" || job.leases.length === 0) return [];
  const gpu = job.leases[0]!.gpus[0];
  const hit = gpu === undefined ? undefined : priceHit(state, job, job.choice, state.fleet.gpuModel[gpu]!, now);
  if (hit?.price === undefined) return [];
  return stopJob(state, job, "budget", now, undefined, priceText(hit, job.spec));
}

/** For its user: what an hour costs, and what it would pay. */
export function priceText({ model, currency, price }: PriceHit, { maxPriceMicros }: JobSpec): string {
  if (price === undefined) return "what an hour costs at this time of day is being worked out";
  const text = (micros: bigint) => moneyText(micros, currency);
  return `an hour of ${model} costs ${text(hourMicros(price))} beyond the guarantee, and its max_price is ${text(BigInt(maxPriceMicros!))}`;
}

/** The price of an hour in whole millionths, rounded up. */
export function hourMicros({ numerator, denominator }: UnitPrice): bigint {
  return (numerator + denominator - 1n) / denominator;
}
