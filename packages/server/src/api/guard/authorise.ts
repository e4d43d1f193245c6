import {
  type Account,
  type AccountId,
  findNode,
  isRefusal,
  type ReadonlyState,
  type Role,
  rootAccount,
  type Token,
  type TokenId,
  type User,
  type UserId,
} from "@tessera/core";
import { type Action, nearestName, type Resource, type Route, type RouteId, routes } from "@tessera/wire";
import { isWithin } from "../../access/cidr.ts";
import { may, mayGiveRole, maySeeUser, rootsFor } from "../../access/policy.ts";
import { credentialActions, inScope, type Principal } from "../../access/principal.ts";
import { type FoundJob, findJob, type Several, similarName } from "../../flow/find/find-job.ts";
import { plainAddress } from "../../flow/notice/origins.ts";
import { projectOf } from "../../flow/submit/project-of.ts";
import { timestamp } from "../../render/quantities.ts";
import { type Denial, deny, forbidden, isDenied, notFound } from "../answer/problem.ts";
import type { Api } from "../context.ts";
import type { Targets } from "../targets.ts";
import {
  permitsInAccount,
  permitsOnAccount,
  permitsOnBinding,
  permitsOnFleet,
  permitsOnJob,
  permitsOnTokens,
  permitsOnUser,
  rolesToGive,
  seesTokens,
} from "./permits.ts";

type Target = Targets[Resource];

export interface Asked {
  readonly id: RouteId;
  readonly route: Route;
  readonly principal: Principal;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: Readonly<Record<string, unknown>> | undefined;
}

/** Whether the token is made for the action at all. Says nothing about what exists, so it may be told first. */
export function checkScope(principal: Principal, { action }: Pick<Route, "action">): Denial | undefined {
  if (inScope(principal, action)) return undefined;
  if (credentialActions.has(action)) {
    return deny(
      "forbidden",
      `A token with limits changes no credentials, and ${action} does.`,
      "Use a token without scopes, account and networks, or sign in.",
    );
  }
  return deny(
    "forbidden",
    `The scopes of this token do not include ${action}.`,
    "Use a token whose scopes include it.",
  );
}

/** Whether the token may be used from there. Told before anything is looked up. */
export function checkNetwork({ token }: Principal, address: string): Denial | undefined {
  if (token.networks === undefined || isWithin(token.networks, address)) return undefined;
  const from = plainAddress(address);
  return deny(
    "forbidden",
    `This token may not be used from ${from}.`,
    `Use it from ${token.networks.join(", ")}, or make one for your network.`,
  );
}

/** A job that mounts the outputs of another one reads them: its submission needs the scope for that too. */
export function checkMounts(principal: Principal, body: Asked["body"]): Denial | undefined {
  const { mounts } = (body?.set ?? body ?? {}) as { mounts?: unknown };
  if (inScope(principal, "job.logs") || typeof mounts !== "object" || mounts === null) return undefined;
  const taken = Object.entries(mounts).find(([, source]) => String(source).startsWith("job:"));
  if (taken === undefined) return undefined;
  const hint = "Use a token whose scopes include job.logs.";
  return deny("forbidden", "The scopes of this token do not include job.logs.", hint, `mounts.${taken[0]}`);
}

/**
 * Finds what the route acts on and whether the caller may do its action there. Whatever the caller may not even see
 * is answered as if it did not exist; what may be seen but not done is forbidden. Runs before every handler.
 */
export function authorise(api: Api, asked: Asked): Target | Denial | Promise<Target | Denial> {
  switch (asked.route.resource) {
    case "self":
    case "anyone":
      return undefined;
    case "fleet":
      return onFleet(api.control.state, asked);
    case "visible":
      return visible(api, asked);
    case "job":
      return onJob(api, asked);
    case "account":
    case "secret":
      return onAccount(api.control.state, asked);
    case "user":
      return onUser(api, asked);
    case "token":
      return onToken(api.control.state, asked);
    case "binding":
      return onBinding(api.control.state, asked);
    case "in-project":
      return inProject(api.control.state, asked);
    case "in-account":
      return inAccount(api.control.state, asked);
  }
}

