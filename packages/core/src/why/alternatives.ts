import { mayAsk } from "../admit/job.ts";
import { levels } from "../fleet/topology.ts";
import { priceHit } from "../gate/price.ts";
import { hourMicros } from "../gate/price-text.ts";
import { isRefusal } from "../journal/refusal.ts";
import { modelMatches } from "../model/gpu-name.ts";
import type { GpuAsk, Isolation, Job, JobSpec } from "../model/job.ts";
import { type Instant, minute, second, unitsPerGpu } from "../model/units.ts";
import type { Timeline } from "../plan/timeline.ts";
import { demandOf, modelsFor } from "../quota/demand.ts";
import { isArrayFull } from "../schedule/array-limit.ts";
import type { ReadonlyState } from "../state/readonly-state.ts";
import { parseJob, type RawJob } from "../submit/parse.ts";
import { type RawKind, sizeJob } from "../submit/sizing/kind.ts";
import { gpuOffers } from "../submit/sizing/offers.ts";
import { type Outlook, outlookOf } from "./outlook.ts";
import { plansBefore } from "./plans.ts";

/** A field of the job file that can be changed to start sooner. */
export type ChangedField =
  | "max_price"
  | "max_time"
  | "not_before"
  | "topology"
  | "spread"
  | "engine"
  | "region"
  | "where"
  | "apart_from"
  | "members"
  | "isolation"
  | "slo"
  | "preemptible"
  | "priority"
  | "gpus"
  | "nodes"
  | "cpus"
  | "memory"
  | "gpu_memory"
  | "model.precision";

/** A change with which the job would start now, or sooner: planned, not guessed [W3]. */
export interface Alternative {
  readonly field: ChangedField;
  /** The changed job. */
  readonly spec: JobSpec;
  readonly outlook: Exclude<Outlook, { readonly when: "unknown" }>;
}

export interface AlternativeTerms {
  /** Whether an engine here offers this isolation. */
  readonly offers: (isolation: Isolation) => boolean;
  /** Whether the user may submit to the job's account, hence with another priority. */
  readonly mayRaise: boolean;
}

/** Bounds the time that one question takes. */
const plansPerQuestion = 40;
const shownMax = 8;
const triesPerField = 3;
const priorityMax = 1_000;

/**
 * The changes that would start a waiting job now, the least harmful first, then those that would start it sooner [W3].
 * Each was planned on the present state; a question makes at most `plansPerQuestion` plans.
 */
export function alternativesFor(
  state: ReadonlyState,
  job: Job,
  now: Instant,
  own: Outlook,
  terms: AlternativeTerms,
): Alternative[] {
  const { spec } = job;
  if (job.claim === undefined && isArrayFull(state, job)) return [];
  const search = new Search(state, job, now, own);
  if (job.notBeforeAt > now) {
    // Before its time nothing else starts it; the pause before a retry is none of its fields.
    if (job.notBeforeAt === spec.notBeforeAt && job.waitsFor === 0)
      search.try("not_before", { ...spec, notBeforeAt: undefined });
    return search.found();
  }
  for (const maxPriceMicros of pricesOf(state, job, now))
    if (search.try("max_price", { ...spec, maxPriceMicros })) break;
  for (const maxTimeMs of gapsFor(state, search.timeline, spec, now)) search.try("max_time", { ...spec, maxTimeMs });
  for (const topology of widerThan(state, spec)) search.try("topology", { ...spec, topology });
  if (spec.spread?.required) search.try("spread", { ...spec, spread: { ...spec.spread, required: false } });
  for (const field of ["engine", "region", "where"] as const)
    if (spec[field] !== undefined) search.try(field, { ...spec, [field]: undefined });
  if (spec.apartFrom !== undefined) search.try("apart_from", { ...spec, apartFrom: undefined });
  if (spec.members.apart && spec.members.min > 1)
    search.try("members", { ...spec, members: { ...spec.members, apart: false } });
  for (const isolation of weakerThan(spec))
    if (terms.offers(isolation)) search.try("isolation", { ...spec, isolation });
  if (spec.slo !== undefined) search.try("slo", { ...spec, slo: undefined });
  for (const lighter of lighterModels(state, spec, terms)) if (search.try("model.precision", lighter)) break;
  // The GPUs of a sized job were chosen to hold its model: fewer or smaller ones would not.
  const sized = spec.model !== undefined;
  if (!sized) for (const gpus of otherParts(state, spec, terms)) search.try("gpus", { ...spec, gpus: [gpus] });
  if (!spec.preemptible) search.try("preemptible", { ...spec, preemptible: true });
  if (terms.mayRaise)
    for (const priority of prioritiesAbove(state, job)) if (search.try("priority", { ...spec, priority })) break;
  if (!sized) for (const model of otherModels(state, spec)) search.try("gpus", { ...spec, gpus: onModel(spec, model) });
  for (const gpuMemoryMiB of sized ? [] : smallerMemories(state, spec))
    if (search.try("gpu_memory", { ...spec, gpuMemoryMiB })) break;
  search.most("cpus", Math.ceil(spec.cpusMilli / 1_000), (cores) => ({ ...spec, cpusMilli: cores * 1_000 }));
  search.most("memory", Math.ceil(spec.memoryMiB / 1_024), (gib) => ({ ...spec, memoryMiB: gib * 1_024 }));
  if (sized) return search.found();
  const { members } = spec;
  search.most(members.apart ? "nodes" : "members", members.min, (min) => ({
    ...spec,
    members: { ...members, min, max: members.max > members.min ? members.max : min },
  }));
  search.most("gpus", Math.max(...spec.gpus.map((ask) => ask.count)), (count) => ({
    ...spec,
    gpus: spec.gpus.map((ask) => ({ ...ask, count: Math.min(ask.count, count) })),
  }));
  return search.found();
}

