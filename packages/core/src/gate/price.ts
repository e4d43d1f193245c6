import type { GpuAsk, Job, JobSpec } from "../model/job.ts";
import { must } from "../model/must.ts";
import type { Instant } from "../model/units.ts";
import { versionAt } from "../money/price.ts";
import { burstPrice, type PriceTerms, termsAt, type UnitPrice } from "../money/unit-price.ts";
import { tenantOf } from "../quota/accounts.ts";
import type { ReadonlyState } from "../state/readonly-state.ts";

/** A price that keeps a job from running on borrowed GPUs. */
export interface PriceHit {
  readonly model: string;
  readonly currency: string;
  /** Of one GPU-hour; absent until the shell has foretold the prices of this time of day. */
  readonly price?: UnitPrice;
  /** When the price is low enough, as far as prices are known ahead. */
  readonly until?: Instant;
}

/** A job as far as it has a price; it need not be submitted. */
export type PricedJob = Pick<Job, "account" | "spec">;

/** The price of an alternative on a model beyond the guarantee, where it is above the job's `max_price`. */
export function priceHit(
  state: ReadonlyState,
  job: PricedJob,
  choice: number,
  model: number,
  now: Instant,
): PriceHit | undefined {
  const max = job.spec.maxPriceMicros;
  if (max === undefined || model < 0) return undefined;
  const hit = priceAt(state, job, choice, model, now);
  if (hit === undefined || isPayable(hit, max)) return undefined;
  const until = priceChangesAfter(state, now).find((at) => {
    const then = priceAt(state, job, choice, model, at);
    return then === undefined || isPayable(then, max);
  });
  return { ...hit, ...(until !== undefined && { until }) };
}

/** A price that is not known yet is not payable. */
function isPayable({ price }: PriceHit, maxMicros: number): boolean {
  return price !== undefined && price.numerator <= BigInt(maxMicros) * price.denominator;
}

/** The price of a GPU-hour; undefined without a price list: then nothing costs anything. */
function priceAt(
  state: ReadonlyState,
  job: PricedJob,
  choice: number,
  model: number,
  at: Instant,
): PriceHit | undefined {
  const { versions, contracts, ahead } = state.books;
  const version = versionAt({ versions, contracts: [] }, at);
  if (version === undefined) return undefined;
  const unpriced = { model: state.fleet.models[model]!, currency: version.currency };
  const isKnown = version.timesOfDay.length === 0 || (ahead.fromAt <= at && at < ahead.toAt);
  if (!isKnown) return unpriced;
  const tenant = tenantOf(state, job.account).path;
  const terms = termsAt({ versions, contracts: [...contracts.values()] }, ahead.windows, at, tenant);
  const known = must(terms, "where a price version holds, there are terms");
  return { ...unpriced, price: dearest(known, job.spec, job.spec.gpus[choice]!, unpriced.model) };
}

/** The mode and profile of a part are not known beforehand: it counts as the dearest that it could become. */
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
export function priceChangesAfter({ books: { versions, contracts, ahead } }: ReadonlyState, now: Instant): Instant[] {
  const at = new Set<Instant>();
  for (const { fromAt } of versions) at.add(fromAt);
  for (const { fromAt, toAt } of contracts.values()) at.add(fromAt).add(toAt);
  for (const { fromAt, toAt } of ahead.windows) at.add(fromAt).add(toAt);
  return [...at].filter((each) => each > now).sort((a, b) => a - b);
}
