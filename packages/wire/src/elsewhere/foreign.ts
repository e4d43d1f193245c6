/** One field of a Tessera job, with the part of the foreign file that it comes from. */
export interface FoundField {
  readonly field: string;
  readonly value: unknown;
  readonly from: string;
}

/** A file written for another program, and what it would be here. */
export interface ForeignFile {
  /** With its article: `an sbatch script`. */
  readonly kind: string;
  readonly fields: readonly FoundField[];
  /** What was found and has no field here, and what to do about it. */
  readonly left: readonly string[];
}

/** Collects the fields of a foreign file; what is absent there is absent here. */
export class Draft {
  readonly #kind: string;
  readonly #fields: FoundField[] = [];
  readonly #left: string[] = [];

  constructor(kind: string) {
    this.#kind = kind;
  }

  put(field: string, value: unknown, from: string): void {
    if (value === undefined || value === null || value === "" || this.#fields.some((each) => each.field === field))
      return;
    this.#fields.push({ field, value, from });
  }

  /** Says what becomes of something that has no field. */
  leave(what: string, instead: string): void {
    this.#left.push(`${what}: ${instead}`);
  }

  done(): ForeignFile {
    return { kind: this.#kind, fields: this.#fields.toSorted(byOrder), left: this.#left };
  }
}

// As the examples of the documentation have them: what it is, what it needs, how long, what it runs.
const order = [
  "name",
  "type",
  "project",
  "nodes",
  "members",
  "gpus",
  "gpu_memory",
  "cpus",
  "memory",
  "shm",
  "max_time",
  "not_before",
  "priority",
  "preemptible",
  "retry",
  "checkpoint",
  "array",
  "after",
  "workdir",
  "env",
  "secrets",
  "setup",
  "run",
];

function byOrder(one: FoundField, other: FoundField): number {
  return order.indexOf(one.field) - order.indexOf(other.field);
}

export type Fields = Readonly<Record<string, unknown>>;

/** The value as an object; empty where it is none. */
export function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : value === undefined || value === null ? [] : [value];
}

export function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : typeof value === "number" ? String(value) : undefined;
}

/** A name that a job may have. */
export function nameOf(value: unknown): string | undefined {
  const name = textOf(value)
    ?.replace(/[^A-Za-z0-9._-]+/g, "-")
    .replace(/^[^A-Za-z0-9]+|[^A-Za-z0-9]+$/g, "")
    .slice(0, 100);
  return name === "" ? undefined : name;
}

/** `H100:8`, or `8` of any model. */
export function gpusOf(model: string | undefined, count: number): string | number {
  return model === undefined ? count : count === 1 ? model : `${model}:${count}`;
}

/** `NVIDIA-H100-80GB-HBM3`, `nvidia-tesla-a100`, `h100` → `H100`. */
export function modelOf(text: string): string {
  const known = /(B200|GB200|H200|H100|GH200|A100|A10G|A10|A30|A40|A16|L40S|L40|L4|V100|P100|T4|RTX[-_ ]?\w+)\b/i;
  return (known.exec(text.replace(/^nvidia[-_ ](tesla[-_ ])?/i, ""))?.[1] ?? text).toUpperCase();
}

/** `NAME=value` lines or a mapping, as a mapping of texts. */
export function envOf(value: unknown): Record<string, string> | undefined {
  const pairs = Array.isArray(value)
    ? value.map((each) => {
        const { name, value: inner } = fieldsOf(each);
        if (typeof name === "string") return [name, textOf(inner) ?? ""];
        const [key = "", ...rest] = String(each).split("=");
        return [key, rest.join("=")];
      })
    : Object.entries(fieldsOf(value)).map(([key, inner]) => [key, inner === null ? "" : String(inner)]);
  return pairs.length === 0 ? undefined : Object.fromEntries(pairs);
}
