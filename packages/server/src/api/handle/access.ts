import { isInside, isRefusal, type Role, type Token, type TokenId, type User, type UserId } from "@tessera/core";
import { actions, type RoleBindingShape, type TokenCreated, type UserShape, type WhoAmI } from "@tessera/wire";
import { grantsOfEveryone, mayAnywhere, mayGive, maySeeUser } from "../../access/policy.ts";
import { inScope, type Principal } from "../../access/principal.ts";
import { signInPath } from "../../access/sign-in-links.ts";
import { cannotSignIn, createUser, eraseUser, loginName, setPassword } from "../../flow/people/access.ts";
import { closeSessions } from "../../flow/people/session.ts";
import { createToken, expiryOf, limitsOf, mintFor, scopesOf } from "../../flow/people/tokens.ts";
import { defaultProjects } from "../../flow/submit/project-of.ts";
import { bindingId, renderBinding, renderToken, renderUser, userTag } from "../../render/access.ts";
import { timestamp } from "../../render/quantities.ts";
import { type Denial, deny, forbidden, isDenied, notFound } from "../answer/problem.ts";
import { type Api, askerOf, type Call, type Handler } from "../context.ts";
import { Acts } from "../guard/acts.ts";
import { seenAccount, userNamed } from "../guard/authorise.ts";
import { permitsOnTokens, seesTokens } from "../guard/permits.ts";
import { noteOthersToken } from "../guard/record.ts";
import { listing, pageOf, sortOf } from "../request/page.ts";
import { earlierResult, firstUsedAt } from "../request/repeat.ts";

type AccessHandlers = {
  whoAmI: Handler<"whoAmI">;
  listUsers: Handler<"listUsers">;
  createUser: Handler<"createUser">;
  getUser: Handler<"getUser">;
  disableUser: Handler<"disableUser">;
  enableUser: Handler<"enableUser">;
  eraseUser: Handler<"eraseUser">;
  setPassword: Handler<"setPassword">;
  listRoles: Handler<"listRoles">;
  bindRole: Handler<"bindRole">;
  unbindRole: Handler<"unbindRole">;
  listTokens: Handler<"listTokens">;
  createToken: Handler<"createToken">;
  revokeToken: Handler<"revokeToken">;
  linkSession: Handler<"linkSession">;
};

