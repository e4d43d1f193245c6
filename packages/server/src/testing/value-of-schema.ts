import { type Dice, textOfPattern } from "./text-of-pattern.ts";

/** What our descriptions use of JSON Schema. */
export interface Schema {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
  readonly multipleOf?: number;
  readonly items?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly maxProperties?: number;
  readonly additionalProperties?: boolean;
  readonly required?: readonly string[];
}

/** A random value that the schema allows, often at one of its edges. */
export function valueOfSchema(schema: Schema, dice: Dice): unknown {
  if (schema.anyOf !== undefined) return valueOfSchema(schema.anyOf[dice(schema.anyOf.length)]!, dice);
  if (schema.enum !== undefined) return schema.enum[dice(schema.enum.length)];
  if (schema.const !== undefined) return schema.const;
  switch (schema.type) {
    case "string":
      return textOf(schema, dice);
    case "integer":
      return Math.round(numberOf(schema, dice));
    case "number":
      return numberOf(schema, dice);
    case "boolean":
      return dice(2) === 0;
    case "null":
      return null;
    case "array":
      return Array.from({ length: countOf(schema.minItems ?? 0, schema.maxItems ?? 3, dice) }, () =>
        valueOfSchema(schema.items!, dice),
      );
    case "object":
      return objectOf(schema, dice);
    default:
      throw new Error(`no value can be made for ${JSON.stringify(schema)}`);
  }
}

function textOf({ pattern, minLength = 0, maxLength = 100 }: Schema, dice: Dice): string {
  if (pattern === undefined) return "x".repeat(countOf(minLength, Math.min(maxLength, minLength + 20), dice));
  const make = textOfPattern(pattern);
  for (let tries = 0; tries < 100; tries++) {
    const text = make(dice);
    const { length } = [...text];
    if (length >= minLength && length <= maxLength) return text;
  }
  throw new Error(`no text of ${minLength} to ${maxLength} characters was found for ${pattern}`);
}

function numberOf(schema: Schema, dice: Dice): number {
  const { exclusiveMinimum, maximum = 1000, multipleOf = 1 } = schema;
  const least = exclusiveMinimum === undefined ? (schema.minimum ?? 0) : exclusiveMinimum + multipleOf;
  const between = least + dice(20) * multipleOf;
  return [least, maximum, Math.min(maximum, Number(between.toFixed(3)))][dice(3)]!;
}

function objectOf({ properties = {}, patternProperties = {}, required = [] }: Schema, dice: Dice): object {
  const made: Record<string, unknown> = {};
  for (const [name, inner] of Object.entries(properties)) {
    if (required.includes(name) || dice(4) === 0) made[name] = valueOfSchema(inner, dice);
  }
  for (const [names, inner] of Object.entries(patternProperties)) {
    const make = textOfPattern(names);
    for (let i = dice(3); i > 0; i--) made[make(dice)] = valueOfSchema(inner, dice);
  }
  return made;
}

function countOf(least: number, most: number, dice: Dice): number {
  return least + dice(Math.min(3, most - least) + 1);
}
