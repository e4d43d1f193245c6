import { isRefusal, type Refusal, refuse } from "../journal/refusal.ts";
import { type IdleAction, type IdleRule, idleBounds } from "../model/idle.ts";
import { parseDuration } from "./quantities.ts";

/** `{gpu_below: 5%, for: 45m, do: stop}`; only `for` must be given. */
export interface RawIdle {
  readonly gpu_below?: string;
  readonly for: string;
  readonly do?: IdleAction;
}

const usualBelow = "5%";

export function parseIdle(raw: RawIdle | undefined, field: string): IdleRule | undefined | Refusal {
  if (raw === undefined) return undefined;
  const { gpu_below: below = usualBelow } = raw;
  const share = /^(\d{1,3}(?:\.\d{1,2})?)%$/.exec(below);
  const gpuBelow = Math.round(Number(share?.[1] ?? 0) * 100);
  const { min, max } = idleBounds.gpuBelow;
  if (gpuBelow < min || gpuBelow > max)
    return refuse("invalid", `${field}.gpu_below`, below, "is not between 0.1% and 50%", "write a share such as 5%");
  const forMs = parseDuration(raw.for, `${field}.for`);
  if (isRefusal(forMs)) return forMs;
  if (forMs < idleBounds.forMs.min || forMs > idleBounds.forMs.max)
    return refuse("invalid", `${field}.for`, raw.for, "is not between 30s and 30d", "write a time such as 45m");
  return { do: raw.do ?? "stop", forMs, gpuBelow };
}
