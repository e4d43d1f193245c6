import type { ReadonlyState } from "@tessera/core";
import type { Directory, ListedGroup, ListedPerson } from "../../access/directory.ts";
import { ScimFault } from "../../flow/scim/fault.ts";
import { type Condition, parseFilter } from "../../flow/scim/filter.ts";
import { scimLimits } from "../../flow/scim/limits.ts";
import { chosen, type Resource, showGroup, showPerson } from "./show.ts";

export interface ScimQuery {
  readonly filter?: string;
  readonly startIndex?: string;
  readonly count?: string;
  readonly attributes?: string;
  readonly excludedAttributes?: string;
}

/** A page of groups ends early where they have more members than this together. */
const membersShownMax = 20_000;

export function listPeople(state: ReadonlyState, directory: Directory, provider: string, query: ScimQuery): object {
  const conditions = conditionsOf(query);
  const found = candidates(directory, provider, conditions).filter((person) =>
    conditions.every((condition) => personHas(state, person, condition)),
  );
  return pageOf(found, query, (person) => showPerson(state, directory, person));
}

export function listGroups(directory: Directory, provider: string, query: ScimQuery): object {
  const conditions = conditionsOf(query);
  const found = directory
    .groups(provider)
    .filter((group) => conditions.every((condition) => groupHas(directory, group, condition)));
  let members = 0;
  return pageOf(
    found,
    query,
    (group) => showGroup(directory, group),
    (group) => {
      members += directory.members(provider, group.id).length;
      return members > membersShownMax;
    },
  );
}

function conditionsOf({ filter }: ScimQuery): Condition[] {
  return filter === undefined || filter === "" ? [] : parseFilter(filter);
}

/** Most ask for one person by name: then nobody else is looked at. */
function candidates(directory: Directory, provider: string, conditions: readonly Condition[]): ListedPerson[] {
  const asked = (attribute: string) =>
    conditions.find((each) => each.attribute === attribute && typeof each.value === "string")?.value as
      | string
      | undefined;
  const [id, userName, externalId] = [asked("id"), asked("username"), asked("externalid")];
  const one = (person: ListedPerson | undefined) => (person === undefined || person.gone ? [] : [person]);
  if (id !== undefined) return one(directory.person(provider, id));
  if (userName !== undefined) return one(directory.personNamed(provider, userName));
  return externalId === undefined
    ? directory.people(provider)
    : one(directory.personWithExternalId(provider, externalId));
}

function personHas(state: ReadonlyState, person: ListedPerson, { attribute, value }: Condition): boolean {
  switch (attribute) {
    case "id":
      return person.id === value;
    case "externalid":
      return person.externalId === value;
    case "username":
      return same(person.userName, value);
    case "displayname":
      return same(person.displayName, value);
    case "active":
      return String(person.active && state.users.get(person.user)?.disabled === false) === String(value).toLowerCase();
    case "emails":
    case "emails.value":
      return person.emails.some((email) => same(email.value, value));
    case "name.familyname":
      return same(person.name?.familyName, value);
    case "name.givenname":
      return same(person.name?.givenName, value);
  }
  throw unknown(attribute);
}

function groupHas(directory: Directory, group: ListedGroup, { attribute, value }: Condition): boolean {
  switch (attribute) {
    case "id":
      return group.id === value;
    case "externalid":
      return group.externalId === value;
    case "displayname":
      return same(group.displayName, value);
    case "members":
    case "members.value":
      return directory.members(group.provider, group.id).some(({ id }) => id === value);
  }
  throw unknown(attribute);
}

function unknown(attribute: string): ScimFault {
  return new ScimFault(400, "invalidFilter", `${attribute.slice(0, 100)} cannot be asked for in a filter`);
}

function same(has: string | undefined, value: string | boolean): boolean {
  return has !== undefined && typeof value === "string" && has.toLowerCase() === value.toLowerCase();
}

function pageOf<Listed>(
  found: readonly Listed[],
  query: ScimQuery,
  show: (each: Listed) => Resource,
  isTooMuch: (each: Listed) => boolean = () => false,
): object {
  const startIndex = Math.max(1, number("startIndex", query.startIndex) ?? 1);
  const count = Math.min(scimLimits.pageMax, Math.max(0, number("count", query.count) ?? scimLimits.pageUsual));
  const page: object[] = [];
  for (const each of found.slice(startIndex - 1, startIndex - 1 + count)) {
    if (isTooMuch(each) && page.length > 0) break;
    page.push(chosen(show(each), query));
  }
  return {
    schemas: ["urn:ietf:params:scim:api:messages:2.0:ListResponse"],
    totalResults: found.length,
    startIndex,
    itemsPerPage: page.length,
    Resources: page,
  };
}

function number(name: string, text: string | undefined): number | undefined {
  if (text === undefined || text === "") return undefined;
  if (/^-?\d{1,9}$/.test(text)) return Number(text);
  throw new ScimFault(400, "invalidValue", `${name} is not a whole number of at most nine digits`);
}
