import { levels } from "../fleet/topology.ts";
import { type Refusal, refuse } from "../journal/refusal.ts";
import type { Egress } from "../model/egress.ts";
import { instantText } from "../model/instant.ts";
import type {
  After,
  ArrayAsk,
  GpuAsk,
  Isolation,
  JobSpec,
  JobType,
  Members,
  ModelAsk,
  TopologyAsk,
} from "../model/job.ts";
import { plainName } from "../model/job.ts";
import type { Labels } from "../model/labels.ts";
import { notebookRun } from "../model/notebook.ts";
import { type Instant, unitsPerGpu } from "../model/units.ts";
import { parseEgress } from "./egress.ts";
import {
  isSetByTessera,
  namesOf,
  needsOf,
  oneMember,
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
  setByTessera,
} from "./fields.ts";
import { parseGpus, type RawGpus } from "./gpus.ts";
import { parseIdle, type RawIdle } from "./idle.ts";
import { Mistakes } from "./mistakes.ts";
import { parseMounts, type RawMounts } from "./mounts.ts";
import { checkLabels, parseNarrow, type RawNarrow, sortedLabels } from "./narrow.ts";
import { cpusToMilli, parseAmount, parseDuration, parseSize } from "./quantities.ts";
import { parseOutputs, parseStorage, type RawStorage } from "./storage.ts";
import { parseOrigin, type RawVenv, type RawWorkdir } from "./workdir.ts";

/** The job file, with types checked by wire's JobSpecBody; `parseJob` settles the meaning of the values. */
export interface RawJob extends RawMembers, RawNarrow, RawNeeds, RawStorage {
  readonly name?: string;
  readonly type?: JobType;
  readonly image?: string;
  readonly workdir?: RawWorkdir;
  readonly venv?: RawVenv;
  readonly setup?: string;
  /** Only a notebook may do without: then it is JupyterLab. */
  readonly run?: string;
  readonly model?: string | ModelAsk;
  readonly topology?: string;
  readonly spread?: string;
  readonly apart_from?: string | readonly string[];
  readonly cpus?: number;
  readonly memory?: number | string;
  readonly gpu_memory?: number | string;
  readonly gpu_compute?: string;
  readonly isolation?: Isolation;
  readonly egress?: Egress;
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
  readonly idle?: RawIdle;
  readonly array?: string;
  readonly env?: RawEnv;
  readonly secrets?: readonly string[];
  readonly mounts?: RawMounts;
  readonly purpose?: string;
  readonly labels?: Labels;
}

/** Values that only the shell can settle: zones need a calendar, and jobs named in `after` may have ended long ago. */
export interface Settled {
  readonly deadlineAt?: Instant;
  readonly notBeforeAt?: Instant;
  readonly zone?: string;
  readonly after: readonly After[];
}

/** Fields of the format that are not supported yet. They are refused: ignoring one would break a promise. */
export const fieldsNotYet = ["port", "replicas", "probe", "schedule", "matrix", "ide", "burst", "providers"] as const;

const priorities = { low: -10, normal: 0, high: 10 } as const;
const none: readonly never[] = [];
/** Stands for a request for GPUs that was refused. */
const oneGpu: readonly GpuAsk[] = [{ count: 1, model: "*", part: undefined, unitsEach: unitsPerGpu }];

/** Raw request → JobSpec in whole units, or a refusal of everything that is wrong with it. */
export function parseJob(raw: RawJob, settled: Settled): JobSpec | Refusal {
  const mistakes = new Mistakes();
  const spec = readJob(raw, settled, mistakes);
  return mistakes.refusal() ?? spec;
}

