import type { AccountCreated, AccountDeleted, AccountEdited, Event } from "../../journal/event.ts";
import { keepHistories, noteHistory } from "../../learn/history.ts";
import type { Account, AccountTerms } from "../../model/account.ts";
import { rootAccount } from "../../model/ids.ts";
import { accountOf, queueOrderOf } from "../../quota/accounts.ts";
import { nothingUsed } from "../../quota/held.ts";
import { asNeighbour } from "../neighbours.ts";
import type { State } from "../state.ts";
import { recountUsers } from "./count-usage.ts";
import { countTenants, trustChanged } from "./dedicated.ts";

type AccountEvent = Extract<Event, { kind: `account-${string}` | "secret-changed" | "volume-changed" }>;

/** The part of `apply` that keeps the tree of accounts, their terms, the names of their secrets, and their volumes. */
export function applyToAccounts(state: State, event: AccountEvent): void {
  switch (event.kind) {
    case "account-created":
      created(state, event);
      return;
    case "account-edited":
      edited(state, event);
      return;
    case "account-deleted":
      deleted(state, event);
      return;
    case "secret-changed":
      if (event.present) state.secrets.set(`${event.account}/${event.name}`, event.at);
      else state.secrets.delete(`${event.account}/${event.name}`);
      return;
    case "volume-changed": {
      const { account, name, volume, at } = event;
      if (volume === undefined) state.volumes.delete(`${account}/${name}`);
      else {
        // With other grants it is still the same volume.
        const createdAt = state.volumes.get(`${account}/${name}`)?.createdAt ?? at;
        state.volumes.set(`${account}/${name}`, { ...volume, createdAt });
      }
      return;
    }
  }
}

function created(state: State, { account: no, id, path, parent, terms, at }: AccountCreated): void {
  if (no !== state.accounts.length) throw new Error(`account ${no} is out of order`);
  const tenant = parent === rootAccount ? no : accountOf(state, parent).tenant;
  const account: Account = {
    no,
    id,
    path,
    parent,
    tenant,
    createdAt: at,
    terms,
    revision: 1,
    children: [],
    liveJobs: 0,
  };
  state.waiting.listener.standingsChanged();
  state.accounts.push(account);
  countTerms(state, terms, 1);
  state.usage.push(nothingUsed());
  state.accountByPath.set(path, account);
  state.accountById.set(id, account);
  accountOf(state, parent).children.push(no);
  keepHistories(state, parent);
}

function edited(state: State, event: AccountEdited): void {
  const account = accountOf(state, event.account);
  // The history so far counts under the old terms.
  noteHistory(state, account.no);
  for (const child of account.children) noteHistory(state, child);
  changeTerms(state, account, event.terms);
  keepHistories(state, account.no);
  account.base = event.base;
  account.windows = event.windows;
  addWindowTimers(state, account);
  account.revision++;
  orderMayDiffer(state, account);
  state.waiting.listener.classesMayChange(account.no);
  state.waiting.listener.standingsChanged();
  state.waiting.roomChanged();
}

function changeTerms(state: State, account: Account, terms: AccountTerms): void {
  const { trust } = account.terms;
  countTerms(state, terms, 1);
  countTerms(state, account.terms, -1);
  account.terms = terms;
  recountUsers(state, account);
  if (terms.trust !== trust) trustChanged(state, account.no);
  state.waiting.listener.neighboursChanged();
  if (account.parent === rootAccount) state.fleet.neighboursChanged(asNeighbour(state, account.no));
  state.burst.forget();
}

/** What an order learns from past jobs is kept only while the account has that order. */
function orderMayDiffer(state: State, { no }: Account): void {
  const order = queueOrderOf(state, no);
  state.waiting.reorder(no, order);
  if (order !== "aged-shortest") state.pace.delete(no);
  if (order !== "index") state.lengths.delete(no);
}

function deleted(state: State, event: AccountDeleted): void {
  const account = accountOf(state, event.account);
  const { no, liveJobs, children } = account;
  if (liveJobs + children.length > 0)
    throw new Error(`account ${no} is deleted with ${liveJobs} live jobs and ${children.length} accounts below it`);
  const parent = accountOf(state, account.parent);
  parent.children = parent.children.filter((child) => child !== no);
  state.accounts[no] = undefined;
  noteFormer(state, account);
  state.waiting.listener.standingsChanged();
  countTerms(state, account.terms, -1);
  state.accountByPath.delete(account.path);
  state.accountById.delete(account.id);
  state.gpuTime.delete(no);
  state.history.delete(no);
  state.pace.delete(no);
  state.lengths.delete(no);
  for (const named of [state.secrets, state.volumes])
    for (const key of [...named.keys()]) if (key.startsWith(`${no}/`)) named.delete(key);
  for (const user of state.users.values()) user.bindings = user.bindings.filter((binding) => binding.account !== no);
}

function noteFormer({ former, books }: State, { path, createdAt }: Account): void {
  const mode = books.tenants.get(path)?.mode;
  former.set(path, [...(former.get(path) ?? []), { createdAt, ...(mode !== undefined && { mode }) }]);
}

/** Wakes the account when one of its windows begins or ends. */
export function addWindowTimers(state: State, { no, windows = [] }: Account): void {
  for (const { from, to, state: standing } of windows) {
    if (standing === "planned") state.timers.add({ at: from, kind: "window", subject: no });
    state.timers.add({ at: to, kind: "window", subject: no });
  }
}

/** Counts the terms of an account in (`sign` 1) or out (-1), so that rules no account uses cost nothing. */
export function countTerms(state: State, { quota, trust, limits }: AccountTerms, sign: 1 | -1): void {
  if (quota.lendable !== undefined) {
    state.lendingLimits += sign;
    for (const name in quota.guarantee) countName(state.lendingNames, name, sign);
  }
  if (trust === "confidential") {
    state.confidential += sign;
    if (sign > 0 && state.confidential === 1) countTenants(state);
  }
  if (limits.gpusPerUserMax !== undefined) state.userLimits += sign;
  state.waiting.splitByUser(state.userLimits > 0);
}

function countName(names: Map<string, number>, name: string, sign: 1 | -1): void {
  const count = (names.get(name) ?? 0) + sign;
  if (count > 0) names.set(name, count);
  else names.delete(name);
}
