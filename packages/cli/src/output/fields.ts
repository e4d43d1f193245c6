import { type Paint, printable } from "../terminal.ts";
import { pad, widthOf } from "./width.ts";

export type Field = readonly [label: string, text: string | undefined];

/** Labels and values in two columns; fields without a value are left out. */
export function fieldsText(fields: readonly Field[], paint: Paint, indent = ""): string {
  const shown = fields.filter((field): field is readonly [string, string] => field[1] !== undefined && field[1] !== "");
  const width = shown.reduce((widest, [label]) => Math.max(widest, widthOf(label)), 0);
  return shown.map(([label, text]) => `${indent}${paint("dim", pad(label, width))}  ${printable(text)}\n`).join("");
}

/** Any API object as fields, inner objects by dotted names. */
export function objectFields(value: unknown, prefix = ""): Field[] {
  if (typeof value !== "object" || value === null) return [[prefix, value === undefined ? undefined : String(value)]];
  if (Array.isArray(value)) {
    const plain = value.every((each) => typeof each !== "object" || each === null);
    if (plain) return [[prefix, value.join(", ")]];
    return value.flatMap((each, index) => objectFields(each, `${prefix}[${index}]`));
  }
  return Object.entries(value).flatMap(([key, inner]) => objectFields(inner, prefix === "" ? key : `${prefix}.${key}`));
}
