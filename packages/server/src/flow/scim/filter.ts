import { ScimFault } from "./fault.ts";
import { scimLimits } from "./limits.ts";

/** `attribute eq value`; the attribute in small letters, without the name of a schema. */
export interface Condition {
  readonly attribute: string;
  readonly value: string | boolean;
}

/** `emails[type eq "work"].value` */
export interface ScimPath {
  /** In small letters. */
  readonly attribute: string;
  readonly where: readonly Condition[];
  readonly part?: string;
}

const schema = /^urn:ietf:params:scim:schemas:core:2\.0:(?:User|Group):/i;
const attributeName = /^[a-z][a-z0-9_$-]*(?:\.[a-z$][a-z0-9_$-]*)?/i;
const ofOtherSchema = /^urn:[a-z0-9:._-]{1,200}$/i;
const eq = /^\s+eq\s+/i;
const and = /^\s+and\s+/i;
const quoted = /^"(?:[^"\\]|\\.)*"/;
const bare = /^(?:true|false)\b/i;

/** Conditions that all must hold: `eq` and `and` are what identity systems ask with. Throws a ScimFault. */
export function parseFilter(text: string): Condition[] {
  const wrong = (why: string) => new ScimFault(400, "invalidFilter", `the filter ${why}; use eq and and`);
  if (text.length > scimLimits.filterCharsMax) throw wrong(`has more than ${scimLimits.filterCharsMax} characters`);
  const conditions: Condition[] = [];
  let rest = text.trim();
  for (;;) {
    if (conditions.length === scimLimits.conditionsMax)
      throw wrong(`has more than ${scimLimits.conditionsMax} conditions`);
    const [read, condition] = readCondition(rest) ?? [];
    if (read === undefined || condition === undefined) throw wrong("is not understood");
    conditions.push(condition);
    rest = rest.slice(read);
    if (rest === "") return conditions;
    const [joined] = and.exec(rest) ?? [];
    if (joined === undefined) throw wrong("is not understood");
    rest = rest.slice(joined.length);
  }
}

/** The first condition of a text and how long it is. */
function readCondition(text: string): [number, Condition] | undefined {
  const prefix = schema.exec(text)?.[0].length ?? 0;
  const named = readPath(text.slice(prefix));
  if (named === undefined) return undefined;
  let at = prefix + named.length;
  const [sign] = eq.exec(text.slice(at)) ?? [];
  if (sign === undefined) return undefined;
  at += sign.length;
  const [value] = quoted.exec(text.slice(at)) ?? bare.exec(text.slice(at)) ?? [];
  if (value === undefined) return undefined;
  const read = value.startsWith('"') ? unquoted(value) : value.toLowerCase() === "true";
  if (read === undefined) return undefined;
  // `emails[type eq "work"].value` is looked at as `emails.value`: any of the addresses may be meant.
  const attribute = named.toLowerCase().replace(/\[.*\]/, "");
  return [at + value.length, { attribute, value: read }];
}

function readPath(text: string): string | undefined {
  const within = /^([a-z]+)\[[a-z]+ eq "[^"\\\]]*"\](\.[a-z]+)/i.exec(text);
  return within === null ? attributeName.exec(text)?.[0] : within[0];
}

function unquoted(text: string): string | undefined {
  try {
    return String(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** What an operation of PATCH is about; undefined where it is about a schema that is not kept. Throws a ScimFault. */
export function parsePath(text: string): ScimPath | undefined {
  const wrong = () => new ScimFault(400, "invalidPath", `${JSON.stringify(text.slice(0, 100))} is not a path`);
  if (text.length > scimLimits.filterCharsMax) throw wrong();
  const own = text.trim().replace(schema, "");
  if (ofOtherSchema.test(own)) return undefined;
  const [, attribute, filter, part] = /^([a-z$][\w$-]*)(?:\[(.*)\])?(?:\.([a-z$][\w$-]*))?$/i.exec(own) ?? [];
  if (attribute === undefined) throw wrong();
  const where = filter === undefined ? [] : parseFilter(filter);
  return { attribute: attribute.toLowerCase(), where, ...(part !== undefined && { part: part.toLowerCase() }) };
}
