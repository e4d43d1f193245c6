import type { AnswerOf, Grant, RoleBindingShape, TokenShape, UserShape } from "@tessera/wire";
import { usageFailure } from "../failure.ts";
import { fieldsText } from "../output/fields.ts";
import { ageText } from "../output/time.ts";
import type { Session } from "../session.ts";
import type { Paint } from "../terminal.ts";
import { type Filters, loadFromList, type Noun } from "./noun.ts";

/** `member at lab/vision`; the empty account is the whole platform. */
export function bindingText({ role, account }: { role: string; account: string }): string {
  return `${role} at ${account === "" ? "(platform)" : account}`;
}

export const user: Noun<UserShape> = {
  name: "user",
  plural: "users",
  watch: "listUsers",
  nameOf: ({ id, name }) => (name === "" ? id : name),
  keyOf: ({ id }) => id,
  sorts: { name: "name", age: "created" },
  examples: ["tess user get", "tess user get ana -o json", "tess user get --text finance"],
  addFilters(command) {
    command.option("--text <text>", "only users with this in their name, id, email, a role or its account");
  },
  columns: [
    { name: "name", text: ({ name }) => (name === "" ? "(erased)" : name) },
    { name: "email", text: ({ email }) => email ?? "", shrinks: true },
    {
      name: "state",
      text: ({ disabled }) => (disabled ? "disabled" : "active"),
      style: ({ disabled }) => (disabled ? "red" : "green"),
    },
    { name: "roles", text: ({ bindings }) => bindings.map(bindingText).join(", "), shrinks: true },
    { name: "password", text: ({ hasPassword }) => (hasPassword ? "set" : "none"), wide: true },
    { name: "age", text: ({ createdAt }, now) => ageText(createdAt, now), raw: ({ createdAt }) => createdAt },
    { name: "id", text: ({ id }) => id, wide: true },
  ],
  queryOf: async ({ text }) => ({ ...(text !== undefined && { text }) }),
  page: (api, query) => api.call("listUsers", { query }),
  load: async (session, name) => (await session.api()).call("getUser", { at: { user: name } }),
};

export const serviceAccount: Noun<UserShape> = {
  name: "service-account",
  plural: "service accounts",
  watch: "listUsers",
  nameOf: user.nameOf,
  keyOf: user.keyOf,
  examples: ["tess service-account get", "tess service-account get ci -o json"],
  columns: user.columns
    .filter(({ name }) => name !== "email" && name !== "password")
    .flatMap((column) =>
      column.name === "state"
        ? [{ name: "account", text: ({ service }) => service ?? "", shrinks: true }, column]
        : [column],
    ),
  queryOf: async () => ({ kind: "service" }),
  page: (api, query) => api.call("listUsers", { query }),
  load: async (session, name) => {
    const found = await (await session.api()).call("getUser", { at: { user: name } });
    if (found.service === undefined)
      throw usageFailure(`${name} is a person, not a service account`, "see: tess service-account get");
    return found;
  },
};

const roleList: Omit<Noun<RoleBindingShape>, "load"> = {
  name: "role",
  plural: "role bindings",
  watch: "listRoles",
  nameOf: ({ id }) => id,
  keyOf: ({ id }) => id,
  examples: ["tess role get", "tess role get --user ana", "tess role get --account lab -o csv"],
  columns: [
    { name: "user", text: ({ userName, user: id }) => (userName === "" ? id : userName) },
    { name: "role", text: ({ role: name }) => name },
    {
      name: "account",
      text: ({ account }) => (account === "" ? "(platform)" : account),
      raw: ({ account }) => account,
    },
    { name: "from", text: ({ from }) => from ?? "", wide: true },
    { name: "id", text: ({ id }) => id, wide: true },
  ],
  addFilters(command) {
    command.option("--account <account>", "only at this account").option("--user <user>", "only of this user");
  },
  queryOf: async (filters) => ({
    ...(filters.account !== undefined && { account: filters.account }),
    ...(filters.user !== undefined && { user: filters.user }),
  }),
  page: (api, query) => api.call("listRoles", { query }),
};

export const role: Noun<RoleBindingShape> = {
  ...roleList,
  load: loadFromList(roleList, ({ id }, name) => id === name),
};

const tokenList: Omit<Noun<TokenShape>, "load"> = {
  name: "token",
  plural: "tokens",
  watch: "listTokens",
  nameOf: ({ id }) => id,
  keyOf: ({ id }) => id,
  examples: ["tess token get", "tess token get --user ana"],
  columns: [
    { name: "id", text: ({ id }) => id },
    { name: "label", text: ({ label }) => label, shrinks: true },
    { name: "prefix", text: ({ prefix }) => `${prefix}…`, raw: ({ prefix }) => prefix },
    { name: "user", text: (each) => each.user, wide: true },
    { name: "scopes", text: ({ scopes }) => (scopes.length === 0 ? "all" : scopes.join(",")), shrinks: true },
    { name: "account", text: ({ account }) => account ?? "all", shrinks: true },
    { name: "networks", text: ({ networks }) => networks?.join(",") ?? "all", shrinks: true },
    {
      name: "expires",
      text: expiryText,
      style: ({ expiring }) => (expiring ? "yellow" : undefined),
      raw: ({ expiresAt }) => expiresAt,
    },
    { name: "used", text: ({ lastUsedAt }, now) => agoText(lastUsedAt, now), raw: ({ lastUsedAt }) => lastUsedAt },
    { name: "age", text: ({ createdAt }, now) => ageText(createdAt, now), raw: ({ createdAt }) => createdAt },
  ],
  addFilters(command) {
    command.option("--user <user>", "tokens of another user");
  },
  queryOf: async (filters) => ({ ...(filters.user !== undefined && { user: filters.user }) }),
  page: (api, query) => api.call("listTokens", { query }),
};

