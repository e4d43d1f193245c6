/** Values that can be written to the journal: integers, strings, booleans, and lists and records of them. */
export type Canonical = number | string | boolean | null | readonly Canonical[] | { readonly [key: string]: unknown };

/**
 * The one spelling of a value: JSON with keys in code-unit order, no spaces, absent fields left out, whole numbers
 * only. Two equal values have equal bytes on any machine, which is what the hash chain needs.
 */
export function canonicalJson(value: unknown): string {
  switch (typeof value) {
    case "string":
      return JSON.stringify(value);
    case "number":
      if (!Number.isSafeInteger(value)) throw new Error(`not a whole number: ${value}`);
      return String(value);
    case "boolean":
      return value ? "true" : "false";
    case "object":
      break;
    default:
      throw new Error(`cannot be written to the journal: ${typeof value}`);
  }
  if (value === null) return "null";
  if (Array.isArray(value)) {
    let text = "[";
    for (let i = 0; i < value.length; i++) text += (i === 0 ? "" : ",") + canonicalJson(value[i]);
    return `${text}]`;
  }
  const record = value as Record<string, unknown>;
  const keys = Object.keys(record).sort();
  let text = "{";
  let first = true;
  for (const key of keys) {
    const field = record[key];
    if (field === undefined) continue;
    text += `${first ? "" : ","}${JSON.stringify(key)}:${canonicalJson(field)}`;
    first = false;
  }
  return `${text}}`;
}
