import {
  type AccountTerms,
  cpusToMilli,
  day,
  type GpuAmounts,
  gpusToUnits,
  hour,
  type IdleTerms,
  isRefusal,
  type Limits,
  minute,
  parseDuration,
  parseEgress,
  parseIdle,
  plainTerms,
  type Quota,
  type QuotaWindow,
  type Refusal,
  refuse,
  type SizeClasses,
  type SizeCounts,
  sizedAmounts,
} from "@tessera/core";
import type { AccountEdit, GpuAmount } from "@tessera/wire";
import { gpuHourUnitMs } from "../../render/quantities.ts";

/** An amount in units by model, and the sizes in which it was given. */
interface Amounts {
  readonly units: GpuAmounts;
  readonly sizes?: SizeCounts;
}

/** `4`, `{H100: 4, "*": 2}` or `{Small: 10}` → units by model. */
function amountsOf(amount: GpuAmount, field: string, sizes: SizeClasses | undefined): Amounts | Refusal {
  const given = sizedAmounts(typeof amount === "number" ? { "*": amount } : amount, sizes, field);
  if (isRefusal(given)) return given;
  const amounts: Record<string, number> = { ...given.units };
  for (const model of Object.keys(given.rest)) {
    const units = gpusToUnits(given.rest[model]!, typeof amount === "number" ? field : `${field}.${model}`);
    if (isRefusal(units)) return units;
    amounts[model] = (amounts[model] ?? 0) + units;
  }
  const sorted = Object.fromEntries(Object.entries(amounts).sort(([a], [b]) => (a < b ? -1 : 1)));
  return { units: sorted, ...(Object.keys(given.counts).length > 0 && { sizes: given.counts }) };
}

/** What an account's terms become: fields that were left out stay, null takes a ceiling away. */
export function termsOf(body: AccountEdit, from: AccountTerms, sizes: SizeClasses | undefined): AccountTerms | Refusal {
  const quota = quotaOf(body, from.quota, sizes);
  if (isRefusal(quota)) return quota;
  const limits = body.limits === undefined ? from.limits : limitsOf(body.limits);
  if (isRefusal(limits)) return limits;
  const historyHalfLifeMs = halfLifeOf(body.historyHalfLife, from.historyHalfLifeMs);
  if (isRefusal(historyHalfLifeMs)) return historyHalfLifeMs;
  const order = body.order ?? from.order ?? "age";
  const quantumMs = quantumOf(body.quantum, order, from.quantumMs);
  if (isRefusal(quantumMs)) return quantumMs;
  const idle = idleOf(body.idle, from.idle);
  if (isRefusal(idle)) return idle;
  const trustGroup = body.trustGroup === undefined ? from.trustGroup : (body.trustGroup ?? undefined);
  const allowMigWith = [...new Set(body.allowMigWith ?? from.allowMigWith ?? [])].sort();
  return {
    quota,
    limits,
    allowed: body.allowed ?? from.allowed,
    trust: body.trust ?? from.trust,
    ...(trustGroup !== undefined && { trustGroup }),
    ...(allowMigWith.length > 0 && { allowMigWith }),
    overcommit: body.overcommit ?? from.overcommit,
    ...(historyHalfLifeMs !== undefined && { historyHalfLifeMs }),
    ...(order !== "age" && { order }),
    ...(quantumMs !== undefined && { quantumMs }),
    ...(idle !== undefined && { idle }),
    ...((body.factor ?? from.factor) && { factor: true as const }),
  };
}

function idleOf(given: AccountEdit["idle"], from: IdleTerms | undefined): IdleTerms | undefined | Refusal {
  if (given === undefined) return from;
  if (given === null) return undefined;
  const { relax, ...raw } = given;
  const rule = parseIdle(raw, "idle");
  return rule === undefined || isRefusal(rule) ? rule : { ...rule, ...(relax === true && { relax }) };
}

