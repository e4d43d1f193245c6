import {
  type AccountTerms,
  cpusToMilli,
  day,
  type GpuAmounts,
  gpusToUnits,
  hour,
  isRefusal,
  type Limits,
  parseDuration,
  plainTerms,
  type Quota,
  type QuotaWindow,
  type Refusal,
  refuse,
  unitsPerGpu,
} from "@tessera/core";
import type { AccountEdit, GpuAmount } from "@tessera/wire";
import { durationText, gpusOf } from "./quantities.ts";

/** `4` or `{H100: 4, "*": 2}` → units by model. */
function amountsOf(amount: GpuAmount, field: string): GpuAmounts | Refusal {
  const given = typeof amount === "number" ? { "*": amount } : amount;
  const amounts: Record<string, number> = {};
  for (const model of Object.keys(given).sort()) {
    const units = gpusToUnits(given[model]!, typeof amount === "number" ? field : `${field}.${model}`);
    if (isRefusal(units)) return units;
    amounts[model] = units;
  }
  return amounts;
}

/** What an account's terms become: fields that were left out stay, null takes a ceiling away. */
export function termsOf(body: AccountEdit, from: AccountTerms = plainTerms): AccountTerms | Refusal {
  const quota = quotaOf(body, from.quota);
  if (isRefusal(quota)) return quota;
  const limits = body.limits === undefined ? from.limits : limitsOf(body.limits);
  if (isRefusal(limits)) return limits;
  const historyHalfLifeMs = halfLifeOf(body.historyHalfLife, from.historyHalfLifeMs);
  if (isRefusal(historyHalfLifeMs)) return historyHalfLifeMs;
  const order = body.order ?? from.order ?? "age";
  const trustGroup = body.trustGroup === undefined ? from.trustGroup : (body.trustGroup ?? undefined);
  return {
    quota,
    limits,
    allowed: body.allowed ?? from.allowed,
    trust: body.trust ?? from.trust,
    ...(trustGroup !== undefined && { trustGroup }),
    overcommit: body.overcommit ?? from.overcommit,
    ...(historyHalfLifeMs !== undefined && { historyHalfLifeMs }),
    ...(order !== "age" && { order }),
  };
}

function quotaOf(body: AccountEdit, from: Quota): Quota | Refusal {
  const guarantee = body.guarantee === undefined ? from.guarantee : amountsOf(body.guarantee, "guarantee");
  if (isRefusal(guarantee)) return guarantee;
  const max = ceilingOf(body.max, from.max, "max");
  if (isRefusal(max)) return max;
  const lendable = ceilingOf(body.lendable, from.lendable, "lendable");
  if (isRefusal(lendable)) return lendable;
  const cpus =
    body.cpus === undefined
      ? undefined
      : { guarantee: milliOf(body.cpus.guarantee, "cpus.guarantee"), max: milliOf(body.cpus.max, "cpus.max") };
  if (isRefusal(cpus?.guarantee)) return cpus.guarantee;
  if (isRefusal(cpus?.max)) return cpus.max;
  const guaranteeCpusMilli = cpus === undefined ? from.guaranteeCpusMilli : cpus.guarantee;
  const maxCpusMilli = cpus === undefined ? from.maxCpusMilli : cpus.max;
  const guaranteeMemoryMiB = body.memoryMiB === undefined ? from.guaranteeMemoryMiB : body.memoryMiB.guarantee;
  const maxMemoryMiB = body.memoryMiB === undefined ? from.maxMemoryMiB : body.memoryMiB.max;
  return {
    guarantee,
    ...(max !== undefined && { max }),
    ...(lendable !== undefined && { lendable }),
    ...(guaranteeCpusMilli !== undefined && { guaranteeCpusMilli }),
    ...(maxCpusMilli !== undefined && { maxCpusMilli }),
    ...(guaranteeMemoryMiB !== undefined && { guaranteeMemoryMiB }),
    ...(maxMemoryMiB !== undefined && { maxMemoryMiB }),
    weight: body.weight ?? from.weight,
  };
}