function onFleet(state: ReadonlyState, { route, principal, params }: Asked): undefined | Denial {
  const node = params.node === undefined ? undefined : findNode(state.fleet, params.node);
  if (isRefusal(node) && node.refused === "not-found") return notFound("node", params.node);
  if (params.engine !== undefined && !state.engines.has(params.engine))
    return notFound("engine", params.engine, "See: tess engine get");
  if (params.pool !== undefined && !state.pools.has(params.pool))
    return notFound("pool", params.pool, "See: tess pool get");
  if (params.provider !== undefined && route !== routes.putProvider && !state.providers.has(params.provider))
    return notFound("provider", params.provider, "See: tess provider get");
  if (params.exchange !== undefined && route !== routes.putExchange && !state.exchanges.has(params.exchange))
    return notFound("exchange", params.exchange, "See: tess exchange get");
  if (!permitsOnFleet(state, principal.user, route.action)) return forbidden(route.action);
  return isRefusal(node) ? node : undefined;
}

async function onJob(api: Api, { route, principal, params }: Asked): Promise<FoundJob | Denial> {
  const found = await findJob(api, principal.user, params.job!);
  if (found === undefined) {
    const similar = await similarName(api, principal.user, params.job!);
    return notFound("job", params.job, similar === undefined ? "See: tess ps --all" : `Did you mean ${similar}?`);
  }
  if ("several" in found) return ambiguous(api, params.job!, found);
  const { account, own } = found;
  const fine = permitsOnJob(api.control.state, principal.user, route.action, account.no, own);
  return fine ? found : forbidden(route.action);
}

/** The caller must say which one is meant, and is told what tells them apart. */
function ambiguous({ control: { state }, people }: Api, name: string, { several }: Several): Denial {
  const jobs = several.map((job) => ({
    id: job.id,
    project: state.accounts[job.account]!.path,
    user: people.nameOf(job.user) || job.user,
    state: "state" in job ? job.state : job.active > 0 ? "running" : "waiting",
    submittedAt: timestamp(job.submittedAt),
  }));
  const ids = jobs.map(({ id }) => id).join(", ");
  const detail = `is the name of ${jobs.length} live jobs: ${ids}`;
  return { ...deny("ambiguous", detail, "name one of them by its id", "job", name), jobs };
}

/** By path or id. */
function accountNamed(state: ReadonlyState, name: string): Account | undefined {
  return state.accountByPath.get(name) ?? state.accountById.get(name as AccountId);
}

/** An account that the user may see. */
export function seenAccount(state: ReadonlyState, user: User, name: string): Account | Denial {
  return accountFor(state, user, "account.read", name);
}

/** An account that the user may do this with; an account that cannot be seen is not there. */
function accountFor(
  state: ReadonlyState,
  user: User,
  action: Action,
  name: string,
  field = "account",
): Account | Denial {
  const account = accountNamed(state, name);
  if (account === undefined || !may(state, user, "account.read", account.no))
    return notFound("account", name, similarAccounts(state, user, name), field);
  return permitsOnAccount(state, user, action, account) ? account : forbidden(action);
}

/** Slips of the pen are answered with what was probably meant, from the accounts that the user may see. */
function similarAccounts(state: ReadonlyState, user: User, name: string): string {
  const seen: string[] = [];
  for (const { no, path } of state.accountByPath.values()) {
    if (seen.length >= accountsComparedMax) break;
    if (no !== rootAccount && may(state, user, "account.read", no)) seen.push(path);
  }
  const lastPart = seen.filter((path) => path.endsWith(`/${name}`));
  const nearest = lastPart[0] ?? nearestName(name, seen);
  if (nearest !== undefined) return `Did you mean ${nearest}?`;
  if (seen.length === 0) return "Ask an administrator for a role at an account.";
  return `You may see ${seen.slice(0, 5).join(", ")}${seen.length > 5 ? " and more" : ""}.`;
}

