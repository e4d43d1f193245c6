import type { GpuAsk, Job, JobSpec } from "../model/job.ts";
import type { Instant } from "../model/units.ts";
import { versionAt } from "../money/price.ts";
import { burstPrice, type PriceTerms, termsAt, type UnitPrice } from "../money/unit-price.ts";
import { tenantOf } from "../quota/accounts.ts";
import type { State } from "../state/state.ts";

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
export function borders({ books: { versions, contracts, ahead } }: State, now: Instant): Instant[] {
  const at = new Set<Instant>();
  for (const { fromAt } of versions) at.add(fromAt);
  for (const { fromAt, toAt } of contracts.values()) at.add(fromAt).add(toAt);
  for (const { fromAt, toAt } of ahead.windows) at.add(fromAt).add(toAt);
  return [...at].filter((each) => each > now).sort((a, b) => a - b);
}
