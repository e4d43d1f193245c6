import { nearestName } from "@tessera/wire";
import { Ajv2020, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js";
import type { Denial } from "../answer/problem.ts";
import { denialOf } from "./wording.ts";

type Schema = object;

/** Says whether a value has the shape, and everything that is wrong with it if not. */
export type Check = (value: unknown) => Denial | undefined;

// Amounts are counted in thousandths, which binary fractions miss by a little.
const options = { strict: false, verbose: true, validateFormats: false, multipleOfPrecision: 6 } as const;
const exact = new Ajv2020(options);
// Looks on after the first mistake. Only asked once there is one: it takes longer.
const thorough = new Ajv2020({ ...options, allErrors: true });
// Query strings are text: numbers and booleans are read from it, defaults are filled in.
const reading = new Ajv2020({ ...options, coerceTypes: true, useDefaults: true });

/** A job file has fewer values than this. In a larger body only the first mistake is told: each one costs memory. */
const valuesMax = 2_000;

/** Compiles a schema for bodies: nothing is converted, unknown keys are errors. */
export function checkOfBody(schema: Schema, sensitive: boolean): Check {
  const first = exact.compile(schema);
  let all: ValidateFunction | undefined;
  return (value) => {
    if (first(value)) return undefined;
    if (countUpTo(value, valuesMax) === valuesMax) return denialOfAll(first.errors!, sensitive, "first");
    all ??= thorough.compile(schema);
    all(value);
    return denialOfAll(all.errors!, sensitive, "all");
  };
}

/** Compiles a schema for query strings. The checked value is changed: numbers and booleans become such. */
export function checkOfQuery(schema: Schema): Check {
  const validate = reading.compile(schema);
  return (value) => (validate(value) ? undefined : denialOfAll(validate.errors!, false, "first"));
}

/** The mistakes of a value, each field once. */
function denialOfAll(
  errors: readonly ErrorObject[],
  sensitive: boolean,
  misshapen: NonNullable<Denial["misshapen"]>,
): Denial {
  const told = new Map<string, Denial>();
  const all = worthTelling(errors);
  const written = all.filter(({ error }) => error.keyword !== "required");
  const missing = all.filter(({ error }) => error.keyword === "required" && !isMisspelt(error, written));
  for (const { error, choice } of [...written, ...missing]) {
    const denial = denialOf(error, choice, sensitive);
    if (!told.has(denial.field)) told.set(denial.field, { ...denial, misshapen });
  }
  const [main, ...also] = told.values();
  return also.length === 0 ? main! : { ...main!, also };
}

/** Whether the field that is missing is there under a name that is nearly right, which is told already. */
function isMisspelt({ instancePath, params }: ErrorObject, told: readonly Told[]): boolean {
  return told.some(({ error }) => {
    if (error.keyword !== "additionalProperties" || error.instancePath !== instancePath) return false;
    return nearestName(String(error.params.additionalProperty), [String(params.missingProperty)]) !== undefined;
  });
}

interface Told {
  readonly error: ErrorObject;
  /** The innermost choice that the error is a branch of. */
  readonly choice: ErrorObject | undefined;
}

/** Every error outside of choices, and of each choice the errors of the branch that came closest. */
function worthTelling(errors: readonly ErrorObject[], choice?: ErrorObject): Told[] {
  const choices = errors.filter(
    (each) => each.keyword === "anyOf" && !errors.some((other) => other !== each && holds(other, each)),
  );
  const told = errors
    .filter((each) => each.keyword !== "anyOf" && !choices.some((other) => holds(other, each)))
    .map((error) => ({ error, choice }));
  for (const each of choices)
    told.push(
      ...ofBestBranch(
        each,
        errors.filter((inner) => holds(each, inner)),
      ),
    );
  const order = new Map(errors.map((error, i) => [error, i]));
  return told.sort((a, b) => order.get(a.error)! - order.get(b.error)!);
}

function ofBestBranch(choice: ErrorObject, errors: readonly ErrorObject[]): Told[] {
  const branches = Map.groupBy(errors, ({ schemaPath }) => branchOf(choice, schemaPath));
  const best = [...branches.values()].reduce((a, b) => (closeness(b) > closeness(a) ? b : a));
  const right = best.filter((each) => !isOfOtherType(each) || each.instancePath !== choice.instancePath);
  // No branch is even of the right type: the choice as a whole is told.
  return right.length === 0 ? [{ error: choice, choice }] : worthTelling(right, choice);
}

/** How far into the value a branch came before it failed; a branch of another type came nowhere. */
function closeness(errors: readonly ErrorObject[]): number {
  return Math.max(...errors.map((each) => each.instancePath.split("/").length * 2 + (isOfOtherType(each) ? 0 : 1)));
}

function holds(choice: ErrorObject, { schemaPath }: ErrorObject): boolean {
  return choice.keyword === "anyOf" && schemaPath.startsWith(`${choice.schemaPath}/`);
}

function branchOf(choice: ErrorObject, schemaPath: string): string {
  return schemaPath.slice(choice.schemaPath.length + 1).split("/", 1)[0]!;
}

/** Whether the value is not even of the type that the rule is about: another branch, or an inner error, says more. */
function isOfOtherType({ keyword, params, data }: ErrorObject): boolean {
  if (keyword === "enum") return !(params.allowedValues as unknown[]).some((value) => typeof value === typeof data);
  return keyword === "type" || keyword === "const" || keyword === "anyOf";
}

/** The number of values in a value, counted up to `most`. */
function countUpTo(value: unknown, most: number): number {
  if (typeof value !== "object" || value === null) return 1;
  let count = 1;
  for (const inner of Object.values(value)) {
    count += countUpTo(inner, most - count);
    if (count >= most) return most;
  }
  return count;
}