const accountsComparedMax = 1_000;

function onAccount(state: ReadonlyState, { route, principal, params }: Asked): Account | Denial {
  return accountFor(state, principal.user, route.action, params.account!);
}

/** Lists: with an account given, what is at it and below; else everything that the caller may see. */
function visible({ control: { state } }: Api, { route, principal, query }: Asked): readonly Account[] | Denial {
  const filter = query.project ?? query.account ?? query.under;
  if (typeof filter === "string") {
    const account = accountFor(state, principal.user, route.action, filter);
    return isDenied(account) ? account : [account];
  }
  const accounts = rootsFor(state, principal.user, route.action);
  return accounts.length > 0 ? accounts : forbidden(route.action);
}

/** By id or login name. Of someone who was erased nothing is left but an id in the books. */
export function userNamed(api: Api, name: string): User | undefined {
  const { users } = api.control.state;
  const user = users.get(name as UserId) ?? users.get(api.people.idOf(name) ?? ("" as UserId));
  const erased = user?.disabled && api.people.person(user.id) === undefined;
  return erased ? undefined : user;
}

function onUser(api: Api, { id, route, principal, params }: Asked): User | Denial {
  const { state } = api.control;
  const other = userNamed(api, params.user!);
  if (other === undefined || !maySeeUser(state, principal.user, other)) return notFound("user", params.user);
  return permitsOnUser(state, principal.user, id, route.action, other) ? other : forbidden(route.action);
}

function onToken(state: ReadonlyState, { route, principal, params }: Asked): Token | Denial {
  const token = state.tokens.get(params.token as TokenId);
  const owner = token && state.users.get(token.user);
  if (owner === undefined || !seesTokens(state, principal.user, owner)) return notFound("token");
  return permitsOnTokens(state, principal.user, owner) ? token! : forbidden(route.action);
}

function onBinding(state: ReadonlyState, { route, principal, params }: Asked): Targets["binding"] | Denial {
  const [, userId, role, path] = /^([^:]*):([^:]*):(.*)$/.exec(params.binding!) ?? [];
  const user = state.users.get(userId as UserId);
  const account = state.accountByPath.get(path ?? "?");
  const binding = user?.bindings.find((each) => each.role === role && each.account === account?.no);
  const seen =
    account !== undefined && (user?.id === principal.user.id || may(state, principal.user, "role.read", account.no));
  if (user === undefined || account === undefined || binding === undefined || !seen) return notFound("binding");
  const fine = permitsOnBinding(state, principal.user, binding.role, account.no);
  return fine ? { user, binding, account } : forbidden(route.action);
}

function inProject(state: ReadonlyState, { route, principal, query, body }: Asked): Account | Denial {
  const given = route.upload ? query.project : body?.project;
  const project = projectOf(state, principal.user, given as string | undefined);
  return isDenied(project) ? project : accountFor(state, principal.user, route.action, project, "project");
}

/** Where something new goes: below an account, or a user and role at one. The platform itself is known to all. */
function inAccount(state: ReadonlyState, { id, route, principal, body }: Asked): Account | Denial {
  const { user } = principal;
  const path = String((id === "createAccount" ? parentOf(body?.path as string) : body?.account) ?? "");
  const account = state.accountByPath.get(path);
  const seen = account !== undefined && (account.no === rootAccount || may(state, user, "account.read", account.no));
  if (!seen) return notFound("account", path, similarAccounts(state, user, path));
  if (!permitsInAccount(state, user, route.action, account)) return forbidden(route.action);
  const role = body?.role as Role | undefined;
  if (role === undefined || mayGiveRole(state, user, role, account.no)) return account;
  const gives = rolesToGive(state, user, account.no);
  return deny(
    "forbidden",
    `You may not give the role ${role} here.`,
    `You may give: ${gives.join(", ") || "none"}.`,
    "role",
    role,
  );
}

function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}
