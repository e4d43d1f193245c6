import { attributeOf, type Json, objectOf } from "./attributes.ts";
import { ScimFault } from "./fault.ts";
import { type Condition, parsePath, type ScimPath } from "./filter.ts";
import { scimLimits } from "./limits.ts";

/** A resource while operations change it; its attributes are spelled as here. */
export type Draft = Record<string, unknown>;
type Operation = "add" | "replace" | "remove";
/** How an attribute is built; one that is not named is not kept, and changing it changes nothing. */
export type Attributes = Readonly<Record<string, "simple" | "complex" | "multiple">>;

const readOnly: ReadonlySet<string> = new Set(["id", "meta", "groups", "schemas"]);

/** Carries the operations of a PATCH out on the draft, as Okta and Entra ID send them. Throws a ScimFault. */
export function patch(draft: Draft, attributes: Attributes, body: unknown): Draft {
  const operations = attributeOf(objectOf(body, "the body"), "Operations");
  if (!Array.isArray(operations) || operations.length === 0)
    throw new ScimFault(400, "invalidSyntax", "Operations must be a list with at least one operation");
  if (operations.length > scimLimits.operationsMax)
    throw new ScimFault(400, "tooMany", `there are more than ${scimLimits.operationsMax} operations`);
  for (const each of operations) operate(draft, attributes, objectOf(each, "an operation"));
  return draft;
}

function operate(draft: Draft, attributes: Attributes, json: Json): void {
  const op = String(attributeOf(json, "op")).toLowerCase();
  if (op !== "add" && op !== "replace" && op !== "remove")
    throw new ScimFault(400, "invalidSyntax", `${JSON.stringify(op.slice(0, 40))} is not add, replace or remove`);
  const path = attributeOf(json, "path");
  const value = attributeOf(json, "value");
  if (typeof path === "string") {
    change(draft, attributes, op, path, value);
    return;
  }
  if (path !== undefined && path !== null) throw new ScimFault(400, "invalidPath", "a path must be text");
  if (op === "remove") throw new ScimFault(400, "noTarget", "remove needs a path");
  for (const [key, inner] of Object.entries(objectOf(value, "a value without a path"))) {
    if (!readOnly.has(key.toLowerCase())) change(draft, attributes, op, key, inner);
    else if (key.toLowerCase() === "id" && inner !== draft.id) throw unchangeable("id");
  }
}

function unchangeable(attribute: string): ScimFault {
  return new ScimFault(400, "mutability", `${attribute} cannot be changed`);
}

function change(draft: Draft, attributes: Attributes, op: Operation, text: string, value: unknown): void {
  const path = parsePath(text);
  if (path === undefined) return;
  if (readOnly.has(path.attribute)) throw unchangeable(path.attribute);
  const name = Object.keys(attributes).find((each) => each.toLowerCase() === path.attribute);
  if (name === undefined) return;
  if (op !== "remove" && value === undefined) throw new ScimFault(400, "invalidValue", `${text}: a value is missing`);
  if (attributes[name] === "multiple") draft[name] = changedItems(itemsOf(draft[name]), op, path, value);
  else if (path.where.length > 0) throw new ScimFault(400, "invalidPath", `${name} has no values to choose from`);
  else if (attributes[name] === "complex") draft[name] = changedParts(draft[name], op, path.part, value);
  else if (path.part !== undefined) throw new ScimFault(400, "invalidPath", `${name} has no parts`);
  else draft[name] = op === "remove" ? undefined : value;
}

function changedParts(before: unknown, op: Operation, part: string | undefined, value: unknown): unknown {
  const parts = before === undefined ? {} : objectOf(before, "the attribute");
  if (part === undefined)
    return op === "remove" ? undefined : { ...parts, ...objectOf(value, "the value of the attribute") };
  return withPart(parts, part, op === "remove" ? undefined : value);
}

/** Values of a list, chosen by conditions. */
function changedItems(items: readonly Json[], op: Operation, { where, part }: ScimPath, value: unknown): Json[] {
  const isMeant = (item: Json) => where.every((condition) => holds(item, condition));
  if (where.length === 0 && part === undefined) {
    const given = op === "remove" && (value === undefined || value === null) ? undefined : itemsOf(value);
    if (op === "replace") return given ?? [];
    const values = new Set(given?.map((each) => attributeOf(each, "value")));
    // Entra ID names the values that go beside the path, and not in it.
    if (op === "remove")
      return given === undefined ? [] : items.filter((each) => !values.has(attributeOf(each, "value")));
    return [...items.filter((each) => !values.has(attributeOf(each, "value"))), ...(given ?? [])];
  }
  if (op === "remove" && part === undefined) return items.filter((each) => !isMeant(each));
  const set = (item: Json): Json =>
    part === undefined
      ? { ...item, ...objectOf(value, "the value") }
      : withPart(item, part, op === "remove" ? undefined : value);
  if (items.some(isMeant)) return items.map((each) => (isMeant(each) ? set(each) : each));
  if (op === "remove") return [...items];
  return [...items, set(Object.fromEntries(where.map(({ attribute, value: is }) => [attribute, is])))];
}

function withPart(parts: Json, part: string, value: unknown): Json {
  const others = Object.entries(parts).filter(([key]) => key.toLowerCase() !== part);
  return { ...Object.fromEntries(others), ...(value !== undefined && value !== null && { [part]: value }) };
}

function holds(item: Json, { attribute, value }: Condition): boolean {
  const has = attributeOf(item, attribute);
  return typeof has === "string" && typeof value === "string"
    ? has.toLowerCase() === value.toLowerCase()
    : has === value;
}

function itemsOf(value: unknown): Json[] {
  const given = value === undefined || value === null ? [] : Array.isArray(value) ? value : [value];
  return given.map((each) => (typeof each === "string" ? { value: each } : objectOf(each, "a value")));
}
