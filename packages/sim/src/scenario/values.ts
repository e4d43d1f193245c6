import {
  cpusToMilli,
  type GpuAmounts,
  gpusToUnits,
  isRefusal,
  parseDuration,
  parseSize,
  type Refusal,
} from "@tessera/core";
import { BadField, type FieldPath, mapOf, type Read } from "./fields.ts";
import type { Labels } from "./scenario.ts";

const plainName = /^[A-Za-z0-9]([A-Za-z0-9._-]{0,98}[A-Za-z0-9])?$/;
const modelName = /^[A-Za-z][A-Za-z0-9._-]{0,62}$/;
const pathPattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}(\/[A-Za-z0-9][A-Za-z0-9._-]{0,62}){0,15}$/;
const migProfile = /^(?:(?:\*|[A-Za-z][A-Za-z0-9._-]{0,62}):)?\d{1,2}g\.\d{1,3}gb(?:\+me)?$/;

/** A value as the core reads it; a refusal names the place in the file. */
function settled<Value>(result: Value | Refusal, value: unknown, path: FieldPath): Value {
  if (isRefusal(result)) throw new BadField(path, value, result.detail, result.hint);
  return result;
}

export const text: Read<string> = (value, at) => {
  if (typeof value === "string" && value.trim() !== "") return value;
  throw new BadField(at, value, "is not a text", "write a few words");
};

export const name: Read<string> = (value, at) => {
  if (typeof value === "string" && plainName.test(value)) return value;
  const hint = typeof value === "number" ? `put it in quotes: "${value}"` : "use letters, digits, . _ and -";
  throw new BadField(at, value, "is not a name", hint);
};

/** Names by name: labels of a node, or those that are asked for. */
export const labels: Read<Labels> = (value, at) =>
  Object.fromEntries(mapOf("labels", (each, where, key) => [key, name(each, where)] as const)(value, at));

export const accountPath: Read<string> = (value, at) => {
  if (typeof value === "string" && pathPattern.test(value)) return value;
  throw new BadField(at, value, "is not an account path", "write names with / between, such as lab/vision");
};

export const flag: Read<boolean> = (value, at) => {
  if (typeof value === "boolean") return value;
  throw new BadField(at, value, "is not true or false", "write true or false");
};

export function whole(what: string, least: number, most = 1_000_000): Read<number> {
  return (value, at) => {
    if (Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most) return value as number;
    throw new BadField(at, value, `is not ${what}`, `write a whole number from ${least} to ${most}`);
  };
}

export const duration: Read<number> = (value, at) => {
  if (typeof value === "string") return settled(parseDuration(value, ""), value, at);
  const hint = typeof value === "number" ? `write the unit: ${value}s or ${value}m` : "write 0s, 61m or 2h30m";
  throw new BadField(at, value, "is not a duration", hint);
};

export const lastingDuration: Read<number> = (value, at) => {
  const ms = duration(value, at);
  if (ms > 0) return ms;
  throw new BadField(at, value, "is no time at all", "give at least 1ms, or leave it out");
};

export const size: Read<number> = (value, at) => settled(parseSize(value as string | number, ""), value, at);

export const cpus: Read<number> = (value, at) => {
  if (typeof value === "number") return settled(cpusToMilli(value, ""), value, at);
  throw new BadField(at, value, "is not a number of cores", "write a number such as 8 or 0.5");
};

export const percent: Read<number> = (value, at) => {
  const match = typeof value === "string" ? /^(\d{1,3})%$/.exec(value) : null;
  const amount = Number(match?.[1] ?? 0);
  if (amount >= 1 && amount <= 100) return amount;
  throw new BadField(at, value, "is not a part of a GPU's compute", "write 1% to 100%");
};

/** GPUs of any model, or by model, in units. */
export const gpuAmounts: Read<GpuAmounts> = (value, at) => {
  if (typeof value === "number") return { "*": units(value, at) };
  const entries = mapOf("an amount of GPUs", (amount, where, model): [string, number] => {
    if (model !== "*" && !modelName.test(model))
      throw new BadField(where, amount, "is not under a GPU model", "name it as in {H100: 4}");
    return [model, units(amount, where)];
  });
  return Object.fromEntries(entries(value, at));
};

