import { nearestName } from "@tessera/wire";
import { Ajv2020, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js";
import { type Denial, deny } from "./problem.ts";

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
    return depth + (error.keyword === "type" || error.keyword === "const" ? 1 : 3);
  };
  return errors.reduce((best, error) => (rank(error) > rank(best) ? error : best));
}

function denialOf(errors: readonly ErrorObject[], sensitive: boolean): Denial {
  const error = chosen(errors);
  const path = fieldOf(error.instancePath);
  const { keyword, params } = error;
  const parent = (error.parentSchema ?? {}) as { properties?: object; description?: string; anyOf?: Schema[] };
  if (keyword === "additionalProperties") {
    const given = String(params.additionalProperty);
    const field = path === "" ? shown(given) : `${path}.${shown(given)}`;
    const nearest = nearestName(given, Object.keys(parent.properties ?? {}));
    const known = Object.keys(parent.properties ?? {});
    const hint =
      nearest !== undefined
        ? `Did you mean ${nearest}?`
        : known.length > 0
          ? `Known here: ${known.slice(0, 40).join(", ")}.`
          : "Leave it out.";
    return deny("unknown-field", `There is no field ${shown(given)} here.`, hint, field);
  }
  if (keyword === "required") {
    const missing = String(params.missingProperty);
    const field = path === "" ? missing : `${path}.${missing}`;
    return deny("invalid", `${field} is missing.`, `Give ${field}.`, field);
  }
  const secret = sensitive || path === "env" || path.startsWith("env.");
  const field = path === "" ? "" : path;
  const what = field === "" ? "The body" : field;
  return deny(
    "invalid",
    `${what} ${wrong(error, parent)}.`,
    parent.description ?? "",
    field,
    secret ? null : plain(error.data),
  );
}

function wrong(error: ErrorObject, parent: { anyOf?: Schema[]; description?: string }): string {
  const { keyword, params } = error;
  switch (keyword) {
    case "enum":
      return `must be one of ${(params.allowedValues as unknown[]).join(", ")}`;
    case "const":
      return `must be ${JSON.stringify(params.allowedValue)}`;
    case "anyOf":
      return `must be ${(parent.anyOf ?? []).map(told).join(", or ")}`;
    case "pattern":
      return "has characters or a form that is not allowed";
    default:
      return error.message ?? "is not valid";
  }
}

/** A branch of a choice in words. */
function told(schema: Schema): string {
  const { type, description, enum: values } = schema as { type?: string; description?: string; enum?: unknown[] };
  if (values !== undefined) return values.join(" | ");
  const kind =
    type === "object" ? "an object" : type === "array" ? "a list" : type === "integer" ? "a whole number" : `a ${type}`;
  return description === undefined ? kind : `${kind} (${description})`;
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
