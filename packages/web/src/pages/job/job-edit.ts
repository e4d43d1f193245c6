import type { Job, JobEdit } from "@tessera/wire";
import { plainAmount, readAmount } from "@tessera/wire/money";
import { tess } from "../../format/command.ts";
import { readMoney, writeMoney } from "../../format/money.ts";

const names = ["gpus", "nodes", "priority", "max_time", "max_price", "budget", "not_before", "deadline"] as const;
type FieldName = (typeof names)[number];

/** What of a waiting job is changed in a form, as text; empty where it has none. */
export type JobFields = Readonly<Record<FieldName, string>>;

const amounts: ReadonlySet<FieldName> = new Set<FieldName>(["max_price", "budget"]);

/** The fields as they can be typed: amounts as the reader's language writes them. */
export function fieldsOf({ spec }: Pick<Job, "spec">, locale?: string): JobFields {
  const text = (name: FieldName) => {
    const value = spec[name] === undefined ? "" : String(spec[name]);
    const micros = amounts.has(name) ? readAmount(value) : undefined;
    return micros === undefined ? value : writeMoney(micros, locale);
  };
  return Object.fromEntries(names.map((name) => [name, text(name)])) as Record<FieldName, string>;
}

/** The edit that makes one of the other; undefined where nothing is different, or an amount cannot be read. */
export function editBetween(before: JobFields, after: JobFields, locale?: string): JobEdit | undefined {
  const set: Record<string, string | number> = {};
  const unset: string[] = [];
  for (const name of changedBetween(before, after)) {
    const text = after[name].trim();
    if (text === "") unset.push(name);
    else if (amounts.has(name)) {
      const read = readMoney(text, locale);
      if ("wrong" in read) return undefined;
      set[name] = plainAmount(read.micros);
    } else set[name] = /^-?\d{1,9}$/.test(text) ? Number(text) : text;
  }
  if (unset.length === 0 && Object.keys(set).length === 0) return undefined;
  return { ...(Object.keys(set).length > 0 && { set }), ...(unset.length > 0 && { unset }) };
}

/** The names of the fields that are different. */
export function changedBetween(before: JobFields, after: JobFields): FieldName[] {
  return names.filter((name) => after[name].trim() !== before[name]);
}

/** The same edit on the command line, where an empty value takes a field back. */
export function commandOf(job: string, { set = {}, unset = [] }: JobEdit): string {
  const pairs = [...Object.entries(set).map(([name, value]) => `${name}=${value}`), ...unset.map((name) => `${name}=`)];
  return tess(["edit", job, ...pairs.flatMap((pair) => ["--set", pair])]);
}
