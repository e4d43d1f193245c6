import {
  anyTextPattern,
  durationPattern,
  fieldElsewhere,
  gpuModelPattern,
  labelKeyPattern,
  nearestName,
  pathPattern,
} from "@tessera/wire";
import type { ErrorObject } from "ajv/dist/2020.js";
import { type Denial, deny } from "../answer/problem.ts";

/** What the texts below read of a schema. */
interface Described {
  readonly type?: string;
  /** What a value is, with its article: `a duration`. */
  readonly title?: string;
  readonly description?: string;
  readonly examples?: readonly unknown[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Described[];
  readonly items?: Described;
  readonly properties?: Readonly<Record<string, Described>>;
  readonly patternProperties?: Readonly<Record<string, Described>>;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
}

/** One error of the schema in words. In a choice, what may be written is all of its branches together. */
export function denialOf(error: ErrorObject, choice: ErrorObject | undefined, sensitive: boolean): Denial {
  const path = fieldOf(error.instancePath);
  const { keyword, params } = error;
  const parent = (error.parentSchema ?? {}) as Described;
  if (keyword === "additionalProperties") return unknownName(String(params.additionalProperty), path, parent);
  if (keyword === "required") {
    const field = inside(path, String(params.missingProperty));
    return deny("invalid", "is missing", `Add ${field}.`, field);
  }
  const secret = sensitive || path === "env" || /^env[.[]/.test(path);
  const value = secret ? null : plain(error.data);
  const allowed = choice?.instancePath === error.instancePath ? (choice.parentSchema as Described) : parent;
  const detail = path === "" ? `The body ${wrong(error, allowed)}` : wrong(error, allowed);
  const hint =
    keyword === "maxLength"
      ? `Write at most ${params.limit} characters.`
      : hintFor(path, ofKind(allowed, error.data), value);
  return deny("invalid", detail, hint, path, value);
}

/** `max_time: 90m`, as a job file could have it; undefined where the schema shows none. */
export function exampleOf(schema: object, field: string): string | undefined {
  const steps = field.match(/[^.[\]]+/g) ?? [];
  const found = steps.reduce<Described | undefined>(stepInto, schema as Described);
  const [example] = found?.examples ?? [];
  const last = steps.at(-1);
  if (example === undefined || last === undefined) return undefined;
  const text = typeof example === "string" ? example : JSON.stringify(example);
  return field.endsWith("]") ? `- ${text}` : `${last}: ${text}`;
}

function stepInto(schema: Described | undefined, name: string): Described | undefined {
  if (schema === undefined) return undefined;
  if (schema.anyOf !== undefined) {
    return schema.anyOf.map((branch) => stepInto(branch, name)).find((found) => found !== undefined);
  }
  if (schema.properties !== undefined && Object.hasOwn(schema.properties, name)) return schema.properties[name];
  if (schema.items !== undefined && /^\d+$/.test(name)) return schema.items;
  return Object.values(schema.patternProperties ?? {})[0];
}

function unknownName(given: string, path: string, parent: Described): Denial {
  const { properties, patternProperties } = parent;
  const field = inside(path, shown(given));
  const [names] = Object.keys(patternProperties ?? {});
  if (names !== undefined) {
    const hint = namesText[names] ?? "Use letters, digits and _, and begin with a letter.";
    return deny("unknown-field", "is not a valid name", hint, field);
  }
  const known = Object.keys(properties ?? {});
  const elsewhere = fieldElsewhere(given, known);
  if (elsewhere !== undefined) {
    const example = elsewhere.field === undefined ? undefined : exampleOf(parent, elsewhere.field);
    const denial = deny("unknown-field", "is not a known field", elsewhere.fix, field);
    return example === undefined ? denial : { ...denial, example };
  }
  const nearest = nearestName(given, known);
  const all = known.length > 0 ? `Known fields: ${known.slice(0, 40).join(", ")}.` : "Leave it out.";
  return deny("unknown-field", "is not a known field", nearest !== undefined ? `Did you mean ${nearest}?` : all, field);
}

/** What is allowed where names are chosen freely and are no identifiers, by the pattern that they must have. */
const namesText: Readonly<Record<string, string>> = {
  [gpuModelPattern]: "Use the name of a GPU model or of a size, or * for any.",
  [pathPattern]: "Use an absolute path, such as /data.",
  [labelKeyPattern]: "Use a key of a label, such as tier or example.com/rack: letters, digits, ., -, _ and /.",
};

/** What is wrong, after the field and its value. */
function wrong({ keyword, params, data, parentSchema }: ErrorObject, allowed: Described): string {
  const limit = Number(params.limit);
  if (typeof data === "number" && mustBeDuration(parentSchema as Described)) return "has no unit";
  switch (keyword) {
    case "type":
      return `must be ${typeText(params.type as string)}, and is ${kindOf(data)}`;
    case "minimum":
      return `is below ${limit}`;
    case "exclusiveMinimum":
      return `is not above ${limit}`;
    case "maximum":
      return `is above ${limit}`;
    case "minLength":
      return data === "" ? "is empty" : `is too short: ${String(data).length} characters (at least ${limit})`;
    case "maxLength":
      return `is too long: ${String(data).length} characters (limit ${limit})`;
    case "minItems":
      return "is an empty list";
    case "maxItems":
      return `has ${(data as unknown[]).length} entries (limit ${limit})`;
    case "maxProperties":
      return `has ${Object.keys(data as object).length} names (limit ${limit})`;
    case "multipleOf":
      return `is finer than ${Number(params.multipleOf)}`;
    case "uniqueItems":
      return "holds an entry twice";
    default:
      return isWritten(allowed, data) ? `is not ${nounOf(allowed)}` : "is not valid";
  }
}

function mustBeDuration(schema: Described): boolean {
  return schema.pattern === durationPattern || (schema.anyOf?.every(mustBeDuration) ?? false);
}

function isWritten(schema: Described, data: unknown): boolean {
  return nounOf(schema) !== "" && data !== "";
}

/** `a number or a range`: the branches of a choice that have a name. */
function nounOf(schema: Described): string {
  if (schema.anyOf === undefined) return schema.title ?? "";
  return listText([...new Set(schema.anyOf.map(nounOf).filter((noun) => noun !== ""))]);
}

/** Of a choice, only the alternatives of the value's own kind: a wrong number gets no advice about lists. */
function ofKind(schema: Described, data: unknown): Described {
  if (schema.anyOf === undefined) return schema;
  const isPlain = ({ type }: Described) => type !== "array" && type !== "object";
  const alike = schema.anyOf.filter((branch) => isPlain(branch) === (typeof data !== "object"));
  return alike.length === 0 ? schema : { anyOf: alike };
}

/** What to write instead. */
function hintFor(field: string, allowed: Described, value: Denial["value"]): string {
  const text = allowedText(allowed);
  if (typeof value === "number" && mustBeDuration(allowed)) return `Write ${value}s, ${value}m or ${value}h: ${text}.`;
  const quote =
    allowed.type === "string" && typeof value !== "string" && value !== null && allowed.pattern === anyTextPattern
      ? ` Quote it: ${field}: "${value}".`
      : "";
  return text === "" ? quote.trim() : `Write ${text}.${quote}`;
}

/** Everything that a schema allows, after "write". */
function allowedText(schema: Described): string {
  if (schema.anyOf !== undefined) return [...new Set(schema.anyOf.map(allowedText))].join(", or ");
  if (schema.enum !== undefined) return listText(schema.enum.map(String));
  if (schema.const !== undefined) return String(schema.const);
  // What a switch is described by is what it switches.
  if (schema.type === "boolean") return typeText(schema.type);
  const { minimum, maximum } = schema;
  const about = schema.description === undefined ? "" : ` (${schema.description})`;
  if (minimum !== undefined && maximum !== undefined)
    return `${typeText(schema.type)} from ${minimum} to ${maximum}${about}`;
  if (minimum !== undefined) return `${typeText(schema.type)} of at least ${minimum}${about}`;
  return schema.description === undefined ? typeText(schema.type) : uncapital(schema.description);
}

function typeText(type: string | undefined): string {
  switch (type) {
    case "string":
      return "text";
    case "integer":
      return "a whole number";
    case "number":
      return "a number";
    case "boolean":
      return "true or false";
    case "array":
      return "a list";
    case "object":
      return "names with values (NAME: value)";
    case "null":
      return "null";
    default:
      return "another value";
  }
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  switch (typeof value) {
    case "string":
      return "text";
    case "number":
      return "a number";
    case "boolean":
      return `the value ${value}`;
    default:
      return "an object";
  }
}

function listText(words: readonly string[]): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
}

function uncapital(text: string): string {
  return /^[A-Z]([a-z]| )/.test(text) ? `${text.slice(0, 1).toLowerCase()}${text.slice(1)}` : text;
}

/** `/retry/when/0` → `retry.when[0]` */
function fieldOf(instancePath: string): string {
  return instancePath
    .split("/")
    .slice(1)
    .map((part) => shown(part.replaceAll("~1", "/").replaceAll("~0", "~")))
    .reduce(inside, "");
}

/** The path of a name or of the place in a list within another. */
function inside(path: string, name: string): string {
  if (/^\d+$/.test(name) && path !== "") return `${path}[${name}]`;
  return path === "" ? name : `${path}.${name}`;
}

/** Names come from the caller and go to terminals: without control characters, and short. */
function shown(name: string): string {
  return name.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "?").slice(0, 100);
}

function plain(value: unknown): Denial["value"] {
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "boolean" || value === null) return value;
  return JSON.stringify(value)?.slice(0, 200) ?? null;
}
