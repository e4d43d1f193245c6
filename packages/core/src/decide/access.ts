import type { Command } from "../journal/command.ts";
import type { Event } from "../journal/event.ts";
import type { Decision } from "../journal/outcome.ts";
import { refuse } from "../journal/refusal.ts";
import type { Role, User } from "../model/access.ts";
import { type AccountNo, rootAccount, type TokenId, type UserId } from "../model/ids.ts";
import type { Instant } from "../model/units.ts";
import type { State } from "../state/state.ts";

type AccessCommand = Extract<
  Command,
  { kind: `user.${string}` | `role.${string}` | `token.${string}` | `password.${string}` | `factor.${string}` }
>;

/** People, roles and tokens. The caller's permission was checked before; this checks whether the command makes sense. */
export function changeAccess(state: State, command: AccessCommand, now: Instant): Decision {
  const noUser = (user: UserId) => refuse("not-found", "user", user, "does not exist", "see: tess user get");
  switch (command.kind) {
    case "user.create": {
      const { user, first, service } = command;
      if (state.users.has(user)) return refuse("already-exists", "user", user, "is taken", "use another id");
      const home = service === undefined ? undefined : state.accountByPath.get(service);
      if (service !== undefined && home === undefined) return noAccount(service);
      const created = {
        kind: "user-created",
        v: 1,
        at: now,
        user,
        ...(home !== undefined && { service: home.no }),
      } as const;
      if (first === undefined) return { events: [created], result: user };
      const account = state.accountByPath.get(first.account);
      if (account === undefined) return noAccount(first.account);
      if (first.role === "platform-owner" && account.no !== rootAccount) return ownerElsewhere(first.account);
      const bound = { kind: "role-bound", v: 1, at: now, user, role: first.role, account: account.no } as const;
      return { events: [created, bound], result: user };
    }
    case "user.erase":
    case "password.set":
    case "factor.set":
    case "factor.remove": {
      const user = state.users.get(command.user);
      if (user === undefined) return noUser(command.user);
      if (user.service !== undefined && (command.kind === "password.set" || command.kind === "factor.set"))
        return refuse("conflict", "user", user.id, "is a service account, which cannot sign in", "make a token for it");
      const erase = command.kind === "user.erase";
      if (erase && isLastOwner(state, user)) return lastOwner(command.user);
      const disabled = erase || user.disabled;
      return { events: [{ kind: "user-changed", v: 1, at: now, user: user.id, disabled }] };
    }
    case "user.disable":
    case "user.enable": {
      const user = state.users.get(command.user);
      if (user === undefined) return noUser(command.user);
      const disabled = command.kind === "user.disable";
      if (user.disabled === disabled) return { events: ended(state, command, now) };
      if (disabled && isLastOwner(state, user)) return lastOwner(command.user);
      return {
        events: [{ kind: "user-changed", v: 1, at: now, user: user.id, disabled }, ...ended(state, command, now)],
      };
    }
    case "role.follow": {
      const user = state.users.get(command.user);
      return user === undefined ? noUser(command.user) : { events: follow(state, user, command, now) };
    }
    case "role.bind":
    case "role.unbind": {
      const user = state.users.get(command.user);
      if (user === undefined) return noUser(command.user);
      const account = state.accountByPath.get(command.account);
      if (account === undefined) return noAccount(command.account);
      const has = user.bindings.find((binding) => binding.role === command.role && binding.account === account.no);
      const head = { v: 1, at: now, user: user.id, role: command.role, account: account.no } as const;
      if (command.kind === "role.bind") {
        if (command.role === "platform-owner" && account.no !== rootAccount) return ownerElsewhere(command.account);
        // What a rule gave and is now given by hand stays when the rule no longer gives it.
        const before = has?.from === undefined ? [] : [{ kind: "role-unbound", ...head } as const];
        return {
          events: has !== undefined && before.length === 0 ? [] : [...before, { kind: "role-bound", ...head }],
          result: `${user.id}:${command.role}:${account.path}`,
        };
      }
      if (has === undefined)
        return refuse(
          "not-found",
          "role",
          command.role,
          "is not a role of this user at that account",
          "see: tess role get",
        );
      if (command.role === "platform-owner" && isLastOwner(state, user)) return lastOwner(command.user);
      return { events: [{ kind: "role-unbound", ...head }] };
    }
    case "token.create": {
      if (!state.users.has(command.user)) return noUser(command.user);
      if (state.tokenByHash.has(command.hash))
        return refuse("already-exists", "token", command.id, "is taken", "make another");
      const { id: token, user, prefix, hash, label, scopes, expiresAt, parent, signIn, networks } = command;
      if (parent !== undefined && !state.tokens.has(parent)) return noToken(parent);
      const account = command.account === undefined ? undefined : state.accountByPath.get(command.account);
      if (command.account !== undefined && account === undefined) return noAccount(command.account);
      const made = {
        kind: "token-created",
        v: 1,
        at: now,
        token,
        user,
        prefix,
        hash,
        label,
        scopes,
        expiresAt,
        ...(parent !== undefined && { parent }),
        ...(signIn !== undefined && { signIn }),
        ...(account !== undefined && { account: account.no }),
        ...(networks !== undefined && { networks }),
      } as const;
      return { events: [made], result: token };
    }
    case "token.expiring": {
      const token = state.tokens.get(command.token);
      if (token === undefined) return noToken(command.token);
      if (token.warned || token.expiresAt === 0) return { events: [] };
      const { id, user, expiresAt } = token;
      return { events: [{ kind: "token-expiring", v: 1, at: now, token: id, user, expiresAt }] };
    }
    case "token.revoke": {
      if (!state.tokens.has(command.token)) return noToken(command.token);
      const revoked = [command.token, ...sessionsOf(state, command.token)];
      return { events: revoked.map((token) => ({ kind: "token-revoked", v: 1, at: now, token }) as const) };
    }
  }
}

