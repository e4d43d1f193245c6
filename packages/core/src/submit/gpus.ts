import { isRefusal, type Refusal, refuse } from "../journal/refusal.ts";
import type { GpuAsk } from "../model/job.ts";
import { unitsPerGpu } from "../model/units.ts";

export type RawGpus = number | string | readonly (number | string)[] | { readonly any: readonly (number | string)[] };

/** `H100:8`, `8`, `[H100:8, A100:8]`, `{any: […]}` → alternatives in order of preference. */
export function parseGpus(raw: RawGpus, field: string): readonly GpuAsk[] | Refusal {
  const list = typeof raw === "object" ? ("any" in raw ? raw.any : raw) : [raw];
  const asks: GpuAsk[] = [];
  for (const [i, each] of list.entries()) {
    const ask = parseOne(each, list.length === 1 ? field : `${field}.${i}`);
    if (isRefusal(ask)) return ask;
    asks.push(ask);
  }
  return asks;
}

function parseOne(value: number | string, field: string): GpuAsk | Refusal {
  const text = String(value);
  if (/^\d+g\.\d+gb/i.test(text)) {
    return refuse(
      "unsupported",
      field,
      value,
      "is a MIG profile, and no engine here cuts GPUs into slices yet",
      "ask for whole GPUs, such as H100:1",
    );
  }
  const match =
    /^(?:(\*|[A-Za-z][A-Za-z0-9._-]{0,62}):)?(\d{1,6}(?:\.\d{1,6})?)$/.exec(text) ??
    /^([A-Za-z][A-Za-z0-9._-]{0,62})()$/.exec(text);
  if (match === null) {
    return refuse(
      "invalid",
      field,
      value,
      "is not a GPU request",
      "write a count (8), a model with a count (H100:8), or a list of those",
    );
  }
  const count = match[2] === "" ? 1 : Number(match[2]);
  if (!Number.isInteger(count)) {
    return refuse(
      "unsupported",
      field,
      value,
      "asks for a part of a GPU, and no engine here shares GPUs yet",
      "ask for whole GPUs, such as H100:1",
    );
  }
  return { model: match[1] ?? "*", count, unitsEach: unitsPerGpu };
}

/** Whether a wish or a quota for `asked` covers a device of `model`: the same, or a variant of it. */
export function modelMatches(asked: string, model: string): boolean {
  return asked === "*" || model === asked || (model.startsWith(asked) && model[asked.length] === "-");
}