export const token: Noun<TokenShape> = {
  ...tokenList,
  load: loadFromList(tokenList, (each, name) => each.id === name || each.label === name),
};

function expiryText({ expiresAt }: TokenShape, now: number): string {
  if (expiresAt === undefined) return "never";
  return Date.parse(expiresAt) <= now ? "expired" : `in ${ageText(new Date(now).toISOString(), Date.parse(expiresAt))}`;
}

function agoText(at: string | undefined, now: number): string {
  return at === undefined ? "never" : `${ageText(at, now)} ago`;
}

type Secret = AnswerOf<"listSecrets">["items"][number];

/** The account whose secrets are meant: --account, else the project one works in. */
export async function secretAccount(session: Session, filters: Filters): Promise<string> {
  const account = filters.account ?? (await session.settings()).project;
  if (typeof account === "string") return account;
  const { defaultProject } = await (await session.api()).call("whoAmI");
  if (defaultProject !== undefined) return defaultProject;
  throw usageFailure("the account is missing", "name it with --account lab/vision, or set a project");
}

const secretList: Omit<Noun<Secret>, "load"> = {
  name: "secret",
  list: "listSecrets",
  plural: "secrets",
  nameOf: ({ name }) => name,
  keyOf: ({ name }) => name,
  examples: ["tess secret get --account lab/vision"],
  columns: [
    { name: "name", text: ({ name }) => name },
    { name: "account", text: ({ account }) => account },
    { name: "changed", text: ({ changedAt }, now) => agoText(changedAt, now), raw: ({ changedAt }) => changedAt },
  ],
  addFilters(command) {
    command.option("--account <account>", "the account that holds them; default: your project");
  },
  queryOf: async (filters, session) => ({ account: await secretAccount(session, filters) }),
  page: (api, { account, ...query }) => api.call("listSecrets", { at: { account: String(account) }, query }),
};

export const secret: Noun<Secret> = {
  ...secretList,
  load: loadFromList(secretList, ({ name }, asked) => name === asked),
};

type Volume = AnswerOf<"listVolumes">["items"][number];

const volumeList: Omit<Noun<Volume>, "load"> = {
  name: "volume",
  plural: "volumes",
  nameOf: ({ name }) => name,
  keyOf: ({ name }) => name,
  examples: ["tess volume get --account lab/vision", "tess volume describe data"],
  columns: [
    { name: "name", text: ({ name }) => name },
    { name: "account", text: ({ account }) => account },
    { name: "mount", text: ({ mount }) => mount, wide: true },
    { name: "access", text: ({ readOnly }) => (readOnly ? "read-only" : "read and write") },
    { name: "granted", text: ({ grants }) => (grants === undefined ? "" : String(grants.length)), hidesEmpty: true },
    { name: "path", text: ({ path }) => path ?? "", shrinks: true },
    { name: "age", text: ({ createdAt }, now) => ageText(createdAt, now), raw: ({ createdAt }) => createdAt },
  ],
  addFilters(command) {
    command.option("--account <account>", "what jobs of this account can mount; default: your project");
  },
  queryOf: async (filters, session) => ({ account: await secretAccount(session, filters) }),
  page: (api, { account, ...query }) => api.call("listVolumes", { at: { account: String(account) }, query }),
};

export const volume: Noun<Volume> = {
  ...volumeList,
  load: loadFromList(volumeList, ({ name, mount }, asked) => name === asked || mount === `vol:${asked}`),
  describe: describeVolume,
};

function describeVolume(each: Volume, paint: Paint, now: number): string {
  const granted = each.grants?.map((grant, i) => `${i + 1}. ${grantText(grant)}`) ?? [];
  const none = each.grants === undefined ? undefined : "to no job";
  return `${paint("bold", each.name)}  of ${each.account}\n${fieldsText(
    [
      ["Mount", `mounts: {/data: ${each.mount}}`],
      ["Folder", each.path],
      ["Access", each.readOnly ? "read-only" : "read and write"],
      ["Granted", granted.length === 0 ? none : granted.join("\n")],
      ["Age", ageText(each.createdAt, now)],
    ],
    paint,
  )}`;
}

/** A grant in words. */
export function grantText({ access, accounts, roles, trust, regions, purposes }: Grant): string {
  const parts = [
    ...(accounts === undefined ? ["jobs of its account"] : [`jobs of ${accounts.join(", ")}`]),
    ...(roles === undefined ? [] : [`users with ${roles.join(" or ")}`]),
    ...(trust === undefined ? [] : [`${trust.join(" or ")} tenants`]),
    ...(regions === undefined ? [] : [`in ${regions.join(" or ")}`]),
    ...(purposes === undefined ? [] : [`for ${purposes.join(" or ")}`]),
  ];
  return `${access}: ${parts.join(", ")}`;
}
