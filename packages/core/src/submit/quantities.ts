import { type Refusal, refuse } from "../journal/refusal.ts";
import { readDuration } from "../model/duration.ts";
import { day, unitsPerGpu } from "../model/units.ts";
import { readAmount } from "../money/amount.ts";

const longestMs = 10 * 365 * day;

/** `90m`, `2h30m` → milliseconds. */
export function parseDuration(text: string, field: string): number | Refusal {
  const total = readDuration(text);
  if (total === undefined) {
    return refuse("invalid", field, text, "is not a duration", "write a number with a unit: 90s, 45m, 2h30m, 1d");
  }
  if (total > longestMs) return refuse("invalid", field, text, "is longer than ten years", "give a shorter duration");
  return total;
}

const sizeUnits: Readonly<Record<string, number>> = {
  MiB: 1,
  M: 1,
  GiB: 1024,
  G: 1024,
  TiB: 1024 * 1024,
  T: 1024 * 1024,
  MB: 1e6 / 1048576,
  GB: 1e9 / 1048576,
  TB: 1e12 / 1048576,
};

/** `64GiB`, `1.5TiB`, or a number of MiB → MiB, rounded up. */
export function parseSize(value: string | number, field: string): number | Refusal {
  const bad = () => refuse("invalid", field, value, "is not a size", "write 512MiB, 64GiB or 1.5TiB");
  if (typeof value === "number") return Number.isSafeInteger(value) && value >= 0 ? value : bad();
  const match = /^(\d{1,9}(?:\.\d{1,3})?)\s?(MiB|GiB|TiB|MB|GB|TB|M|G|T)$/.exec(value);
  if (match === null) return bad();
  return Math.ceil(Number(match[1]) * sizeUnits[match[2]!]!);
}

/** A number of GPUs, whole or not, → units. Parts that are not exact in units are refused rather than rounded. */
export function gpusToUnits(gpus: number, field: string): number | Refusal {
  const units = Math.round(gpus * unitsPerGpu);
  if (!(gpus >= 0) || !Number.isSafeInteger(units) || Math.abs(gpus * unitsPerGpu - units) > 1e-6) {
    return refuse(
      "invalid",
      field,
      gpus,
      "is not a part of a GPU that can be counted exactly",
      "write thousandths (0.125), or a MIG profile (1g.10gb)",
    );
  }
  return units;
}

const microsMax = 1_000_000_000_000_000;

/** `12`, `2.5`, `0.000001` of the price list's currency → micros. */
export function parseAmount(value: string | number, field: string): number | Refusal {
  const micros = Number(readAmount(String(value).trim()) ?? -1n);
  if (micros > 0 && micros <= microsMax) return micros;
  return refuse("invalid", field, value, "is not an amount above 0", "write 12 or 2.50, in the price list's currency");
}

/** CPU cores → millicores. */
export function cpusToMilli(cpus: number, field: string): number | Refusal {
  const milli = Math.round(cpus * 1000);
  if (!(cpus >= 0) || Math.abs(cpus * 1000 - milli) > 1e-6) {
    return refuse("invalid", field, cpus, "is finer than a thousandth of a core", "round it, for instance to 0.5");
  }
  return milli;
}