export const accessHandlers: AccessHandlers = {
  whoAmI: (api, { principal }) => showWhoAmI(api, principal),

  listUsers: (api, call) => pageOf(api.seal, userListing(api, call), call.query),

  async createUser(api, call) {
    let id = earlierResult(api, call);
    if (isDenied(id)) return id;
    id ??= await createUser(api.control, api.people, askerOf(call), call.body, call.target);
    return isDenied(id) ? id : userCreated(api, id as UserId, call);
  },

  getUser: (api, { principal, target }) => showUser(api, principal, target),

  disableUser(api, call) {
    if (call.target.id === call.principal.user.id) return oneself("disable");
    return changeUser(api, call, "user.disable");
  },

  enableUser: (api, call) => changeUser(api, call, "user.enable"),

  async eraseUser(api, call) {
    if (call.target.id === call.principal.user.id) return oneself("erase");
    return (await eraseUser(api.control, api, askerOf(call), call.target)) ?? {};
  },

  async setPassword(api, call) {
    const { target, principal, body } = call;
    const unproven =
      target.id === principal.user.id ? await api.passwords.prove(call, body.currentPassword) : undefined;
    if (unproven !== undefined) return unproven;
    const refused = await setPassword(api.control, api.people, askerOf(call), target, body.password);
    if (refused !== undefined) return refused;
    // Someone who knew the old password may be signed in with it.
    await closeSessions(api.control, askerOf(call), target, principal.token);
    return {};
  },

  listRoles: (api, call) => pageOf(api.seal, roleListing(api, call), call.query),

  async bindRole(api, call) {
    const { body, target, principal } = call;
    const user = userNamed(api, body.user);
    if (user === undefined || !maySeeUser(api.control.state, principal.user, user)) return notFound("user");
    const role = body.role as Role;
    const earlier = earlierResult(api, call);
    if (isDenied(earlier)) return earlier;
    if (earlier === undefined) {
      const done = await api.control.ask(
        { kind: "role.bind", user: user.id, role, account: target.path },
        askerOf(call),
      );
      if (isRefusal(done)) return done;
    }
    const id = bindingId(user.id, role, target.path);
    const answer: RoleBindingShape = {
      id,
      user: user.id,
      userName: api.people.nameOf(user.id),
      role,
      account: target.path,
    };
    return answer;
  },

  async unbindRole(api, call) {
    const { user, binding, account } = call.target;
    const command = { kind: "role.unbind", user: user.id, role: binding.role, account: account.path } as const;
    const done = await api.control.ask(command, askerOf(call));
    return isRefusal(done) ? done : {};
  },

  listTokens(api, call) {
    const tokens = tokenListing(api, call);
    return isDenied(tokens) ? tokens : pageOf(api.seal, tokens, call.query);
  },

  async createToken(api, call) {
    const { body, principal } = call;
    const owner = tokenOwner(api, call);
    if (isDenied(owner)) return owner;
    const scopes = scopesOf(body.scopes, principal.token);
    if (isRefusal(scopes)) return scopes;
    const { state } = api.control;
    const expiresAt = expiryOf(body.expiresIn, firstUsedAt(api, call) ?? api.control.now(), state.policy);
    if (isRefusal(expiresAt)) return expiresAt;
    const account = body.account === undefined ? undefined : seenAccount(state, principal.user, body.account);
    if (isDenied(account)) return account;
    const limits = limitsOf(state, owner, body, account);
    if (isRefusal(limits)) return limits;
    const unproven = owner.id === principal.user.id ? await api.passwords.prove(call, body.currentPassword) : undefined;
    if (unproven !== undefined) return unproven;
    const minted = mintFor(api.keys.serverKey, askerOf(call));
    let id = earlierResult(api, call);
    if (isDenied(id)) return id;
    const asked = { label: body.label ?? "", scopes, expiresAt, ...limits };
    if (id === undefined) {
      id = await createToken(api.control, askerOf(call), owner, minted, asked);
      if (isDenied(id)) return id;
      noteOthersToken(api, call, "token.create-for-other", { id: id as TokenId, user: owner.id });
    }
    const kept = api.control.state.tokens.get(id as TokenId);
    const made = kept ?? {
      id: id as TokenId,
      user: owner.id,
      ...minted,
      ...{ label: asked.label, scopes, expiresAt },
      createdAt: firstUsedAt(api, call)!,
      ...(account !== undefined && { account: account.no }),
      ...(limits.networks !== undefined && { networks: limits.networks }),
    };
    const { lastUsedAt: _, ...shown } = renderToken(state, made, api.tokenUse, api.control.now());
    const answer: TokenCreated = { ...shown, token: minted.token };
    return answer;
  },

  linkSession(api, { principal: { user, token } }) {
    if (user.service !== undefined) return cannotSignIn(api.people.nameOf(user.id));
    const { ticket, expiresAt } = api.links.make(token, api.control.now());
    return { path: signInPath(ticket), expiresAt: timestamp(expiresAt) };
  },

  async revokeToken(api, call) {
    const { id, hash } = call.target;
    const remembered = api.revoked.note(hash, api.control.now());
    const done = await api.control.ask({ kind: "token.revoke", token: id }, askerOf(call), remembered);
    if (isRefusal(done)) return done;
    noteOthersToken(api, call, "token.revoke-of-other", call.target);
    return {};
  },
};

/** Who the caller is and where roles are held. */
export function showWhoAmI(api: Api, { user, token }: Principal): WhoAmI {
  const { state } = api.control;
  const [project] = defaultProjects(state, user);
  const second = api.second.missing({ user, token });
  return {
    user: user.id,
    name: api.people.nameOf(user.id),
    bindings: user.bindings.map(({ role, account }) => ({
      ...{ role, account: state.accounts[account]!.path, gives: [...mayGive[role]] },
    })),
    hasPassword: api.people.hasPassword(user.id),
    ...(second !== undefined && { second }),
    scopes: [...token.scopes],
    may: actions.filter(
      (action) => inScope({ token }, action) && (grantsOfEveryone.has(action) || mayAnywhere(user, action)),
    ),
    ...(project !== undefined && { defaultProject: project }),
  };
}

/** A user for this viewer, with what the viewer may do with the user and with each role of it. */
export function showUser(
  api: Api,
  principal: Principal,
  user: User,
  acts = new Acts(api.control.state, principal),
): UserShape {
  const { state } = api.control;
  const shown = renderUser(state, api.seal, api.people, principal.user, user, (binding) => acts.onBinding(binding));
  return { ...shown, may: acts.onUser(user) };
}

export function tokensOf(api: Api, owner: User): Token[] {
  return [...api.control.state.tokens.values()].filter((token) => token.user === owner.id);
}

function tokenKey(token: Token): string {
  return `${String(token.createdAt).padStart(15, "0")}\n${token.id}`;
}

