import { isRefusal, type Refusal, refuse } from "../journal/refusal.ts";
import { instantText } from "../model/instant.ts";
import type {
  After,
  ArrayAsk,
  Checkpoint,
  GpuAsk,
  GpuNeed,
  Isolation,
  JobSpec,
  JobType,
  Members,
  ModelAsk,
  Retry,
  RetryCause,
  Slo,
  TopologyAsk,
} from "../model/job.ts";
import { plainName } from "../model/job.ts";
import { type Instant, minute, unitsPerGpu } from "../model/units.ts";
import { parseGpus, type RawGpus } from "./gpus.ts";
import { cpusToMilli, parseAmount, parseDuration, parseSize } from "./quantities.ts";

/** The job file after its shape was checked (wire's JobSpecBody); what the values mean is settled here. */
export interface RawJob {
  readonly name?: string;
  readonly type?: JobType;
  readonly image?: string;
  readonly workdir?: string;
  readonly setup?: string;
  readonly run: string;
  readonly gpus?: RawGpus | { readonly any: readonly (number | string)[]; readonly needs?: readonly GpuNeed[] };
  readonly needs?: readonly GpuNeed[];
  readonly model?: string | ModelAsk;
  readonly nodes?: number | string;
  readonly members?: number | string;
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
  readonly retry?: number | { readonly max?: number; readonly when?: readonly RetryCause[] };
  readonly checkpoint?: {
    readonly dir?: string;
    readonly signal?: string;
    readonly grace?: string;
    readonly every?: string;
  };
  readonly slo?: { readonly p99: string; readonly alone?: string };
  readonly array?: string;
  readonly env?: { readonly [name: string]: string | number | boolean };
  readonly secrets?: readonly string[];
}

/** What only the shell can settle: zones need a calendar, and a job that `after` names may have ended long ago. */
export interface Settled {
  readonly deadlineAt?: Instant;
  readonly notBeforeAt?: Instant;
  readonly zone?: string;
  readonly after: readonly After[];
}

