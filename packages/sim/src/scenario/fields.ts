import { type Refusal, refuse } from "@tessera/core";
import { nearestName } from "@tessera/server";

export type FieldPath = readonly (string | number)[];

/** Carries a refusal from a nested field to the one place that returns it. */
export class BadField extends Error {
  readonly refusal: Refusal;
  readonly path: FieldPath;
  /** The line of a text that is not YAML, where no path is known. */
  readonly line: number | undefined;

  constructor(
    path: FieldPath,
    value: unknown,
    detail: string,
    hint: string,
    kind: Refusal["refused"] = "invalid",
    line?: number,
  ) {
    super(detail);
    this.path = path;
    this.line = line;
    this.refusal = refuse(kind, path.join("."), shown(value), detail, hint);
  }
}

/** Reads one value at one place, or throws BadField. */
export type Read<Value> = (value: unknown, path: FieldPath) => Value;

/** A value as an error message shows it. */
function shown(value: unknown): Refusal["value"] {
  if (value === undefined || value === null) return null;
  if (typeof value === "string") return value.slice(0, 200);
  if (typeof value === "number" || typeof value === "boolean") return value;
  return JSON.stringify(value).slice(0, 200);
}

/** `did you mean x?` where a known name is near, else all known names. */
export function hintFor(given: string, known: readonly string[]): string {
  const near = nearestName(given, known);
  return near === undefined ? `known: ${known.join(", ") || "none"}` : `did you mean ${near}?`;
}

/** One of the names that are known here, else an error with the nearest. */
export function knownName<Name extends string>(what: string, known: readonly Name[]): Read<Name> {
  return (value, path) => {
    if (known.includes(value as Name)) return value as Name;
    throw new BadField(path, value, `is not ${what}`, hintFor(String(value), known));
  };
}

/** A mapping with fixed keys; any other key is an error. */
export class Fields {
  readonly #record: Readonly<Record<string, unknown>>;
  readonly #path: FieldPath;

  constructor(value: unknown, path: FieldPath, what: string, known: readonly string[]) {
    this.#record = recordOf(value, path, what);
    this.#path = path;
    for (const key of Object.keys(this.#record)) {
      if (known.includes(key)) continue;
      const detail = `is not a field of ${what}`;
      throw new BadField([...path, key], this.#record[key], detail, hintFor(key, known), "unknown-field");
    }
  }

  /** Keys that are given, in the order written. */
  keys(): string[] {
    return Object.keys(this.#record);
  }

  take<Value>(key: string, read: Read<Value>): Value | undefined {
    const value = this.#record[key];
    return value === undefined ? undefined : read(value, [...this.#path, key]);
  }

  need<Value>(key: string, read: Read<Value>, hint: string): Value {
    const value = this.#record[key];
    if (value === undefined) throw new BadField([...this.#path, key], null, "is missing", hint);
    return read(value, [...this.#path, key]);
  }
}

/** A mapping of any keys to values of one kind, in the order written. */
export function mapOf<Value>(what: string, read: (value: unknown, path: FieldPath, key: string) => Value) {
  return (value: unknown, path: FieldPath): Value[] =>
    Object.entries(recordOf(value, path, what)).map(([key, each]) => read(each, [...path, key], key));
}

export function listOf<Value>(what: string, read: Read<Value>): Read<Value[]> {
  return (value, path) => {
    if (!Array.isArray(value)) throw new BadField(path, value, `is not a list of ${what}`, "write it as [ … ]");
    return value.map((each, i) => read(each, [...path, i]));
  };
}

/** `key:` with nothing behind it counts as an empty mapping. */
function recordOf(value: unknown, path: FieldPath, what: string): Record<string, unknown> {
  if (value === null) return {};
  if (typeof value === "object" && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new BadField(path, value, `is not ${what}`, "write it as a mapping: {key: value}");
}
