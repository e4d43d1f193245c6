import type { Job, JobEdit } from "@tessera/wire";
import { tess } from "../../format/command.ts";

/** What of a waiting job is changed in a form, as text; empty where it has none. */
export interface JobFields {
  readonly gpus: string;
  readonly nodes: string;
  readonly priority: string;
  readonly max_time: string;
  readonly not_before: string;
  readonly deadline: string;
}

const names = ["gpus", "nodes", "priority", "max_time", "not_before", "deadline"] as const;

export function fieldsOf({ spec }: Pick<Job, "spec">): JobFields {
  const text = (name: (typeof names)[number]) => (spec[name] === undefined ? "" : String(spec[name]));
  const entries = names.map((name) => [name, text(name)] as const);
  return Object.fromEntries(entries) as Record<(typeof names)[number], string>;
}

/** The edit that makes one of the other; undefined where nothing is different. */
export function editBetween(before: JobFields, after: JobFields): JobEdit | undefined {
  const set: Record<string, string | number> = {};
  const unset: string[] = [];
  for (const name of names) {
    const text = after[name].trim();
    if (text === before[name]) continue;
    if (text === "") unset.push(name);
    else set[name] = /^-?\d{1,9}$/.test(text) ? Number(text) : text;
  }
  if (unset.length === 0 && Object.keys(set).length === 0) return undefined;
  return { ...(Object.keys(set).length > 0 && { set }), ...(unset.length > 0 && { unset }) };
}

/** The same edit on the command line, where an empty value takes a field back. */
export function commandOf(job: string, { set = {}, unset = [] }: JobEdit): string {
  const pairs = [...Object.entries(set).map(([name, value]) => `${name}=${value}`), ...unset.map((name) => `${name}=`)];
  return tess(["edit", job, ...pairs.flatMap((pair) => ["--set", pair])]);
}