/** Fields of the format that nothing here can honour yet. They are refused: ignoring one would break a promise. */
export const fieldsNotYet = [
  "shm",
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

export const arraySizeMax = 10_000;
const levels: readonly TopologyAsk["level"][] = ["zone", "block", "rack", "nvlink", "node"];
const priorities = { low: -10, normal: 0, high: 10 } as const;

/** Raw request → JobSpec in whole units, or the first thing that is wrong with it. */
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
  const apartBadly = spread === undefined ? undefined : badSpread(spread, topology, asks);
  if (apartBadly !== undefined) return apartBadly;
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
  // In the order in which the journal writes them.
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
    secrets: raw.secrets === undefined ? none : [...new Set(raw.secrets)].sort(),
    setup: raw.setup,
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
 * `gpu_compute` and `gpu_memory` make a part of a GPU out of a request for one that names neither a part nor several;
 * beside whole GPUs `gpu_memory` is the least memory that each must have.
 */
function withShares(asks: readonly GpuAsk[], raw: RawJob, memoryMiB: number): readonly GpuAsk[] | Refusal {
  const given = raw.gpus !== undefined;
  if (raw.gpu_compute === undefined && (given || memoryMiB === 0)) return asks;
  const percent = raw.gpu_compute === undefined ? 0 : Number(raw.gpu_compute.slice(0, -1));
  if (raw.gpu_compute !== undefined && (percent < 1 || percent > 100)) {
    return refuse("invalid", "gpu_compute", raw.gpu_compute, "is not a part of a GPU", "write 1% to 100%");
  }
  const compute = (percent * unitsPerGpu) / 100;
  const whole = asks.find((ask) => ask.part !== undefined || ask.count > 1);
  if (whole !== undefined) {
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

/** Most jobs have one, and share this. */
const oneMember: Members = { apart: true, max: 1, min: 1 };

function parseMembers(raw: RawJob): Members | Refusal {
  if (raw.nodes === undefined && raw.members === undefined) return oneMember;
  if (raw.nodes !== undefined && raw.members !== undefined) {
    return refuse(
      "invalid",
      "members",
      raw.members,
      "cannot be used together with nodes",
      "use nodes for members on different nodes, or members where they may share a node",
    );
  }
  const field = raw.members !== undefined ? "members" : "nodes";
  const value = raw.members ?? raw.nodes ?? 1;
  const match = /^(\d{1,6})(?:\.\.(\d{1,6}))?$/.exec(String(value));
  const min = Number(match?.[1] ?? 0);
  const max = Number(match?.[2] ?? min);
  if (match === null || min < 1 || max < min || max > 100_000) {
    return refuse(
      "invalid",
      field,
      value,
      "is not a number or a range of members",
      "write 4, or 4..8 with the smaller number first",
    );
  }
  return { apart: field === "nodes", max, min };
}

/** In one order, as the journal writes it: a job must look the same before and after a replay. */
function parseEnv(raw: RawJob["env"]): JobSpec["env"] {
  if (raw === undefined) return noEnv;
  const names = Object.keys(raw).sort();
  return Object.fromEntries(names.map((name) => [name, String(raw[name])]));
}

/** Members cannot be in one place of a level and in several of the same or a wider one. */
function badSpread(
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

function parseTopology(text: string | undefined, field: string): TopologyAsk | undefined | Refusal {
  if (text === undefined) return undefined;
  const match = /^(zone|block|rack|nvlink|node)(\?)?$/.exec(text);
  if (match === null) {
    return refuse(
      "invalid",
      field,
      text,
      "is not a topology level",
      "write zone, block, rack, nvlink or node; add ? to prefer it only",
    );
  }
  return { level: match[1] as TopologyAsk["level"], required: match[2] === undefined };
}

function parseRetry(raw: RawJob["retry"]): Retry {
  if (raw === undefined) return usualRetry;
  const asked = typeof raw === "number" ? { max: raw } : raw;
  const max = asked.max ?? 0;
  const when: readonly RetryCause[] = asked.when ?? (max > 0 ? ["failed", ...usualRetry.when] : usualRetry.when);
  return { max, when: [...new Set(when)].sort() };
}

/** Being evicted or losing a node is not the job's fault: it comes back unless its user says otherwise. */
const usualRetry: Retry = { max: 0, when: ["node_lost", "preempted"] };
const noEnv: JobSpec["env"] = {};
const none: readonly never[] = [];

function parseCheckpoint(raw: RawJob["checkpoint"]): Checkpoint | undefined | Refusal {
  if (raw === undefined) return undefined;
  const graceMs = raw.grace === undefined ? minute : parseDuration(raw.grace, "checkpoint.grace");
  if (isRefusal(graceMs)) return graceMs;
  const everyMs = raw.every === undefined ? undefined : parseDuration(raw.every, "checkpoint.every");
  if (isRefusal(everyMs)) return everyMs;
  const signal = raw.signal ?? "SIGTERM";
  const name = signal.startsWith("SIG") ? signal : `SIG${signal}`;
  if (!signalsAllowed.has(name)) {
    return refuse(
      "invalid",
      "checkpoint.signal",
      signal,
      "is not a signal that a job can catch",
      `use one of ${[...signalsAllowed].join(", ")}`,
    );
  }
  return { dir: raw.dir, everyMs, graceMs, signal: name };
}

const signalsAllowed = new Set(["SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2", "SIGCONT", "SIGALRM"]);

function parseSlo(raw: RawJob["slo"]): Slo | undefined | Refusal {
  if (raw === undefined) return undefined;
  const p99Ms = parseDuration(raw.p99, "slo.p99");
  if (isRefusal(p99Ms)) return p99Ms;
  if (p99Ms === 0) return refuse("invalid", "slo.p99", raw.p99, "leaves no time to answer", "give at least 1ms");
  const aloneMs = raw.alone === undefined ? undefined : parseDuration(raw.alone, "slo.alone");
  if (isRefusal(aloneMs)) return aloneMs;
  if (aloneMs === 0) return refuse("invalid", "slo.alone", raw.alone!, "is zero", "give at least 1ms");
  if (aloneMs !== undefined && aloneMs > p99Ms) {
    const why = `is longer than p99: ${raw.p99}, so the promise could not be kept even without neighbours`;
    return refuse("invalid", "slo.alone", raw.alone!, why, "promise more time, or ask for a larger part");
  }
  return { aloneMs, p99Ms };
}

/** One name or several, in one order. */
function namesOf(raw: RawJob["apart_from"] = []): readonly string[] {
  return [...new Set(typeof raw === "string" ? [raw] : raw)].sort();
}

/** What each GPU must be able to do, from both places where it may stand. */
export function needsOf({ needs = none, gpus }: Pick<RawJob, "needs" | "gpus">): readonly GpuNeed[] {
  const inside = typeof gpus === "object" && "needs" in gpus ? (gpus.needs ?? none) : none;
  if (needs.length + inside.length === 0) return none;
  return [...new Set([...needs, ...inside])].sort();
}

/** `1-240`, `1-240:2` or `1-240%24`. */
export function parseArray(text: string | undefined, field: string): ArrayAsk | undefined | Refusal {
  if (text === undefined) return undefined;
  const match = /^(\d{1,7})-(\d{1,7})(?::(\d{1,7}))?(?:%(\d{1,6}))?$/.exec(text);
  if (match === null)
    return refuse("invalid", field, text, "is not a range of array elements", "write 1-240, 1-240:2 or 1-240%24");
  const [first, last, step] = [Number(match[1]), Number(match[2]), Number(match[3] ?? 1)];
  const atOnceMax = match[4] === undefined ? undefined : Number(match[4]);
  if (last < first || step < 1 || atOnceMax === 0) {
    return refuse(
      "invalid",
      field,
      text,
      "has no element",
      "write the smaller number first, with a step and a limit of at least 1",
    );
  }
  const size = Math.floor((last - first) / step) + 1;
  if (size > arraySizeMax) {
    return refuse(
      "invalid",
      field,
      text,
      `has ${size} elements (limit ${arraySizeMax})`,
      "split it into several arrays",
    );
  }
  return { atOnceMax, first, last, step };
}
