/** Values that can be written to the journal: integers, strings, booleans, and lists and records of them. */
export type Canonical = number | string | boolean | null | readonly Canonical[] | { readonly [key: string]: unknown };

/**
 * The canonical text of a value: JSON with keys in code-unit order, no spaces, absent fields omitted, whole numbers only.
 * Equal values have equal bytes on any machine, which the hash chain relies on [S12].
 */
export function canonicalJson(value: unknown): string {
  return isInOrder(value) ? JSON.stringify(value) : spell(value);
}

/**
 * Whether `JSON.stringify` gives the canonical text. The most frequent records (submissions, starts, reports) are built
 * with their keys in order; this check then saves two thirds of the time.
 */
function isInOrder(value: unknown): boolean {
  switch (typeof value) {
    case "string":
    case "boolean":
      return true;
    case "number":
      return Number.isSafeInteger(value);
    case "object":
      break;
    default:
      return false;
  }
  if (value === null) return true;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) if (!isInOrder(value[i])) return false;
    return true;
  }
  if (Object.getPrototypeOf(value) !== Object.prototype) return false;
  const record = value as Record<string, unknown>;
  let before = "";
  for (const key in record) {
    if (key < before) return false;
    before = key;
    const field = record[key];
    if (field !== undefined && !isInOrder(field)) return false;
  }
  return true;
}

function spell(value: unknown): string {
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
    for (let i = 0; i < value.length; i++) text += (i === 0 ? "" : ",") + spell(value[i]);
    return `${text}]`;
  }
  const record = value as Record<string, unknown>;
  const { keys, quoted } = keyOrderOf(record);
  let text = "{";
  for (let i = 0; i < keys.length; i++) {
    const field = record[keys[i]!];
    if (field !== undefined) text += (text.length === 1 ? "" : ",") + quoted[i] + spell(field);
  }
  return `${text}}`;
}

/** The keys of a record in their given order, sorted, and as they are written. */
interface KeyOrder {
  readonly given: readonly string[];
  readonly keys: readonly string[];
  readonly quoted: readonly string[];
}

/** Known orders, by first key. Records have few different key lists, and sorting the keys is the largest cost. */
const orders = new Map<string, KeyOrder[]>();
const ordersMax = 2_000;
let ordersKept = 0;

function keyOrderOf(record: Record<string, unknown>): KeyOrder {
  const given = Object.keys(record);
  const first = given[0] ?? "";
  for (const known of orders.get(first) ?? []) if (sameKeys(known.given, given)) return known;
  const keys = [...given].sort();
  const order = { given, keys, quoted: keys.map((key) => `${JSON.stringify(key)}:`) };
  if (ordersKept++ === ordersMax) {
    orders.clear();
    ordersKept = 1;
  }
  orders.set(first, [...(orders.get(first) ?? []), order]);
  return order;
}

function sameKeys(a: readonly string[], b: readonly string[]): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}
