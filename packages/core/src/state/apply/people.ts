import type { Event } from "../../journal/event.ts";
import type { Token, User } from "../../model/access.ts";
import type { UserId } from "../../model/ids.ts";
import { must } from "../../model/must.ts";
import type { State } from "../state.ts";

type PeopleEvent = Extract<
  Event,
  {
    kind:
      | `user-${string}`
      | `role-${string}`
      | `token-${string}`
      | "provider-changed"
      | "exchange-changed"
      | "scim-changed";
  }
>;

/** The part of `apply` that keeps users, their roles and their tokens. */
export function applyToPeople(state: State, event: PeopleEvent): void {
  switch (event.kind) {
    case "user-created":
      state.users.set(event.user, {
        ...{ id: event.user, createdAt: event.at, disabled: false, bindings: [], revision: 1 },
        ...(event.service !== undefined && { service: event.service }),
      });
      return;
    case "user-changed": {
      const user = changedUser(state, event.user);
      user.disabled = event.disabled;
      return;
    }
    case "role-bound":
      changedUser(state, event.user).bindings.push({
        role: event.role,
        account: event.account,
        ...(event.from !== undefined && { from: event.from }),
      });
      return;
    case "provider-changed": {
      const { provider: name, terms, at } = event;
      if (terms === undefined) state.providers.delete(name);
      else {
        const { createdAt = at, scim } = state.providers.get(name) ?? {};
        state.providers.set(name, { name, terms, createdAt, ...(scim !== undefined && { scim }) });
      }
      return;
    }
    case "scim-changed": {
      const { provider: name, tokens } = event;
      const { scim: _, ...rest } = must(state.providers.get(name), `provider ${name} changes and does not exist`);
      state.providers.set(name, { ...rest, ...(tokens.length > 0 && { scim: tokens }) });
      return;
    }
    case "exchange-changed": {
      const { exchange: name, terms, at } = event;
      if (terms === undefined) state.exchanges.delete(name);
      else state.exchanges.set(name, { name, terms, createdAt: state.exchanges.get(name)?.createdAt ?? at });
      return;
    }
    case "token-expiring":
      must(state.tokens.get(event.token), `token ${event.token} expires and does not exist`).warned = true;
      return;
    case "role-unbound": {
      const user = changedUser(state, event.user);
      user.bindings = user.bindings.filter((has) => has.role !== event.role || has.account !== event.account);
      return;
    }
    case "token-created": {
      const { token: id, user, prefix, hash, label, scopes, expiresAt, at: createdAt } = event;
      const { parent, signIn, account, networks } = event;
      const token: Token = {
        ...{ id, user, prefix, hash, label, scopes, createdAt, expiresAt },
        ...(parent !== undefined && { parent }),
        ...(signIn !== undefined && { signIn }),
        ...(account !== undefined && { account }),
        ...(networks !== undefined && { networks }),
      };
      state.tokens.set(id, token);
      state.tokenByHash.set(hash, token);
      return;
    }
    case "token-revoked": {
      const token = must(state.tokens.get(event.token), `token ${event.token} is revoked and does not exist`);
      state.tokens.delete(event.token);
      state.tokenByHash.delete(token.hash);
      return;
    }
  }
}

/** The user with a new revision. */
function changedUser(state: State, id: UserId): User {
  const user = must(state.users.get(id), `user ${id} changes and does not exist`);
  user.revision++;
  return user;
}