/** The ends of a user's sessions and tokens, where they are to be gone for good. */
function ended(
  state: State,
  command: Extract<Command, { kind: "user.disable" | "user.enable" }>,
  now: Instant,
): Event[] {
  if (command.kind === "user.enable" || !command.ends) return [];
  return [...state.tokens.values()]
    .filter(({ user }) => user === command.user)
    .map(({ id }) => ({ kind: "token-revoked", v: 1, at: now, token: id }) as const);
}

/** Brings the roles that a source gave to what its rules give now. What was given by hand, or by another source, stays. */
function follow(
  state: State,
  user: User,
  { from, bindings, over }: Extract<Command, { kind: "role.follow" }>,
  now: Instant,
): Event[] {
  const head = { v: 1, at: now, user: user.id } as const;
  const wanted = new Map<string, { readonly role: Role; readonly account: AccountNo }>();
  for (const { role, account: path } of bindings) {
    const account = state.accountByPath.get(path);
    if (account === undefined || (role === "platform-owner" && account.no !== rootAccount)) continue;
    wanted.set(`${role} ${account.no}`, { role, account: account.no });
  }
  const events: Event[] = [];
  for (const { role, account, from: source } of user.bindings) {
    const isWanted = wanted.has(`${role} ${account}`);
    const goes = !isWanted && !(role === "platform-owner" && isLastOwner(state, user));
    if (source !== undefined && source === over && (goes || isWanted)) {
      events.push({ kind: "role-unbound", ...head, role, account });
      continue;
    }
    if (source === from && goes) events.push({ kind: "role-unbound", ...head, role, account });
    wanted.delete(`${role} ${account}`);
  }
  for (const each of wanted.values()) events.push({ kind: "role-bound", ...head, ...each, from });
  return events;
}

function noToken(id: TokenId) {
  return refuse("not-found", "token", id, "does not exist", "see: tess token get");
}

/** Sessions that the token was exchanged for. */
function sessionsOf(state: State, parent: TokenId): TokenId[] {
  return [...state.tokens.values()].filter((token) => token.parent === parent).map(({ id }) => id);
}

function noAccount(path: string) {
  return refuse("not-found", "account", path, "does not exist", "see: tess account tree");
}

function ownerElsewhere(path: string) {
  const why = "cannot be given: the role platform-owner holds for the whole platform";
  return refuse("invalid", "account", path, why, "leave the account empty");
}

function isOwner(user: User): boolean {
  return !user.disabled && user.bindings.some((binding) => binding.role === "platform-owner");
}

export function isLastOwner(state: State, user: User): boolean {
  return isOwner(user) && [...state.users.values()].filter(isOwner).length === 1;
}

function lastOwner(user: UserId) {
  return refuse("conflict", "user", user, "is the last platform owner", "make another user platform owner first");
}
