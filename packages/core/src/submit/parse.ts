import { levels } from "../fleet/topology.ts";
import { isRefusal, type Refusal, refuse } from "../journal/refusal.ts";
import { instantText } from "../model/instant.ts";
import type { After, GpuAsk, Isolation, JobSpec, JobType, ModelAsk, TopologyAsk } from "../model/job.ts";
import { plainName } from "../model/job.ts";
import { type Instant, unitsPerGpu } from "../model/units.ts";
import {
  namesOf,
  needsOf,
  parseArray,
  parseCheckpoint,
  parseEnv,
  parseMembers,
  parseRetry,
  parseSlo,
  parseTopology,
  type RawCheckpoint,
  type RawEnv,
  type RawMembers,
  type RawNeeds,
  type RawRetry,
  type RawSlo,
} from "./fields.ts";
import { parseGpus, type RawGpus } from "./gpus.ts";
import { cpusToMilli, parseAmount, parseDuration, parseSize } from "./quantities.ts";
import { parseStorage, type RawStorage } from "./storage.ts";

/** The job file, with types checked by wire's JobSpecBody; `parseJob` settles the meaning of the values. */
export interface RawJob extends RawMembers, RawNeeds, RawStorage {
  readonly name?: string;
  readonly type?: JobType;
  readonly image?: string;
  readonly workdir?: string;
  readonly setup?: string;
  readonly run: string;
  readonly model?: string | ModelAsk;
  readonly topology?: string;
  readonly spread?: string;
  readonly apart_from?: string | readonly string[];
  readonly cpus?: number;
  readonly memory?: number | string;
  readonly gpu_memory?: number | string;
  readonly gpu_compute?: string;
  readonly isolation?: Isolation;
  readonly strict?: boolean;
  readonly max_time?: string;
  readonly max_price?: number | string;
  readonly budget?: number | string;
  readonly expected_time?: string;
  readonly priority?: "low" | "normal" | "high" | number;
  readonly preemptible?: boolean;
  readonly retry?: RawRetry;
  readonly checkpoint?: RawCheckpoint;
  readonly slo?: RawSlo;
  readonly array?: string;
  readonly env?: RawEnv;
  readonly secrets?: readonly string[];
}

/** Values that only the shell can settle: zones need a calendar, and jobs named in `after` may have ended long ago. */
export interface Settled {
  readonly deadlineAt?: Instant;
  readonly notBeforeAt?: Instant;
  readonly zone?: string;
  readonly after: readonly After[];
}

/** Fields of the format that are not supported yet. They are refused: ignoring one would break a promise. */
export const fieldsNotYet = [
  "port",
  "replicas",
  "probe",
  "idle",
  "schedule",
  "mounts",
  "outputs",
  "matrix",
  "ide",
  "burst",
  "providers",
] as const;

const priorities = { low: -10, normal: 0, high: 10 } as const;
const none: readonly never[] = [];