export const units: Read<number> = (value, at) => {
  if (typeof value === "number") return settled(gpusToUnits(value, ""), value, at);
  throw new BadField(at, value, "is not a number of GPUs", "write a number such as 4 or 0.25");
};

/** `H100:8` of a node. */
export const nodeGpus: Read<{ model: string; count: number }> = (value, at) => {
  const match = typeof value === "string" ? /^([A-Za-z][A-Za-z0-9._-]{0,62}):(\d{1,4})$/.exec(value) : null;
  if (match !== null) return { model: match[1]!, count: Number(match[2]) };
  throw new BadField(at, value, "is not a model with a count", "write what each node has, such as H100:8");
};

/** The request of a member: a count, a model, a part of a GPU or a MIG profile; a list holds alternatives. */
export const askedGpus: Read<readonly (number | string)[]> = (value, at) => {
  if (!Array.isArray(value)) return [askedGpu(value, at)];
  if (value.length === 0) throw new BadField(at, value, "holds no alternative", "name at least one");
  return value.map((each, i) => askedGpu(each, [...at, i]));
};

const askedGpu: Read<number | string> = (value, at) => {
  if (typeof value === "number" && value >= 0) {
    gpuPart(value, value, at);
    return value;
  }
  if (typeof value === "string") {
    const match = /^(?:(\*|[A-Za-z][A-Za-z0-9._-]{0,62}):)?(\d{1,6}(?:\.\d{1,6})?)$/.exec(value);
    if (match !== null) gpuPart(Number(match[2]), value, at);
    if (match !== null || modelName.test(value) || migProfile.test(value)) return value;
  }
  throw new BadField(at, value, "is not a GPU request", "write 8, H100:8, H100:0.25 or 1g.10gb");
};

function gpuPart(count: number, value: unknown, at: FieldPath): void {
  settled(gpusToUnits(count, ""), value, at);
  if (count < 1 || Number.isInteger(count)) return;
  throw new BadField(at, value, "is more than one GPU and not whole", "ask for whole GPUs, or for a part of one");
}

/** `4`, or `4..8` for an elastic gang. */
export const memberRange: Read<{ min: number; max: number }> = (value, at) => {
  const match = /^(\d{1,5})(?:\.\.(\d{1,5}))?$/.exec(String(value));
  const min = Number(match?.[1] ?? 0);
  const max = Number(match?.[2] ?? min);
  if (match !== null && min >= 1 && max >= min) return { min, max };
  throw new BadField(at, value, "is not a number of members", "write 4, or 4..8 with the smaller number first");
};

const priorities: Readonly<Record<string, number>> = { low: -10, normal: 0, high: 10 };

export const priority: Read<number> = (value, at) => {
  const found = typeof value === "string" ? priorities[value] : value;
  if (Number.isSafeInteger(found) && Math.abs(found as number) <= 1_000) return found as number;
  throw new BadField(at, value, "is not a priority", "write low, normal, high or a whole number from -1000 to 1000");
};

/** `1-8`, `1-8:2`, `1-8%2`. */
export const array: Read<{ text: string; indexes: number[] }> = (value, at) => {
  const match =
    typeof value === "string" ? /^(\d{1,6})-(\d{1,6})(?::(\d{1,6}))?(?:%([1-9]\d{0,5}))?$/.exec(value) : null;
  const [first, last, step] = [Number(match?.[1]), Number(match?.[2]), Number(match?.[3] ?? 1)];
  if (match === null || last < first || step < 1 || (last - first) / step >= 10_000)
    throw new BadField(at, value, "is not an array", "write 1-8, 1-8:2 or 1-8%2, of at most 10000 elements");
  const indexes: number[] = [];
  for (let index = first; index <= last; index += step) indexes.push(index);
  return { text: match[0], indexes };
};