const precisions = ["fp32", "fp16", "fp8", "int4"] as const;

/** The job with its model served in a lower precision, sized again for it. */
function* lighterModels(state: ReadonlyState, spec: JobSpec, { offers }: AlternativeTerms): Generator<JobSpec> {
  const { model, type, isolation, needs } = spec;
  if (model === undefined || type === "train") return;
  const shares = offers("mig") || offers("mps") || offers("timeslice");
  const gpus = gpuOffers(state.fleet).map((offer) => ({ ...offer, parts: offer.parts && shares }));
  const asked = model.precision === "bf16" ? "fp16" : model.precision === "int8" ? "fp8" : model.precision;
  for (const precision of precisions.slice(precisions.findIndex((each) => each === (asked ?? "fp16")) + 1)) {
    const raw = { run: spec.run, type, isolation, needs, model: { ...model, precision } } as RawJob & RawKind;
    const sized = sizeJob(raw, gpus);
    const parsed = isRefusal(sized) ? sized : parseJob(sized.raw, { after: [] });
    if (isRefusal(parsed)) continue;
    const { gpus: asks, gpuMemoryMiB, members, topology } = parsed;
    yield { ...spec, gpus: asks, gpuMemoryMiB, members, topology, isolation: parsed.isolation, model: parsed.model! };
  }
}

class Search {
  /** The plans ahead of the job, without its own. */
  readonly timeline: Timeline;
  readonly #state: ReadonlyState;
  readonly #job: Job;
  readonly #now: Instant;
  readonly #own: Outlook;
  readonly #found: Alternative[] = [];
  #plans = 0;

  constructor(state: ReadonlyState, job: Job, now: Instant, own: Outlook) {
    this.timeline = plansBefore(state, job, now);
    this.#state = state;
    this.#job = job;
    this.#now = now;
    this.#own = own;
  }

