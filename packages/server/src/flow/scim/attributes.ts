import { invalidValue, ScimFault } from "./fault.ts";
import { scimLimits } from "./limits.ts";

/** JSON of an identity system, of which nothing is known yet. */
export type Json = Readonly<Record<string, unknown>>;

export interface ScimEmail {
  readonly value: string;
  readonly type?: string;
  readonly primary?: boolean;
}

export interface ScimName {
  readonly formatted?: string;
  readonly familyName?: string;
  readonly givenName?: string;
}

/** What is kept of a person; everything else that an identity system tells is not. */
export interface PersonSaid {
  readonly userName: string;
  readonly externalId?: string;
  readonly displayName?: string;
  readonly name?: ScimName;
  readonly emails: readonly ScimEmail[];
  /** Absent: as it was. */
  readonly active?: boolean;
}

export interface GroupSaid {
  readonly displayName: string;
  readonly externalId?: string;
  /** Ids of people. */
  readonly members: readonly string[];
}

export function personSaid(body: unknown): PersonSaid {
  const json = objectOf(body, "the body");
  const displayName = text(json, "displayName");
  const externalId = text(json, "externalId");
  const active = truth(json, "active");
  const name = nameOf(attributeOf(json, "name"));
  return {
    userName: needed(json, "userName"),
    ...(externalId !== undefined && { externalId }),
    ...(displayName !== undefined && { displayName }),
    ...(name !== undefined && { name }),
    emails: list(json, "emails", scimLimits.emailsMax).map(emailOf),
    ...(active !== undefined && { active }),
  };
}

export function groupSaid(body: unknown): GroupSaid {
  const json = objectOf(body, "the body");
  const externalId = text(json, "externalId");
  const members = list(json, "members", scimLimits.membersMax).map((each) =>
    typeof each === "string" ? each : needed(objectOf(each, "members"), "value"),
  );
  return {
    displayName: needed(json, "displayName", 200),
    ...(externalId !== undefined && { externalId }),
    members: [...new Set(members)],
  };
}

/** The value of an attribute: their names are the same in small and capital letters. */
export function attributeOf(json: Json, attribute: string): unknown {
  const wanted = attribute.toLowerCase();
  if (attribute in json) return json[attribute];
  return Object.entries(json).find(([key]) => key.toLowerCase() === wanted)?.[1];
}

export function objectOf(value: unknown, what: string): Json {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Json;
  throw new ScimFault(400, "invalidSyntax", `${what} is not a JSON object`);
}

/** Also as Entra ID writes it, such as "False". */
export function truth(json: Json, attribute: string): boolean | undefined {
  const value = attributeOf(json, attribute);
  if (value === undefined || value === null || typeof value === "boolean") return value ?? undefined;
  const small = typeof value === "string" ? value.toLowerCase() : "";
  if (small !== "true" && small !== "false") throw invalidValue(attribute, value, "say true or false");
  return small === "true";
}

function needed(json: Json, attribute: string, max?: number): string {
  const value = text(json, attribute, max);
  if (value === undefined) throw invalidValue(attribute, null, "it must be given");
  return value;
}

/** A line of text; an empty one and null are as none. */
function text(json: Json, attribute: string, max: number = scimLimits.textMax): string | undefined {
  const value = attributeOf(json, attribute);
  if (value === undefined || value === null || value === "") return undefined;
  if (typeof value !== "string") throw invalidValue(attribute, value, "it must be text");
  if (value.length > max) throw invalidValue(attribute, value, `it has more than ${max} characters`);
  if (/\p{Cc}/u.test(value) || value.trim() === "") throw invalidValue(attribute, value, "it must be a line of text");
  return value;
}

function list(json: Json, attribute: string, max: number): readonly unknown[] {
  const value = attributeOf(json, attribute);
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw invalidValue(attribute, value, "it must be a list");
  if (value.length > max) throw new ScimFault(400, "tooMany", `${attribute} has more than ${max} values`);
  return value;
}

function nameOf(value: unknown): ScimName | undefined {
  if (value === undefined || value === null) return undefined;
  const json = objectOf(value, "name");
  const parts = (["formatted", "familyName", "givenName"] as const).flatMap((part) => {
    const said = text(json, part);
    return said === undefined ? [] : [[part, said] as const];
  });
  return parts.length === 0 ? undefined : Object.fromEntries(parts);
}

function emailOf(value: unknown): ScimEmail {
  const json = objectOf(value, "emails");
  const type = text(json, "type", 40);
  const primary = truth(json, "primary");
  return {
    value: needed(json, "value", 254),
    ...(type !== undefined && { type }),
    ...(primary !== undefined && { primary }),
  };
}