function quotaOf(body: AccountEdit, from: Quota, sizes: SizeClasses | undefined): Quota | Refusal {
  const before = (units: GpuAmounts | undefined, counts?: SizeCounts): Amounts | undefined =>
    units && { units, ...(counts !== undefined && { sizes: counts }) };
  const guarantee = ceilingOf(body.guarantee, before(from.guarantee, from.guaranteeSizes), "guarantee", sizes);
  if (isRefusal(guarantee)) return guarantee;
  const max = ceilingOf(body.max, before(from.max, from.maxSizes), "max", sizes);
  if (isRefusal(max)) return max;
  const lendable = ceilingOf(body.lendable, before(from.lendable), "lendable", sizes);
  if (isRefusal(lendable)) return lendable;
  const guaranteeCpusMilli = milliOf(body.cpus?.guarantee, from.guaranteeCpusMilli, "cpus.guarantee");
  if (isRefusal(guaranteeCpusMilli)) return guaranteeCpusMilli;
  const maxCpusMilli = milliOf(body.cpus?.max, from.maxCpusMilli, "cpus.max");
  if (isRefusal(maxCpusMilli)) return maxCpusMilli;
  const guaranteeMemoryMiB = halfOf(body.memoryMiB?.guarantee, from.guaranteeMemoryMiB);
  const maxMemoryMiB = halfOf(body.memoryMiB?.max, from.maxMemoryMiB);
  return {
    guarantee: guarantee?.units ?? {},
    ...(guarantee?.sizes !== undefined && { guaranteeSizes: guarantee.sizes }),
    ...(max !== undefined && { max: max.units }),
    ...(max?.sizes !== undefined && { maxSizes: max.sizes }),
    ...(lendable !== undefined && { lendable: lendable.units }),
    ...(guaranteeCpusMilli !== undefined && { guaranteeCpusMilli }),
    ...(maxCpusMilli !== undefined && { maxCpusMilli }),
    ...(guaranteeMemoryMiB !== undefined && { guaranteeMemoryMiB }),
    ...(maxMemoryMiB !== undefined && { maxMemoryMiB }),
    weight: body.weight ?? from.weight,
  };
}

/** The fields of a quota that a body names, for a time; null takes a ceiling away. */
export function quotaWindowOf(body: AccountEdit, sizes: SizeClasses | undefined): QuotaWindow["quota"] | Refusal {
  for (const field of Object.keys(body)) {
    if (field === "window" || windowFields.has(field)) continue;
    return refuse("invalid", field, null, "cannot be changed for a time", `only ${[...windowFields].join(", ")}`);
  }
  const quota = quotaOf(body, plainTerms.quota, sizes);
  if (isRefusal(quota)) return quota;
  const { guarantee, guaranteeSizes = null, max = null, maxSizes = null, lendable = null, weight } = quota;
  const { guaranteeCpusMilli = null, maxCpusMilli = null, guaranteeMemoryMiB = null, maxMemoryMiB = null } = quota;
  const inSizes = sizes !== undefined;
  const named = {
    ...(body.guarantee !== undefined && { guarantee, ...(inSizes && { guaranteeSizes }) }),
    ...(body.max !== undefined && { max, ...(inSizes && { maxSizes }) }),
    ...(body.lendable !== undefined && { lendable }),
    ...(body.weight !== undefined && { weight }),
    ...(body.cpus?.guarantee !== undefined && { guaranteeCpusMilli }),
    ...(body.cpus?.max !== undefined && { maxCpusMilli }),
    ...(body.memoryMiB?.guarantee !== undefined && { guaranteeMemoryMiB }),
    ...(body.memoryMiB?.max !== undefined && { maxMemoryMiB }),
  };
  if (Object.keys(named).length > 0) return named;
  return refuse("invalid", "window", null, "changes nothing", "name guarantee, max, lendable or weight");
}

const windowFields: ReadonlySet<string> = new Set(["guarantee", "max", "lendable", "weight", "cpus", "memoryMiB"]);

function ceilingOf(
  given: GpuAmount | null | undefined,
  from: Amounts | undefined,
  field: string,
  sizes: SizeClasses | undefined,
): Amounts | undefined | Refusal {
  if (given === undefined) return from;
  return given === null ? undefined : amountsOf(given, field, sizes);
}

/** What is left out stays as it is, null takes it away. */
function halfOf(given: number | null | undefined, from: number | undefined): number | undefined {
  return given === undefined ? from : (given ?? undefined);
}

function milliOf(
  cpus: number | null | undefined,
  from: number | undefined,
  field: string,
): number | undefined | Refusal {
  return typeof cpus === "number" ? cpusToMilli(cpus, field) : halfOf(cpus, from);
}

