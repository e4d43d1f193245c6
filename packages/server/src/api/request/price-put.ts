import {
  type Contract,
  isRefusal,
  type PriceVersion,
  type Refusal,
  refuse,
  type TimeOfDay,
  type UsageState,
} from "@tessera/core";
import type { ContractPut, PricePut } from "@tessera/wire";
import { checkZone, instantOf } from "../../flow/zones.ts";

/** States that cost nothing where a list does not say. */
const usuallyFree: readonly UsageState[] = ["starting", "scrub", "reshape"];

/** A price list as it was sent, in the core's words. */
export function priceVersionOf(put: PricePut): PriceVersion | Refusal {
  const zone = put.tz ?? "UTC";
  const bad = checkZone(zone);
  if (bad !== undefined) return bad;
  const fromAt = instantOf(put.from, zone, "from");
  if (isRefusal(fromAt)) return fromAt;
  const timesOfDay: TimeOfDay[] = [];
  for (const { tz, days, from, to, perMille } of put.timesOfDay ?? []) {
    const unknown = checkZone(tz);
    if (unknown !== undefined) return unknown;
    timesOfDay.push({ zone: tz, days, fromMinute: minuteOf(from), toMinute: minuteOf(to), perMille });
  }
  return {
    ...{ id: put.id, fromAt, currency: put.currency, zone, gpus: put.gpus },
    ...{ isolation: put.isolation ?? {}, topology: put.topology ?? {}, profile: put.profile ?? {} },
    cpuMicrosPerCoreHour: put.cpuMicrosPerCoreHour ?? 0,
    memoryMicrosPerGiBHour: put.memoryMicrosPerGiBHour ?? 0,
    storageMicrosPerGiBHour: put.storageMicrosPerGiBHour ?? 0,
    unbilled: (put.unbilled as UsageState[] | undefined) ?? usuallyFree,
    lenderPerMille: put.lenderPerMille ?? 0,
    lostWorkPerMille: put.lostWorkPerMille ?? 1000,
    idle: put.idle ?? { policy: "absorb", gpus: [] },
    minimumMicros: put.minimumMicros ?? 0,
    rounding: put.rounding ?? "half-even",
    timesOfDay,
  };
}

export function contractOf(tenant: string, put: ContractPut): Contract | Refusal {
  const zone = put.tz ?? "UTC";
  const bad = checkZone(zone);
  if (bad !== undefined) return bad;
  const fromAt = instantOf(put.from, zone, "from");
  if (isRefusal(fromAt)) return fromAt;
  const toAt = instantOf(put.to, zone, "to");
  if (isRefusal(toAt)) return toAt;
  if (put.gpus === undefined && put.perMille === undefined)
    return refuse("invalid", "perMille", null, "is missing", "give perMille, or gpus with rates");
  return { tenant, fromAt, toAt, gpus: put.gpus ?? [], perMille: put.perMille ?? 1000 };
}

function minuteOf(clock: string): number {
  const [hours, minutes] = clock.split(":");
  return Number(hours) * 60 + Number(minutes);
}