  /** Keeps the change if it helps; true if it would start the job now. */
  try(field: ChangedField, spec: JobSpec): boolean {
    const outlook = this.#plan(spec);
    if (outlook === undefined || outlook.when === "unknown" || !this.#isSooner(outlook)) return false;
    this.#found.push({ field, spec, outlook });
    return outlook.when === "now";
  }

  /** The largest amount below `asked` with which the job would start now; a smaller amount never needs more room. */
  most(field: ChangedField, asked: number, specOf: (amount: number) => JobSpec): void {
    let best: Alternative | undefined;
    let [low, high] = [1, asked - 1];
    while (low <= high) {
      // The smallest first: if that does not help, no amount does.
      const amount = best === undefined ? low : Math.ceil((low + high) / 2);
      const spec = specOf(amount);
      const outlook = this.#plan(spec);
      if (outlook?.when === "now") {
        best = { field, spec, outlook };
        low = amount + 1;
      } else if (best === undefined) return;
      else high = amount - 1;
    }
    if (best !== undefined) this.#found.push(best);
  }

  /**
   * Changes that start the job now come first, those that evict least before others, and of equals the one that was
   * tried first.
   */
  found(): Alternative[] {
    return this.#found.sort((a, b) => harmOf(a) - harmOf(b)).slice(0, shownMax);
  }

  #plan(spec: JobSpec): Outlook | undefined {
    if (++this.#plans > plansPerQuestion || !mayAsk(this.#state, this.#job.account, spec)) return undefined;
    const notBeforeAt = spec.notBeforeAt === undefined ? 0 : this.#job.notBeforeAt;
    return outlookOf(this.#state, { ...this.#job, spec, notBeforeAt }, this.#now, this.timeline);
  }

  #isSooner(outlook: Outlook): boolean {
    if (outlook.when !== "later" || this.#own.when === "unknown") return true;
    return this.#own.when === "later" && outlook.at + minute <= this.#own.at;
  }
}

/** Units of GPUs that must be left by other jobs; more than any if the job would start only later. */
function harmOf({ outlook }: Alternative): number {
  if (outlook.when === "later") return Number.MAX_SAFE_INTEGER;
  return outlook.displaced.reduce((sum, { units }) => sum + units, 0);
}

/** What a GPU hour costs now where that is above its `max_price`, the lowest first. */
function pricesOf(state: ReadonlyState, job: Job, now: Instant): number[] {
  const prices = new Set<number>();
  for (let choice = 0; choice < job.spec.gpus.length; choice++) {
    for (const model of modelsFor(state, job, choice)) {
      const price = priceHit(state, job, choice, model, now)?.price;
      if (price !== undefined) prices.add(Number(hourMicros(price)));
    }
  }
  return [...prices].sort((a, b) => a - b).slice(0, triesPerField);
}

/** Run times that end before a plan ahead or a maintenance window begins, the longest first [B2]. */
function gapsFor({ fleet }: ReadonlyState, timeline: Timeline, spec: JobSpec, now: Instant): number[] {
  const asked = spec.maxTimeMs ?? Number.POSITIVE_INFINITY;
  const windows = [...fleet.maintained].flatMap((no) => fleet.nodes[no]?.maintenance ?? []);
  const ends = [...timeline.plans.map(({ start }) => start.at), ...new Set(windows.map(({ from }) => from))];
  const gaps = ends.map((at) => {
    // 30 s less, because a person takes time to read and to apply it.
    const left = at - now - 30 * second;
    return left - (left % minute);
  });
  const shorter = [...new Set(gaps)].filter((ms) => ms > 0 && ms < asked);
  return shorter.sort((a, b) => b - a).slice(0, triesPerField);
}

/** One level wider, then the same level as a preference. */
function widerThan({ fleet }: ReadonlyState, { topology }: JobSpec): JobSpec["topology"][] {
  if (topology === undefined || !topology.required) return [];
  const above = levels[levels.indexOf(topology.level) - 1];
  // In a fleet whose engines name no regions, one region is no narrower than anywhere.
  const wider = above === "region" && fleet.topology.roots.length === 1 ? undefined : above;
  const preferred = { level: topology.level, required: false };
  return wider === undefined ? [preferred] : [{ level: wider, required: true }, preferred];
}

const strongestFirst: readonly Isolation[] = ["mig", "mps", "timeslice"];

/** Weaker isolations for a job on parts of GPUs; the plan checks which neighbours trust allows. */
function weakerThan({ isolation, gpus }: JobSpec): Isolation[] {
  const at = strongestFirst.indexOf(isolation);
  if (at < 0 || gpus.every((ask) => ask.part === undefined)) return [];
  return [...strongestFirst.slice(at + 1), "any"];
}

/** For a part of a GPU: an equal share instead of its MIG profile, and a whole GPU. */
function otherParts(state: ReadonlyState, spec: JobSpec, { offers }: AlternativeTerms): GpuAsk[] {
  const [ask] = spec.gpus;
  if (ask?.part === undefined) return [];
  const whole = { model: ask.model, count: 1, unitsEach: unitsPerGpu };
  const [model] = modelsFor(state, { spec }, 0);
  const byShare = offers("mps") || offers("timeslice");
  if (ask.part.profile === undefined || model === undefined || !byShare) return [whole];
  const one = { ...spec, members: { ...spec.members, min: 1 } };
  const { units, memoryUnits } = demandOf(state, { spec: one }, 0, model);
  // A job file counts parts in thousandths of a GPU.
  const share = Math.ceil((Math.max(units, memoryUnits) * 1_000) / unitsPerGpu) * (unitsPerGpu / 1_000);
  if (share === 0 || share >= unitsPerGpu) return [whole];
  const part = { compute: share, memory: share, memoryMiB: 0 };
  return [{ model: ask.model, count: 1, unitsEach: share, part }, whole];
}

/** Priorities just above those of the running jobs of its account, the lowest first [T3]. */
function prioritiesAbove(state: ReadonlyState, { account, spec }: Job): number[] {
  const held = new Set<number>();
  for (const other of state.active.of(account)) {
    if (other.spec.preemptible && other.spec.priority >= spec.priority) held.add(other.spec.priority + 1);
  }
  return [...held]
    .filter((priority) => priority <= priorityMax)
    .sort((a, b) => a - b)
    .slice(0, triesPerField);
}

/** Models of the fleet that the job does not ask for. */
function otherModels(state: ReadonlyState, { gpus }: JobSpec): string[] {
  if (gpus[0]!.count === 0) return [];
  return state.fleet
    .modelsPresent()
    .filter((model) => !gpus.some((ask) => modelMatches(ask.model, model)))
    .slice(0, 6);
}

/** The first alternative of a job file on another model. */
function onModel({ gpus }: JobSpec, model: string): GpuAsk[] {
  return [{ ...gpus[0]!, model }];
}

/** Memory sizes of the fleet's GPUs below the one asked for, the largest first. */
function smallerMemories(state: ReadonlyState, { gpuMemoryMiB, gpus }: JobSpec): number[] {
  if (gpuMemoryMiB === 0 || gpus.some((ask) => ask.part !== undefined)) return [];
  const { fleet } = state;
  const sizes = new Set<number>();
  for (let gpu = 0; gpu < fleet.gpus; gpu++) sizes.add(fleet.gpuMemoryMiB[gpu]!);
  return [...sizes]
    .filter((size) => size > 0 && size < gpuMemoryMiB)
    .sort((a, b) => b - a)
    .slice(0, triesPerField);
}
