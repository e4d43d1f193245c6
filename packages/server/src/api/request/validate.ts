import { anyTextPattern, durationPattern, gpuModelPattern, nearestName } from "@tessera/wire";
import { Ajv2020, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js";
import { type Denial, deny } from "../answer/problem.ts";

type Schema = object;

/** Says whether a value has the shape, and what is wrong first if not. */
export type Check = (value: unknown) => Denial | undefined;

const options = { strict: false, allErrors: false, verbose: true, validateFormats: false } as const;
const exact = new Ajv2020(options);
// Query strings are text: numbers and booleans are read from it, defaults are filled in.
const reading = new Ajv2020({ ...options, coerceTypes: true, useDefaults: true });

/** Compiles a schema for bodies: nothing is converted, unknown keys are errors. */
export function checkOfBody(schema: Schema, sensitive: boolean): Check {
  return checkOf(exact.compile(schema), sensitive);
}

/** Compiles a schema for query strings. The checked value is changed: numbers and booleans become such. */
export function checkOfQuery(schema: Schema): Check {
  return checkOf(reading.compile(schema), false);
}

function checkOf(validate: ValidateFunction, sensitive: boolean): Check {
  return (value) => (validate(value) ? undefined : denialOf(validate.errors ?? [], sensitive));
}

/** The error worth telling: the one that came furthest into the value, and in a choice the branch of the right type. */
function chosen(errors: readonly ErrorObject[]): ErrorObject {
  const rank = (error: ErrorObject) => {
    const depth = error.instancePath.split("/").length * 10;
    if (error.keyword === "anyOf") return depth + 2;
    return depth + (isOfOtherType(error) ? 1 : 3);
  };
  return errors.reduce((best, error) => (rank(error) > rank(best) ? error : best));
}

/** Whether the value is not even of the type that the rule is about: another branch says more. */
function isOfOtherType({ keyword, params, data }: ErrorObject): boolean {
  if (keyword === "enum") return !(params.allowedValues as unknown[]).some((value) => typeof value === typeof data);
  return keyword === "type" || keyword === "const";
}

/** What the texts below read of a schema. */
interface Described {
  readonly type?: string;
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Described[];
  readonly properties?: object;
  readonly patternProperties?: Readonly<Record<string, Described>>;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
}

function denialOf(errors: readonly ErrorObject[], sensitive: boolean): Denial {
  const error = chosen(errors);
  const path = fieldOf(error.instancePath);
  const { keyword, params } = error;
  const parent = (error.parentSchema ?? {}) as Described;
  if (keyword === "additionalProperties") return unknownName(String(params.additionalProperty), path, parent);
  if (keyword === "required") {
    const missing = String(params.missingProperty);
    const field = path === "" ? missing : `${path}.${missing}`;
    return deny("invalid", "is missing", `Add ${field}.`, field);
  }
  const secret = sensitive || path === "env" || path.startsWith("env.");
  const value = secret ? null : plain(error.data);
  // In a choice, what may be written is all of its branches together.
  const choice = errors.find((each) => each.keyword === "anyOf" && each.instancePath === error.instancePath);
  const allowed = choice === undefined ? parent : (choice.parentSchema as Described);
  const detail = path === "" ? `The body ${wrong(error)}` : wrong(error);
  return deny("invalid", detail, hintFor(path, allowed, value), path, value);
}

function unknownName(given: string, path: string, { properties, patternProperties }: Described): Denial {
  const field = path === "" ? shown(given) : `${path}.${shown(given)}`;
  const [names] = Object.keys(patternProperties ?? {});
  if (names !== undefined) {
    const hint = namesText[names] ?? "Use letters, digits and _, and begin with a letter.";
    return deny("unknown-field", "is not a valid name", hint, field);
  }
  const known = Object.keys(properties ?? {});
  const nearest = nearestName(given, known);
  const all = known.length > 0 ? `Known fields: ${known.slice(0, 40).join(", ")}.` : "Leave it out.";
  return deny("unknown-field", "is not a known field", nearest !== undefined ? `Did you mean ${nearest}?` : all, field);
}

/** What is allowed where names are chosen freely and are no identifiers, by the pattern that they must have. */
const namesText: Readonly<Record<string, string>> = {
  [gpuModelPattern]: "Use the name of a GPU model or of a size, or * for any.",
};

/** What is wrong, after the field and its value. */
function wrong({ keyword, params, data, parentSchema }: ErrorObject): string {
  const limit = Number(params.limit);
  if (typeof data === "number" && (parentSchema as Described).pattern === durationPattern) return "has no unit";
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
      return "is empty";
    case "maxLength":
      return `is too long: ${String(data).length} characters (limit ${limit})`;
    case "minItems":
      return "is an empty list";
    case "maxItems":
      return `has ${(data as unknown[]).length} entries (limit ${limit})`;
    default:
      return "is not valid";
  }
}

/** What to write instead. */
function hintFor(field: string, allowed: Described, value: Denial["value"]): string {
  const text = allowedText(allowed);
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

/** `/retry/when/0` → `retry.when.0` */
function fieldOf(instancePath: string): string {
  return instancePath
    .split("/")
    .slice(1)
    .map((part) => shown(part.replaceAll("~1", "/").replaceAll("~0", "~")))
    .join(".");
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