function limitsOf(given: NonNullable<AccountEdit["limits"]>): Limits | Refusal {
  const runMsMax = given.runTime === undefined ? undefined : parseDuration(given.runTime, "limits.runTime");
  if (isRefusal(runMsMax)) return runMsMax;
  const runMsDefault =
    given.defaultTime === undefined ? undefined : parseDuration(given.defaultTime, "limits.defaultTime");
  if (isRefusal(runMsDefault)) return runMsDefault;
  const most = runMsMax ?? Number.POSITIVE_INFINITY;
  if (runMsDefault !== undefined && (runMsDefault === 0 || runMsDefault > most)) {
    const hint = runMsMax === undefined ? "give at least 1s" : `give at least 1s and at most ${given.runTime}`;
    return refuse("invalid", "limits.defaultTime", given.defaultTime!, "is not a time that a job may run", hint);
  }
  const outputsKeptMs =
    given.outputsKept === undefined ? undefined : parseDuration(given.outputsKept, "limits.outputsKept");
  if (isRefusal(outputsKeptMs)) return outputsKeptMs;
  const egress = parseEgress(given.egress, "limits.egress");
  if (isRefusal(egress)) return egress;
  const gpuTime = given.gpuHours === undefined ? undefined : gpuTimeOf(given.gpuHours);
  if (isRefusal(gpuTime)) return gpuTime;
  return {
    ...(given.gpusPerJob !== undefined && { gpusPerJobMax: given.gpusPerJob }),
    ...(runMsMax !== undefined && { runMsMax }),
    ...(runMsDefault !== undefined && { runMsDefault }),
    ...(given.waitingJobsPerUser !== undefined && { waitingJobsPerUserMax: given.waitingJobsPerUser }),
    ...(given.gpusPerUser !== undefined && { gpusPerUserMax: given.gpusPerUser }),
    ...(given.waitingJobs !== undefined && { waitingJobsMax: given.waitingJobs }),
    ...(given.jobFilesMiB !== undefined && { jobFilesMiBMax: given.jobFilesMiB }),
    ...(given.cpuMembers !== undefined && { cpuMembersMax: given.cpuMembers }),
    ...(given.scratchMiB !== undefined && { scratchMiBMax: given.scratchMiB }),
    ...(given.checkpointMiB !== undefined && { checkpointMiBMax: given.checkpointMiB }),
    ...(given.outputsMiB !== undefined && { outputsMiBMax: given.outputsMiB }),
    ...(outputsKeptMs !== undefined && { outputsKeptMs }),
    ...(egress !== undefined && { egress }),
    ...(gpuTime !== undefined && { gpuTime }),
  };
}

function halfLifeOf(given: string | null | undefined, from: number | undefined): number | undefined | Refusal {
  if (given === undefined) return from;
  if (given === null) return undefined;
  const ms = parseDuration(given, "historyHalfLife");
  if (isRefusal(ms) || (ms >= hour && ms <= 365 * day)) return ms;
  return refuse("invalid", "historyHalfLife", given, "is not between 1h and 365d", "write a time such as 7d");
}

/** Another order has no quantum; one that is given with it is refused. */
function quantumOf(
  given: string | null | undefined,
  order: string,
  from: number | undefined,
): number | undefined | Refusal {
  const evicts = order === "attained-service";
  if (given === undefined || given === null) return given === null || !evicts ? undefined : from;
  if (!evicts)
    return refuse(
      "invalid",
      "quantum",
      given,
      `is only for the order attained-service; it is ${order}`,
      "leave it out",
    );
  const ms = parseDuration(given, "quantum");
  if (isRefusal(ms) || (ms >= minute && ms <= day)) return ms;
  return refuse("invalid", "quantum", given, "is not between 1m and 1d", "write a time such as 30m");
}

function gpuTimeOf({ max, every }: { max: number; every: string }): Limits["gpuTime"] | Refusal {
  const everyMs = parseDuration(every, "limits.gpuHours.every");
  if (isRefusal(everyMs)) return everyMs;
  if (everyMs === 0) return refuse("invalid", "limits.gpuHours.every", every, "is zero", "give at least 1m");
  const unitMsMax = Math.round(max * gpuHourUnitMs);
  if (!Number.isSafeInteger(unitMsMax)) {
    const most = Math.floor(Number.MAX_SAFE_INTEGER / gpuHourUnitMs);
    return refuse(
      "invalid",
      "limits.gpuHours.max",
      max,
      "is too large to be counted",
      `give at most ${most} for each period`,
    );
  }
  return { unitMsMax, everyMs };
}
