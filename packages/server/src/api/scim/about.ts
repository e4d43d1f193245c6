import { scimLimits } from "../../flow/scim/limits.ts";
import { schemaOf, scimPath } from "./show.ts";

/** What this server can do, as RFC 7643 says it. */
export const serviceProviderConfig = {
  schemas: ["urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig"],
  patch: { supported: true },
  bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
  filter: { supported: true, maxResults: scimLimits.pageMax },
  changePassword: { supported: false },
  sort: { supported: false },
  etag: { supported: true },
  authenticationSchemes: [
    {
      type: "oauthbearertoken",
      name: "Bearer token",
      description: "A token of tess provider scim",
      specUri: "https://www.rfc-editor.org/info/rfc6750",
      primary: true,
    },
  ],
  meta: { resourceType: "ServiceProviderConfig", location: `${scimPath}/ServiceProviderConfig` },
};

const resourceTypes = (["User", "Group"] as const).map((name) => ({
  schemas: ["urn:ietf:params:scim:schemas:core:2.0:ResourceType"],
  ...{ id: name, name, endpoint: `/${name}s`, schema: schemaOf[name], schemaExtensions: [] },
  meta: { resourceType: "ResourceType", location: `${scimPath}/ResourceTypes/${name}` },
}));

interface Attribute {
  readonly required?: true;
  readonly caseExact?: true;
  readonly mutability?: "readOnly";
  readonly uniqueness?: "server";
  readonly type?: "boolean" | "reference";
  readonly parts?: Readonly<Record<string, Attribute>>;
  readonly multiple?: true;
}

function attributes(table: Readonly<Record<string, Attribute>>): object[] {
  return Object.entries(table).map(([name, { parts, multiple = false, ...said }]) => ({
    ...{ name, type: parts === undefined ? "string" : "complex", multiValued: multiple, description: "" },
    ...{ required: false, caseExact: false, mutability: "readWrite", returned: "default", uniqueness: "none" },
    ...said,
    ...(parts !== undefined && { subAttributes: attributes(parts) }),
  }));
}

const reference = { value: {}, display: {}, $ref: { type: "reference" }, type: {} } as const;
const own: Readonly<Record<keyof typeof schemaOf, Readonly<Record<string, Attribute>>>> = {
  User: {
    userName: { required: true, uniqueness: "server" },
    externalId: { caseExact: true, uniqueness: "server" },
    displayName: {},
    name: { parts: { formatted: {}, familyName: {}, givenName: {} } },
    emails: { multiple: true, parts: { value: {}, type: {}, primary: { type: "boolean" } } },
    active: { type: "boolean" },
    groups: { multiple: true, mutability: "readOnly", parts: reference },
  },
  Group: {
    displayName: { required: true, uniqueness: "server" },
    externalId: { caseExact: true },
    members: { multiple: true, parts: reference },
  },
};

const schemas = (["User", "Group"] as const).map((name) => ({
  schemas: ["urn:ietf:params:scim:schemas:core:2.0:Schema"],
  ...{ id: schemaOf[name], name, description: name, attributes: attributes(own[name]) },
  meta: { resourceType: "Schema", location: `${scimPath}/Schemas/${schemaOf[name]}` },
}));

export const about = {
  resourceTypes,
  schemas,
  list: (resources: readonly object[]) => ({
    schemas: ["urn:ietf:params:scim:api:messages:2.0:ListResponse"],
    ...{ totalResults: resources.length, startIndex: 1, itemsPerPage: resources.length, Resources: resources },
  }),
};
