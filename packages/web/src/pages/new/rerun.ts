import type { Job } from "@tessera/wire";

export type Fields = Readonly<Record<string, unknown>>;

/** A run that a new job starts from, as it would be written in full, and what every job has anyway. */
export interface Origin {
  readonly job: Job;
  readonly fields: Fields;
  readonly defaults: Fields;
}

/** The fields of a run that are to be written again, less what was meant for that time alone. */
export function rerunFields({ spec, project, array }: Pick<Job, "spec" | "project" | "array">, now: number): Fields {
  const { after: _, ...rest } = spec;
  const kept: Record<string, unknown> = { ...rest, project };
  if (array !== undefined) kept.array = `${array.index}-${array.index}`;
  for (const field of ["deadline", "not_before"])
    if (typeof kept[field] === "string" && Date.parse(kept[field]) <= now) delete kept[field];
  return kept;
}

/** The fields without those that a job has anyway. */
export function withoutDefaults(fields: Fields, defaults: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([field, value]) => !isSame(value, defaults[field])));
}

/** The fields with what a job has anyway. The two ways to say how many members there are exclude each other. */
export function withDefaults(fields: Fields, defaults: Fields): Fields {
  const { nodes, ...rest } = defaults;
  return { ...rest, ...(fields.members === undefined && nodes !== undefined && { nodes }), ...fields };
}

export interface Difference {
  readonly field: string;
  /** Absent where the run, or what is written, says nothing of the field. */
  readonly before?: string;
  readonly after?: string;
}

/** The fields in which what is written differs from a run; one left out has its default. */
export function differencesOf(run: Fields, written: Fields, defaults: Fields): Difference[] {
  const [before, after] = [withoutDefaults(run, defaults), withoutDefaults(written, defaults)];
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names
    .filter((field) => !isSame(before[field], after[field]))
    .map((field) => ({
      field,
      ...(field in before && { before: spell(before[field]) }),
      ...(field in after && { after: spell(after[field]) }),
    }));
}

function spell(value: unknown): string {
  return typeof value === "string" ? value.trim() : JSON.stringify(value);
}

/** Equal as YAML: the order of keys and `4` or `"4"` do not matter. */
function isSame(a: unknown, b: unknown): boolean {
  return plain(a) === plain(b);
}

function plain(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(plain).join(",")}]`;
  if (typeof value === "object" && value !== null)
    return `{${Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, each]) => `${key}:${plain(each)}`)
      .join(",")}}`;
  return String(value);
}