/** The fields of a quota that a body names, for a time; null takes a ceiling away. */
export function quotaWindowOf(body: AccountEdit): QuotaWindow["quota"] | Refusal {
  for (const field of Object.keys(body)) {
    if (field === "window" || windowFields.has(field)) continue;
    return refuse("invalid", field, null, "cannot be changed for a time", `only ${[...windowFields].join(", ")}`);
  }
  const quota = quotaOf(body, plainTerms.quota);
  if (isRefusal(quota)) return quota;
  const { guarantee, max = null, lendable = null, weight } = quota;
  const { guaranteeCpusMilli = null, maxCpusMilli = null, guaranteeMemoryMiB = null, maxMemoryMiB = null } = quota;
  const named = {
    ...(body.guarantee !== undefined && { guarantee }),
    ...(body.max !== undefined && { max }),
    ...(body.lendable !== undefined && { lendable }),
    ...(body.weight !== undefined && { weight }),
    ...(body.cpus !== undefined && { guaranteeCpusMilli, maxCpusMilli }),
    ...(body.memoryMiB !== undefined && { guaranteeMemoryMiB, maxMemoryMiB }),
  };
  if (Object.keys(named).length > 0) return named;
  return refuse("invalid", "window", null, "comes with nothing to change", "name guarantee, max, lendable or weight");
}

const windowFields: ReadonlySet<string> = new Set(["guarantee", "max", "lendable", "weight", "cpus", "memoryMiB"]);

function ceilingOf(given: GpuAmount | null | undefined, from: GpuAmounts | undefined, field: string) {
  if (given === undefined) return from;
  return given === null ? undefined : amountsOf(given, field);
}

function milliOf(cpus: number | undefined, field: string): number | undefined | Refusal {
  return cpus === undefined ? undefined : cpusToMilli(cpus, field);
}

function limitsOf(given: NonNullable<AccountEdit["limits"]>): Limits | Refusal {
  const runMsMax = given.runTime === undefined ? undefined : parseDuration(given.runTime, "limits.runTime");
  if (isRefusal(runMsMax)) return runMsMax;
  const gpuTime = given.gpuHours === undefined ? undefined : gpuTimeOf(given.gpuHours);
  if (isRefusal(gpuTime)) return gpuTime;
  return {
    ...(given.gpusPerJob !== undefined && { gpusPerJobMax: given.gpusPerJob }),
    ...(runMsMax !== undefined && { runMsMax }),
    ...(given.waitingJobsPerUser !== undefined && { waitingJobsPerUserMax: given.waitingJobsPerUser }),
    ...(given.gpusPerUser !== undefined && { gpusPerUserMax: given.gpusPerUser }),
    ...(gpuTime !== undefined && { gpuTime }),
  };
}

function halfLifeOf(given: string | null | undefined, from: number | undefined): number | undefined | Refusal {
  if (given === undefined) return from;
  if (given === null) return undefined;
  const ms = parseDuration(given, "historyHalfLife");
  if (isRefusal(ms) || (ms >= hour && ms <= 365 * day)) return ms;
  return refuse("invalid", "historyHalfLife", given, "is not between an hour and a year", "such as 7d");
}

const gpuHourUnitMs = unitsPerGpu * hour;

function gpuTimeOf({ max, every }: { max: number; every: string }): Limits["gpuTime"] | Refusal {
  const everyMs = parseDuration(every, "limits.gpuHours.every");
  if (isRefusal(everyMs)) return everyMs;
  if (everyMs === 0) return refuse("invalid", "limits.gpuHours.every", every, "is no time at all", "give at least 1m");
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

/** Units by model → GPUs by model. */
export function renderAmounts(amounts: GpuAmounts): Record<string, number> {
  return Object.fromEntries(Object.entries(amounts).map(([model, units]) => [model, gpusOf(units)]));
}

/** Limits in the words of the request. */
export function renderLimits(limits: Limits): Record<string, unknown> {
  return {
    ...(limits.gpusPerJobMax !== undefined && { gpusPerJob: limits.gpusPerJobMax }),
    ...(limits.runMsMax !== undefined && { runTime: durationText(limits.runMsMax) }),
    ...(limits.waitingJobsPerUserMax !== undefined && { waitingJobsPerUser: limits.waitingJobsPerUserMax }),
    ...(limits.gpusPerUserMax !== undefined && { gpusPerUser: limits.gpusPerUserMax }),
    ...(limits.gpuTime !== undefined && {
      gpuHours: { max: limits.gpuTime.unitMsMax / gpuHourUnitMs, every: durationText(limits.gpuTime.everyMs) },
    }),
  };
}
