import { hash } from "node:crypto";
import type { ReadonlyState } from "@tessera/core";
import type { Directory, ListedGroup, ListedPerson } from "../../access/directory.ts";
import { timestamp } from "../../render/quantities.ts";

export const scimPath = "/scim/v2";
export const schemaOf = {
  User: "urn:ietf:params:scim:schemas:core:2.0:User",
  Group: "urn:ietf:params:scim:schemas:core:2.0:Group",
} as const;

type ResourceType = keyof typeof schemaOf;
export type Resource = Readonly<Record<string, unknown>> & { readonly id: string; readonly meta: Meta };

interface Meta {
  readonly resourceType: ResourceType;
  readonly created: string;
  readonly lastModified: string;
  readonly location: string;
  readonly version: string;
}

/** Addresses are told without the server's: behind a proxy it does not know its own. */
function locationOf(type: ResourceType, id: string): string {
  return `${scimPath}/${type}s/${id}`;
}

export function showPerson(state: ReadonlyState, directory: Directory, person: ListedPerson): Resource {
  const { id, provider, user, userName, externalId, displayName, name, emails, groups } = person;
  const shown = groups.flatMap((each) => {
    const group = directory.group(provider, each);
    return group === undefined
      ? []
      : [{ value: each, display: group.displayName, $ref: locationOf("Group", each), type: "direct" }];
  });
  return resource("User", person, {
    ...(externalId !== undefined && { externalId }),
    userName,
    ...(displayName !== undefined && { displayName }),
    ...(name !== undefined && { name }),
    emails,
    // Also false where an administrator disabled the user by hand.
    active: person.active && state.users.get(user)?.disabled === false,
    groups: shown,
    id,
  });
}

export function showGroup(directory: Directory, group: ListedGroup): Resource {
  const { id, provider, displayName, externalId } = group;
  const members = directory.members(provider, id).map((person) => ({
    ...{ value: person.id, display: person.userName, $ref: locationOf("User", person.id), type: "User" },
  }));
  return resource("Group", group, { ...(externalId !== undefined && { externalId }), displayName, members, id });
}

function resource(
  type: ResourceType,
  { createdAt, changedAt }: ListedPerson | ListedGroup,
  attributes: Readonly<Record<string, unknown>> & { readonly id: string },
): Resource {
  const version = `W/"${hash("sha256", JSON.stringify(attributes), "hex").slice(0, 16)}"`;
  const location = locationOf(type, attributes.id);
  const [created, lastModified] = [timestamp(createdAt), timestamp(changedAt)];
  return {
    schemas: [schemaOf[type]],
    ...attributes,
    meta: { resourceType: type, created, lastModified, location, version },
  };
}

/** Which attributes of a resource the caller wants to see. */
export function chosen(
  shown: Resource,
  query: { readonly attributes?: string; readonly excludedAttributes?: string },
): object {
  const wanted = namesIn(query.attributes);
  const unwanted = namesIn(query.excludedAttributes);
  const always = new Set(["id", "schemas"]);
  return Object.fromEntries(
    Object.entries(shown).filter(([key]) => {
      const name = key.toLowerCase();
      return always.has(name) || (wanted === undefined ? !unwanted?.has(name) : wanted.has(name));
    }),
  );
}

/** `name.givenName` is asked for with all of `name`. */
function namesIn(list: string | undefined): ReadonlySet<string> | undefined {
  if (list === undefined || list === "") return undefined;
  const plain = (name: string) =>
    name
      .trim()
      .replace(/^urn:.*:/i, "")
      .split(".")[0]!
      .toLowerCase();
  return new Set(list.split(",").map(plain));
}
