import { parse } from "yaml";
import { usageFailure } from "../failure.ts";
import type { Spec } from "./spec-file.ts";

/** Changes of a job: fields to set, as in a job file, and fields that get their default back. */
export interface Changes {
  readonly set: Spec;
  readonly unset: readonly string[];
}

/**
 * Reads `KEY=VALUE` words against the job that they change. `KEY=` takes a field back; `checkpoint.grace=5m` and
 * `env.LR=0.1` change one entry of a field and keep the others.
 */
export function readChanges(words: readonly string[], spec: Spec): Changes {
  const set: Spec = {};
  const unset: string[] = [];
  for (const word of words) {
    const at = word.indexOf("=");
    const key = at < 0 ? word : word.slice(0, at);
    if (at < 1 || !/^[a-z_]+(\.[A-Za-z0-9_]+)?$/.test(key))
      throw usageFailure(`--set must be KEY=VALUE, got "${word}"`, "such as --set gpus=4 --set max_time=2h");
    const text = word.slice(at + 1);
    const [field = "", entry] = key.split(".");
    if (entry === undefined) {
      if (text === "") unset.push(field);
      else set[field] = readValue(text);
      continue;
    }
    const now = set[field] ?? spec[field] ?? {};
    if (typeof now !== "object" || Array.isArray(now))
      throw usageFailure(`${field} has no entry ${entry}`, `set it as a whole: --set ${field}=…`);
    const entries = { ...(now as Spec) };
    if (text === "") delete entries[entry];
    else entries[entry] = field === "env" ? text : readValue(text);
    set[field] = entries;
  }
  return { set, unset };
}

/** As a job file has it: numbers, true and false, lists and mappings; everything else is text. */
function readValue(text: string): unknown {
  try {
    return parse(text) as unknown;
  } catch {
    return text;
  }
}
