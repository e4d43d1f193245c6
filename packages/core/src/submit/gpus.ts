import { isRefusal, type Refusal, refuse, refuseAll } from "../journal/refusal.ts";
import type { GpuAsk } from "../model/job.ts";
import { unitsPerGpu } from "../model/units.ts";
import { gpusToUnits } from "./quantities.ts";

export type RawGpus = number | string | readonly (number | string)[] | { readonly any: readonly (number | string)[] };

/** Parsed requests by their text. Few texts are common, so most jobs share one parsed value. */
const asksKnown = new Map<string | number, readonly GpuAsk[]>();
const asksKnownMax = 1_000;

/** `H100:8`, `8`, `[H100:8, A100:8]`, `{any: […]}` → alternatives in order of preference. */
export function parseGpus(raw: RawGpus, field: string): readonly GpuAsk[] | Refusal {
  if (typeof raw !== "object") {
    const known = asksKnown.get(raw);
    if (known !== undefined) return known;
    const ask = parseOne(raw, field);
    if (isRefusal(ask)) return ask;
    if (asksKnown.size >= asksKnownMax) asksKnown.clear();
    asksKnown.set(raw, [ask]);
    return asksKnown.get(raw)!;
  }
  const list = "any" in raw ? raw.any : raw;
  const asks: GpuAsk[] = [];
  const mistakes: Refusal[] = [];
  for (const [i, each] of list.entries()) {
    const ask = parseOne(each, `${"any" in raw ? `${field}.any` : field}[${i}]`);
    if (isRefusal(ask)) mistakes.push(ask);
    else asks.push(ask);
  }
  return refuseAll(mistakes) ?? asks;
}

function parseOne(value: number | string, field: string): GpuAsk | Refusal {
  const text = String(value);
  const profile = /^(?:(\*|[A-Za-z][A-Za-z0-9._-]{0,62}):)?(\d{1,2}g\.\d{1,3}gb(?:\+me)?)$/.exec(text);
  if (profile !== null) {
    const part = { compute: 0, memory: 0, memoryMiB: 0, profile: profile[2]! };
    return { count: 1, model: profile[1] ?? "*", part, unitsEach: 0 };
  }
  const match =
    /^(?:(\*|[A-Za-z][A-Za-z0-9._-]{0,62}):)?(\d{1,6}(?:\.\d{1,6})?)$/.exec(text) ??
    /^([A-Za-z][A-Za-z0-9._-]{0,62})()$/.exec(text);
  if (match === null) {
    return refuse(
      "invalid",
      field,
      value,
      "is not a request for GPUs",
      "write a count (8), a model with a count (H100:8), a part (H100:0.25, 1g.10gb), or a list of those",
    );
  }
  const model = match[1] ?? "*";
  const count = match[2] === "" ? 1 : Number(match[2]);
  if (Number.isInteger(count)) return { count, model, part: undefined, unitsEach: unitsPerGpu };
  if (count > 1) {
    return refuse(
      "invalid",
      field,
      value,
      "is neither a whole number of GPUs nor a part of one",
      "write 2 for whole GPUs, or 0.5 for a part of one",
    );
  }
  const units = gpusToUnits(count, field);
  if (isRefusal(units)) return units;
  return { count: 1, model, part: { compute: units, memory: units, memoryMiB: 0 }, unitsEach: units };
}