/** The job as far as it can be understood: a usual value stands where one was refused. */
export function readJob(raw: RawJob, settled: Settled, mistakes: Mistakes): JobSpec {
  const given = raw as unknown as Record<string, unknown>;
  for (const field of fieldsNotYet) {
    if (given[field] === undefined) continue;
    const value = plainValue(given[field]);
    mistakes.add(refuse("unsupported", field, value, "is not supported by any engine yet", `leave ${field} out`));
  }
  const run = raw.run ?? (raw.type === "notebook" ? notebookRun : "");
  if (run === "" && !mistakes.within("run"))
    mistakes.add(refuse("invalid", "run", null, "is missing", "say what to run, such as run: nvidia-smi"));
  const gpus = mistakes.take(parseGpus((raw.gpus ?? 0) as RawGpus, "gpus"), oneGpu);
  const members = mistakes.take(parseMembers(raw), oneMember);
  const topology = mistakes.take(parseTopology(raw.topology, "topology"), undefined);
  const spread = mistakes.take(parseTopology(raw.spread, "spread"), undefined);
  const narrow = mistakes.take(parseNarrow(raw), {});
  const wrongLabels = checkLabels(raw.labels ?? {}, "labels");
  const labels = wrongLabels === undefined ? sortedLabels(raw.labels) : mistakes.take(wrongLabels, undefined);
  const cpusMilli = mistakes.take(cpusToMilli(raw.cpus ?? 0, "cpus"), 0);
  const memoryMiB = mistakes.take(parseSize(raw.memory ?? 0, "memory"), 0);
  const storage = mistakes.take(parseStorage(raw, memoryMiB), {});
  const outputs = mistakes.take(parseOutputs(raw.outputs), undefined);
  const mounts = mistakes.take(parseMounts(raw.mounts), undefined);
  const egress = mistakes.take(parseEgress(raw.egress, "egress"), undefined);
  const origin = mistakes.take(parseOrigin(raw.workdir, raw.venv), {});
  const gpuMemoryMiB = mistakes.take(parseSize(raw.gpu_memory ?? 0, "gpu_memory"), 0);
  const asks = mistakes.take(withShares(gpus, raw, gpuMemoryMiB), gpus);
  const maxTimeMs = mistakes.take(parseRunTime(raw.max_time, "max_time"), undefined);
  const expectedMs = mistakes.take(parseRunTime(raw.expected_time, "expected_time"), undefined);
  const maxPriceMicros = mistakes.take(optional(parseAmount, raw.max_price, "max_price"), undefined);
  const budgetMicros = mistakes.take(optional(parseAmount, raw.budget, "budget"), undefined);
  const checkpoint = mistakes.take(parseCheckpoint(raw.checkpoint), undefined);
  const slo = mistakes.take(parseSlo(raw.slo), undefined);
  const idle = mistakes.take(parseIdle(raw.idle, "idle"), undefined);
  if (idle !== undefined && asks.every((ask) => ask.count === 0))
    mistakes.add(refuse("invalid", "idle", null, "is about GPUs, and the job asks for none", "leave idle out"));
  const array = mistakes.take(parseArray(raw.array, "array"), undefined);
  const env = mistakes.take(parseEnv(raw.env), {});
  for (const [i, name] of (raw.secrets ?? none).entries())
    if (isSetByTessera(name))
      mistakes.add(refuse("invalid", `secrets[${i}]`, null, setByTessera(name), "use a secret of another name"));
  if (spread !== undefined) mistakes.add(checkSpread(spread, topology, asks));
  mistakes.add(tooManyIdle(members, array, asks));
  const apartFrom = namesOf(raw.apart_from);
  const needs = needsOf(raw);
  if (needs.length > 0 && asks.every((ask) => ask.count === 0))
    mistakes.add(refuse("invalid", "needs", needs.join(", "), "needs a GPU, and the job asks for none", "add gpus: 1"));
  const { deadlineAt, notBeforeAt } = settled;
  if (deadlineAt !== undefined && notBeforeAt !== undefined && deadlineAt <= notBeforeAt) {
    const hint = "give a deadline after not_before";
    mistakes.add(refuse("invalid", "deadline", instantText(deadlineAt), "is not after not_before", hint));
  }
  // Fields in the order in which the journal writes them.
  return {
    after: settled.after.length === 0 ? none : settled.after,
    apartFrom: apartFrom.length > 0 ? apartFrom : undefined,
    array,
    budgetMicros,
    checkpoint,
    code: origin.code,
    cpusMilli,
    deadlineAt: settled.deadlineAt,
    egress,
    engine: narrow.engine,
    env,
    expectedMs,
    gpuMemoryMiB,
    gpus: asks,
    idle,
    image: raw.image,
    inPlace: origin.inPlace,
    isolation: raw.isolation ?? "any",
    labels,
    maxPriceMicros,
    maxTimeMs,
    members,
    memoryMiB,
    model: typeof raw.model === "string" ? { name: raw.model } : raw.model,
    mounts,
    name: raw.name ?? plainName,
    needs: needs.length > 0 ? needs : undefined,
    notBeforeAt: settled.notBeforeAt,
    outputs,
    preemptible: raw.preemptible ?? true,
    priority: typeof raw.priority === "number" ? raw.priority : priorities[raw.priority ?? "normal"],
    purpose: raw.purpose,
    region: narrow.region,
    retry: parseRetry(raw.retry),
    run,
    scratchMiB: storage.scratchMiB,
    secrets: raw.secrets === undefined ? none : [...new Set(raw.secrets)].sort(),
    setup: raw.setup,
    shmMiB: storage.shmMiB,
    slo,
    spread,
    strict: raw.strict ?? false,
    topology,
    type: raw.type ?? "batch",
    venv: origin.venv,
    where: narrow.where,
    workdir: origin.workdir,
    zone: settled.zone,
  };
}

function optional<Given, Value>(
  parse: (given: Given, field: string) => Value | Refusal,
  given: Given | undefined,
  field: string,
): Value | undefined | Refusal {
  return given === undefined ? undefined : parse(given, field);
}

function parseRunTime(text: string | undefined, field: string): number | undefined | Refusal {
  const ms = optional(parseDuration, text, field);
  return ms === 0 ? refuse("invalid", field, text!, "leaves no time to run", "give at least 1s") : ms;
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

/** Members with a GPU are bounded by the fleet; nothing else bounds those without, which may share a node. */
const withoutGpuMax = 10_000;

function tooManyIdle(
  { apart, max }: Members,
  array: ArrayAsk | undefined,
  asks: readonly GpuAsk[],
): Refusal | undefined {
  if (asks.some((ask) => ask.count > 0) || apart) return undefined;
  const elements = array === undefined ? 1 : Math.floor((array.last - array.first) / array.step) + 1;
  const together = max * Math.min(elements, array?.atOnceMax ?? elements);
  if (together <= withoutGpuMax) return undefined;
  const why = `This job would run ${together} members without a GPU at a time (limit ${withoutGpuMax})`;
  return refuse(
    "invalid",
    "members",
    max,
    why,
    "ask for fewer, or for fewer array elements at a time, such as 1-100%10",
  );
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