/** Raw request → JobSpec in whole units, or a refusal of its first wrong field. */
export function parseJob(raw: RawJob, settled: Settled): JobSpec | Refusal {
  const given = raw as unknown as Record<string, unknown>;
  for (const field of fieldsNotYet) {
    if (given[field] === undefined) continue;
    return refuse(
      "unsupported",
      field,
      plainValue(given[field]),
      "is not supported by any engine yet",
      `leave ${field} out`,
    );
  }
  const gpus = parseGpus((raw.gpus ?? 0) as RawGpus, "gpus");
  if (isRefusal(gpus)) return gpus;
  const members = parseMembers(raw);
  if (isRefusal(members)) return members;
  const topology = parseTopology(raw.topology, "topology");
  if (isRefusal(topology)) return topology;
  const spread = parseTopology(raw.spread, "spread");
  if (isRefusal(spread)) return spread;
  const cpusMilli = cpusToMilli(raw.cpus ?? 0, "cpus");
  if (isRefusal(cpusMilli)) return cpusMilli;
  const memoryMiB = parseSize(raw.memory ?? 0, "memory");
  if (isRefusal(memoryMiB)) return memoryMiB;
  const storage = parseStorage(raw, memoryMiB);
  if (isRefusal(storage)) return storage;
  const gpuMemoryMiB = parseSize(raw.gpu_memory ?? 0, "gpu_memory");
  if (isRefusal(gpuMemoryMiB)) return gpuMemoryMiB;
  const asks = withShares(gpus, raw, gpuMemoryMiB);
  if (isRefusal(asks)) return asks;
  const maxTimeMs = raw.max_time === undefined ? undefined : parseDuration(raw.max_time, "max_time");
  if (isRefusal(maxTimeMs)) return maxTimeMs;
  if (maxTimeMs === 0) return refuse("invalid", "max_time", raw.max_time!, "leaves no time to run", "give at least 1s");
  const expectedMs = raw.expected_time === undefined ? undefined : parseDuration(raw.expected_time, "expected_time");
  if (isRefusal(expectedMs)) return expectedMs;
  if (expectedMs === 0)
    return refuse("invalid", "expected_time", raw.expected_time!, "leaves no time to run", "give at least 1s");
  const maxPriceMicros = raw.max_price === undefined ? undefined : parseAmount(raw.max_price, "max_price");
  if (isRefusal(maxPriceMicros)) return maxPriceMicros;
  const budgetMicros = raw.budget === undefined ? undefined : parseAmount(raw.budget, "budget");
  if (isRefusal(budgetMicros)) return budgetMicros;
  const checkpoint = parseCheckpoint(raw.checkpoint);
  if (isRefusal(checkpoint)) return checkpoint;
  const slo = parseSlo(raw.slo);
  if (isRefusal(slo)) return slo;
  const array = parseArray(raw.array, "array");
  if (isRefusal(array)) return array;
  const badSpread = spread === undefined ? undefined : checkSpread(spread, topology, asks);
  if (badSpread !== undefined) return badSpread;
  const apartFrom = namesOf(raw.apart_from);
  const needs = needsOf(raw);
  if (needs.length > 0 && asks.every((ask) => ask.count === 0))
    return refuse("invalid", "needs", needs.join(", "), "needs a GPU, and the job asks for none", "add gpus: 1");
  if (
    settled.deadlineAt !== undefined &&
    settled.notBeforeAt !== undefined &&
    settled.deadlineAt <= settled.notBeforeAt
  ) {
    return refuse(
      "invalid",
      "deadline",
      instantText(settled.deadlineAt),
      "is not after not_before",
      "give a deadline after not_before",
    );
  }
  // Fields in the order in which the journal writes them.
  return {
    after: settled.after.length === 0 ? none : settled.after,
    apartFrom: apartFrom.length > 0 ? apartFrom : undefined,
    array,
    budgetMicros,
    checkpoint,
    cpusMilli,
    deadlineAt: settled.deadlineAt,
    env: parseEnv(raw.env),
    expectedMs,
    gpuMemoryMiB,
    gpus: asks,
    image: raw.image,
    isolation: raw.isolation ?? "any",
    maxPriceMicros,
    maxTimeMs,
    members,
    memoryMiB,
    model: typeof raw.model === "string" ? { name: raw.model } : raw.model,
    name: raw.name ?? plainName,
    needs: needs.length > 0 ? needs : undefined,
    notBeforeAt: settled.notBeforeAt,
    preemptible: raw.preemptible ?? true,
    priority: typeof raw.priority === "number" ? raw.priority : priorities[raw.priority ?? "normal"],
    retry: parseRetry(raw.retry),
    run: raw.run,
    scratchMiB: storage.scratchMiB,
    secrets: raw.secrets === undefined ? none : [...new Set(raw.secrets)].sort(),
    setup: raw.setup,
    shmMiB: storage.shmMiB,
    slo,
    spread,
    strict: raw.strict ?? false,
    topology,
    type: raw.type ?? "batch",
    workdir: raw.workdir,
    zone: settled.zone,
  };
}

/** A value as a refusal can show it. */
export function plainValue(value: unknown): string | number | boolean | null {
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean" || value === null)
    return value;
  return JSON.stringify(value).slice(0, 200);
}

/**
 * `gpu_compute`, or `gpu_memory` without `gpus`, turns a request for one GPU into a request for a part of one. Beside
 * whole GPUs `gpu_memory` is the least memory that each must have.
 */
function withShares(asks: readonly GpuAsk[], raw: RawJob, memoryMiB: number): readonly GpuAsk[] | Refusal {
  const given = raw.gpus !== undefined;
  if (raw.gpu_compute === undefined && (given || memoryMiB === 0)) return asks;
  const percent = raw.gpu_compute === undefined ? 0 : Number(raw.gpu_compute.slice(0, -1));
  if (raw.gpu_compute !== undefined && (percent < 1 || percent > 100)) {
    return refuse("invalid", "gpu_compute", raw.gpu_compute, "is not a part of a GPU", "write 1% to 100%");
  }
  const compute = (percent * unitsPerGpu) / 100;
  const unshareable = asks.find((ask) => ask.part !== undefined || ask.count > 1);
  if (unshareable !== undefined) {
    return refuse(
      "invalid",
      "gpu_compute",
      raw.gpu_compute ?? null,
      "cannot be used together with several GPUs or a part of one",
      "ask for one GPU, such as H100:1",
    );
  }
  const part = { compute, memory: 0, memoryMiB };
  return asks.map((ask) => ({ count: 1, model: ask.model, part, unitsEach: compute }));
}

/** Members cannot share one domain of a level and be spread over domains of the same or a wider level. */
function checkSpread(
  spread: TopologyAsk,
  topology: TopologyAsk | undefined,
  asks: readonly GpuAsk[],
): Refusal | undefined {
  const text = `${spread.level}${spread.required ? "" : "?"}`;
  if (topology !== undefined && levels.indexOf(spread.level) <= levels.indexOf(topology.level))
    return refuse(
      "invalid",
      "spread",
      text,
      `is not narrower than topology: ${topology.level}`,
      "spread over a narrower level, such as node",
    );
  if (asks.some((ask) => ask.part !== undefined))
    return refuse(
      "unsupported",
      "spread",
      text,
      "cannot be used together with parts of GPUs",
      "ask for whole GPUs, or for nodes",
    );
  return undefined;
}
