import {
  type Account,
  type AccountId,
  type Command,
  isInside,
  isRefusal,
  pathUp,
  plainTerms,
  type ReadonlyState,
  type Refusal,
  refuse,
  type SizeClasses,
} from "@tessera/core";
import type { AccountEdit } from "@tessera/wire";
import type { Principal } from "../../access/principal.ts";
import { newId } from "../../flow/ids.ts";
import { deleteSecret, putSecret, secretNames, secretRowsOf } from "../../flow/people/secrets.ts";
import { previewOf } from "../../flow/preview/preview.ts";
import { recover } from "../../flow/write/recover.ts";
import { checkZone, instantOf } from "../../flow/zones.ts";
import { accountCreated, accountTag, renderAccount } from "../../render/account.ts";
import { timestamp } from "../../render/quantities.ts";
import { isDenied, notFound } from "../answer/problem.ts";
import { type Api, askerOf, type Call, type Handler } from "../context.ts";
import { Acts } from "../guard/acts.ts";
import { quotaWindowOf, termsOf } from "../request/account-terms.ts";
import { staleUnless } from "../request/if-match.ts";
import { listing, pageOf } from "../request/page.ts";
import { earlierResult } from "../request/repeat.ts";

type AccountHandlers = {
  listAccounts: Handler<"listAccounts">;
  createAccount: Handler<"createAccount">;
  getAccount: Handler<"getAccount">;
  editAccount: Handler<"editAccount">;
  previewAccount: Handler<"previewAccount">;
  deleteAccount: Handler<"deleteAccount">;
  listSecrets: Handler<"listSecrets">;
  putSecret: Handler<"putSecret">;
  deleteSecret: Handler<"deleteSecret">;
};

export function accountsWithin(state: ReadonlyState, roots: readonly Account[]): Account[] {
  return state.accounts.filter(
    (account): account is Account =>
      account !== undefined && roots.some((root) => isInside(state, account.no, root.no)),
  );
}

export const accountHandlers: AccountHandlers = {
  listAccounts: (api, call) => pageOf(api.seal, accountListing(api, call), call.query),

  async createAccount(api, call) {
    const { path, ...body } = call.body;
    const terms = termsOf(body, plainTerms, api.control.state.policy.sizes);
    if (isRefusal(terms)) return terms;
    let id = earlierResult(api, call);
    if (isDenied(id)) return id;
    if (id === undefined) {
      const asked = newId("acc_") as AccountId;
      const done = await api.control.ask({ kind: "account.create", id: asked, path, terms }, askerOf(call));
      if (isRefusal(done)) return done;
      id = done.result!;
    }
    return accountCreated(api.seal, id, path, terms);
  },

  getAccount: (api, { principal, target }) => show(api, principal, target),

  async editAccount(api, call) {
    const { principal, target, body } = call;
    const stale = staleUnless(call, accountTag(api.seal, target), "account");
    if (stale !== undefined) return stale;
    if (body.window !== undefined) return editWindow(api, call);
    const terms = termsOf(body, target.base ?? target.terms, api.control.state.policy.sizes);
    if (isRefusal(terms)) return terms;
    const ifRevision = target.revision; // also without If-Match: what was left out was read from this revision
    const done = await api.control.ask({ kind: "account.edit", path: target.path, terms, ifRevision }, askerOf(call));
    return isRefusal(done) ? done : show(api, principal, target);
  },

  /** On a copy that is made from the store. An edit for a while is tried as if it began now. */
  async previewAccount({ control }, { target, body, principal }) {
    const terms = termsOf(body, target.base ?? target.terms, control.state.policy.sizes);
    if (isRefusal(terms)) return terms;
    const command = { kind: "account.edit", path: target.path, terms, ifRevision: target.revision } as const;
    const { state } = await recover(control.reader);
    return previewOf(state, principal.user, command, control.now());
  },

  async deleteAccount(api, call) {
    const { target, ifMatch } = call;
    const stale = staleUnless(call, accountTag(api.seal, target), "account");
    if (stale !== undefined) return stale;
    const { path, revision } = target;
    const secrets = secretRowsOf(api.control.state, target);
    const command = { kind: "account.delete", path, ...(ifMatch !== undefined && { ifRevision: revision }) } as const;
    const done = await api.control.ask(command, askerOf(call), secrets);
    return isRefusal(done) ? done : {};
  },

  listSecrets(api, { target, query }) {
    const { state } = api.control;
    const usable = [...pathUp(state, target.no)].flatMap((account) =>
      secretNames(state, account).map((name) => ({ account, name })),
    );
    const show = ({ account, name }: (typeof usable)[number]) => ({
      account: account.path,
      name,
      changedAt: timestamp(state.secrets.get(`${account.no}/${name}`)!),
    });
    const secrets = listing("secrets", usable, ({ account, name }) => `${name}\n${account.path}`, show);
    return pageOf(api.seal, secrets, query);
  },

  async putSecret(api, call) {
    const name = call.params.secret!;
    if (call.target.path === "") return notFound("account");
    return (await putSecret(api.control, api.vault, askerOf(call), call.target, name, call.body.value)) ?? {};
  },

  async deleteSecret(api, call) {
    const name = call.params.secret!;
    if (!isSet(api, call.target, name)) return notFound("secret");
    return (await deleteSecret(api.control, askerOf(call), call.target, name)) ?? {};
  },
};

export function accountListing(api: Api, { principal, target }: Pick<Call<"listAccounts">, "principal" | "target">) {
  const { state } = api.control;
  const acts = new Acts(state, principal);
  const showOne = (account: Account) => show(api, principal, account, acts);
  return listing("accounts", accountsWithin(state, target), (account) => account.path, showOne);
}

function show({ control: { state }, seal }: Api, principal: Principal, account: Account, acts?: Acts) {
  const may = (acts ?? new Acts(state, principal)).onAccount(account);
  return { ...renderAccount(state, seal, account), may };
}

/** Another quota for a time. */
async function editWindow(api: Api, call: Call<"editAccount">) {
  const { principal, target, body } = call;
  const window = windowOf(body, api.control.state.policy.sizes);
  if (isRefusal(window)) return window;
  const ifRevision = target.revision;
  const command = { kind: "account.window", path: target.path, window, ifRevision } as const;
  const done = await api.control.ask(command, askerOf(call));
  return isRefusal(done) ? done : show(api, principal, target);
}

function windowOf(
  body: AccountEdit,
  sizes: SizeClasses | undefined,
): Extract<Command, { kind: "account.window" }>["window"] | Refusal {
  if (body.window === undefined || body.window === null) {
    const other = Object.keys(body).find((field) => field !== "window");
    if (other === undefined) return null;
    return refuse(
      "invalid",
      other,
      null,
      "cannot be used together with window: null",
      "take the windows back first, then edit",
    );
  }
  const { tz, ...times } = body.window;
  const badZone = tz === undefined ? undefined : checkZone(tz);
  if (badZone !== undefined) return { ...badZone, field: "window.tz" };
  const from = instantOf(times.from, tz, "window.from");
  if (isRefusal(from)) return from;
  const to = instantOf(times.to, tz, "window.to");
  if (isRefusal(to)) return to;
  const quota = quotaWindowOf(body, sizes);
  return isRefusal(quota) ? quota : { from, to, ...(tz !== undefined && { zone: tz }), quota };
}

function isSet({ control: { state } }: Api, account: Account, name: string): boolean {
  return state.secrets.has(`${account.no}/${name}`);
}