function oneself(verb: string): Denial {
  return deny("conflict", `You cannot ${verb} yourself.`, "Ask another administrator.", "user");
}

/** A new user as its create answers it, whatever has become of it since. */
function userCreated(api: Api, id: UserId, call: Call<"createUser">): UserShape {
  const { email, role, account = "" } = call.body;
  const name = loginName(api.control.state, call.principal.user, call.body.name, call.target);
  const revision = role === undefined ? 1 : 2;
  return {
    id,
    name,
    ...(email !== undefined && { email }),
    disabled: false,
    hasPassword: false,
    bindings: role === undefined ? [] : [{ role: role as Role, account }],
    ...(call.body.service && { service: call.target.path }),
    createdAt: timestamp(api.control.state.users.get(id)!.createdAt),
    revision: userTag(api.seal, { id, revision }),
  };
}

async function changeUser(api: Api, call: Call<"disableUser" | "enableUser">, kind: "user.disable" | "user.enable") {
  const { target, principal } = call;
  const done = await api.control.ask({ kind, user: target.id }, askerOf(call));
  return isRefusal(done) ? done : showUser(api, principal, target);
}

/** One's own token, or that of a user one may act for. */
function tokenOwner(api: Api, { body, principal }: Call<"createToken">): User | Denial {
  if (body.user === undefined) return principal.user;
  const { state } = api.control;
  const owner = userNamed(api, body.user);
  if (owner === undefined || !maySeeUser(state, principal.user, owner)) return notFound("user");
  return permitsOnTokens(state, principal.user, owner) ? owner : forbidden("token.write");
}

export function userListing(api: Api, { principal, query }: Pick<Call<"listUsers">, "principal" | "query">) {
  const { state } = api.control;
  const isAsked = ({ service }: User) =>
    query.kind === undefined || (service === undefined) === (query.kind === "person");
  const text = query.text?.trim().toLowerCase() ?? "";
  const words = (user: User) =>
    Object.values(renderUser(state, api.seal, api.people, principal.user, user))
      .map(spelled)
      .join(" ")
      .toLowerCase();
  const seen = [...state.users.values()].filter(
    (user) => isAsked(user) && maySeeUser(state, principal.user, user) && (text === "" || words(user).includes(text)),
  );
  const key = (user: User) => `${api.people.nameOf(user.id) || afterAllNames}\n${user.id}`;
  const sort = sortOf(query.sort, { name: key, created: ({ createdAt }) => createdAt });
  const acts = new Acts(state, principal);
  return listing("users", seen, key, (user) => showUser(api, principal, user, acts), sort);
}

/** Users whose name was erased come last. */
const afterAllNames = "\uffff";

/** A field as text that is looked through: only what the viewer is shown. */
function spelled(value: unknown): string {
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

export function roleListing(
  api: Api,
  { principal, target, query }: Pick<Call<"listRoles">, "principal" | "target" | "query">,
) {
  const { state } = api.control;
  const acts = new Acts(state, principal);
  const wanted = query.user === undefined ? undefined : userNamed(api, query.user);
  const users = query.user === undefined ? [...state.users.values()] : wanted === undefined ? [] : [wanted];
  const found = users.flatMap((user) =>
    user.bindings
      .filter(({ account }) => target.some((root) => isInside(state, account, root.no)))
      .map((binding) => ({ ...renderBinding(state, api.people, user, binding), may: acts.onBinding(binding) })),
  );
  const key = ({ account, user, role }: (typeof found)[number]) => `${account}\n${user}\n${role}`;
  return listing("roles", found, key, (binding) => binding);
}

export function tokenListing(api: Api, { principal, query }: Pick<Call<"listTokens">, "principal" | "query">) {
  const owner = query.user === undefined ? principal.user : userNamed(api, query.user);
  if (owner === undefined || !seesTokens(api.control.state, principal.user, owner)) return notFound("user");
  const { state } = api.control;
  // A token that is limited to an account does not tell which others its user has.
  const { account: limit } = principal.token;
  const isSeen = ({ account }: Token) =>
    limit === undefined ||
    (account !== undefined && state.accounts[account] !== undefined && isInside(state, account, limit));
  const shown = tokensOf(api, owner).filter(isSeen);
  const may = new Acts(state, principal).onToken(owner);
  return listing("tokens", shown, tokenKey, (token) => ({
    ...renderToken(state, token, api.tokenUse, api.control.now()),
    ...(token.id === principal.token.id && { here: true as const }),
    may,
  }));
}
