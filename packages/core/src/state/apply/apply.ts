import type { Event } from "../../journal/event.ts";
import { keepHistories, noteHistory } from "../../learn/history.ts";
import type { Account, AccountTerms } from "../../model/account.ts";
import { rootAccount } from "../../model/ids.ts";
import type { FleetNode, MaintenanceWindow } from "../../model/node.ts";
import { accountOf, orderOf } from "../../quota/accounts.ts";
import { nothingUsed } from "../../quota/held.ts";
import { applyToJobs } from "./jobs.ts";
import { applyToLeases } from "./leases.ts";
import { applyToBooks } from "./money.ts";
import { recountUsers } from "./count-usage.ts";
import { countTenants, forgetNode, trustChanged } from "./dedicated.ts";
import { clearMarks, marksUnder } from "./marks.ts";
import { whoIs } from "../neighbours.ts";
import { nodesTouched, noteAllRest, noteRest } from "./remainder.ts";
import type { State } from "../state.ts";

/** Idempotency keys are remembered this long; a client that repeats itself later starts anew. */
export const keysKeptMs = 24 * 3_600_000;

/** Writes one event into the state. Decides nothing: the same events give the same state under every version. */
export function apply(state: State, event: Event): void {
  if (state.confidential === 0) {
    write(state, event);
  } else {
    const touched = nodesTouched(state, event);
    write(state, event);
    for (const node of touched) noteRest(state, node, event.at);
  }
  if (event.kind === "account-edited") noteAllRest(state, event.at);
}

function write(state: State, event: Event): void {
  state.version++;
  const { at } = event;
  if (at > state.lastAt) state.lastAt = at;
  if (at > state.clock) state.clock = at;
  switch (event.kind) {
    case "node-added":
      state.fleet.addNode(event.node, event.firstGpu, event.facts, event.at);
      state.burst.forget();
      state.waiting.listener.standingsChanged();
      state.waiting.roomChanged(event.at);
      return;
    case "node-changed":
      clearMarks(state, state.fleet.node(event.node), event.facts);
      state.fleet.changeNode(event.node, event.at, event.mode, event.reason, event.drainUntil, event.facts);
      if (event.facts !== undefined) state.burst.forget();
      if (event.drainUntil > 0) state.timers.add({ at: event.drainUntil, kind: "drain", subject: event.node });
      state.waiting.listener.standingsChanged();
      state.waiting.roomChanged(event.at);
      return;
    case "maintenance-planned":
      planWindows(state, state.fleet.node(event.node), event.windows);
      state.waiting.listener.standingsChanged();
      state.waiting.roomChanged(event.at);
      return;
    case "node-removed":
      forgetNode(state, event.node);
      state.fleet.removeNode(event.node);
      state.waiting.listener.standingsChanged();
      state.burst.forget();
      return;
    case "account-created":
      state.waiting.listener.standingsChanged();
      addAccount(state, {
        no: event.account,
        id: event.id,
        path: event.path,
        parent: event.parent,
        tenant: event.parent === rootAccount ? event.account : accountOf(state, event.parent).tenant,
        createdAt: event.at,
        terms: event.terms,
        revision: 1,
        children: [],
        liveJobs: 0,
      });
      return;
    case "account-edited": {
      const account = accountOf(state, event.account);
      noteHistory(state, account.no);
      for (const child of account.children) noteHistory(state, child);
      const trusted = account.terms.trust;
      countTerms(state, event.terms, 1);
      countTerms(state, account.terms, -1);
      account.terms = event.terms;
      recountUsers(state, account);
      if (event.terms.trust !== trusted) trustChanged(state, account.no);
      state.waiting.listener.neighboursChanged();
      if (account.parent === rootAccount) state.fleet.neighboursChanged(whoIs(state, account.no));
      state.burst.forget();
      keepHistories(state, account.no);
      account.base = event.base;
      account.windows = event.windows;
      addWindowTimers(state, account);
      account.revision++;
      state.waiting.reorder(account.no, orderOf(state, account.no));
      if (orderOf(state, account.no) !== "aged-shortest") state.pace.delete(account.no);
      if (orderOf(state, account.no) !== "index") state.lengths.delete(account.no);
      state.waiting.listener.classesMayChange(account.no);
      state.waiting.listener.standingsChanged();
      state.waiting.roomChanged(event.at);
      return;
    }
    case "account-deleted": {
      const account = accountOf(state, event.account);
      const parent = accountOf(state, account.parent);
      parent.children = parent.children.filter((child) => child !== account.no);
      state.accounts[account.no] = undefined;
      state.waiting.listener.standingsChanged();
      countTerms(state, account.terms, -1);
      state.accountByPath.delete(account.path);
      state.accountById.delete(account.id);
      state.gpuTime.delete(account.no);
      state.history.delete(account.no);
      state.pace.delete(account.no);
      state.lengths.delete(account.no);
      for (const key of [...state.secrets.keys()]) if (key.startsWith(`${account.no}/`)) state.secrets.delete(key);
      for (const user of state.users.values()) {
        user.bindings = user.bindings.filter((binding) => binding.account !== account.no);
      }
      return;
    }
    case "user-created":
      state.users.set(event.user, { id: event.user, createdAt: event.at, disabled: false, bindings: [], revision: 1 });
      return;
    case "user-changed": {
      const user = state.users.get(event.user)!;
      user.disabled = event.disabled;
      user.revision++;
      return;
    }
    case "role-bound": {
      const user = state.users.get(event.user)!;
      user.bindings.push({ role: event.role, account: event.account });
      user.revision++;
      return;
    }
    case "role-unbound": {
      const user = state.users.get(event.user)!;
      user.bindings = user.bindings.filter((has) => has.role !== event.role || has.account !== event.account);
      user.revision++;
      return;
    }
    case "token-created": {
      const { token: id, user, prefix, hash, label, scopes, expiresAt, at: createdAt } = event;
      const token = { id, user, prefix, hash, label, scopes, createdAt, expiresAt };
      state.tokens.set(id, token);
      state.tokenByHash.set(hash, token);
      return;
    }
    case "token-revoked": {
      const token = state.tokens.get(event.token)!;
      state.tokens.delete(event.token);
      state.tokenByHash.delete(token.hash);
      return;
    }
    case "secret-changed":
      if (event.present) state.secrets.set(`${event.account}/${event.name}`, event.at);
      else state.secrets.delete(`${event.account}/${event.name}`);
      return;
    case "key-used":
      forgetOldKeys(state, event.at);
      state.keys.set(`${event.user}/${event.key}`, { bodyHash: event.bodyHash, result: event.result, at: event.at });
      return;
    case "policy-set":
      marksUnder(state, event.policy);
      state.policy = event.policy;
      state.waiting.listener.standingsChanged();
      state.waiting.roomChanged(event.at);
      return;
    case "epoch-began":
      state.epoch = event.epoch;
      return;
    case "turn-taken":
      state.waiting.round = { changedAt: event.again ? event.at : undefined, upTo: event.upTo, takenAt: event.at };
      return;
    case "price-added":
    case "prices-foreseen":
    case "own-budget-spent":
    case "contract-set":
    case "tenant-billed":
    case "budget-set":
    case "budget-dropped":
    case "budget-reached":
    case "budget-foreseen":
    case "credit-reached":
    case "invoice-issued":
    case "entry-posted":
      applyToBooks(state, event);
      return;
    case "lease-scrubbed":
    case "lease-reshaped":
    case "lease-prepared":
    case "lease-started":
    case "lease-stopping":
    case "lease-ended":
      applyToLeases(state, event);
      return;
    default:
      applyToJobs(state, event);
  }
}

export function addAccount(state: State, account: Account): void {
  if (account.no !== state.accounts.length) throw new Error(`account ${account.no} is out of order`);
  state.accounts.push(account);
  countTerms(state, account.terms, 1);
  state.usage.push(nothingUsed());
  state.accountByPath.set(account.path, account);
  state.accountById.set(account.id, account);
  accountOf(state, account.parent).children.push(account.no);
  keepHistories(state, account.parent);
}

/** Windows of a node; also how a snapshot is read back. */
export function planWindows(state: State, node: FleetNode, windows: readonly MaintenanceWindow[]): void {
  node.maintenance = windows.length === 0 ? undefined : windows;
  node.revision++;
  if (windows.length === 0) state.fleet.maintained.delete(node.no);
  else state.fleet.maintained.add(node.no);
  for (const { from, to, active } of windows) {
    if (!active) state.timers.add({ at: from, kind: "maintenance", subject: node.no });
    state.timers.add({ at: to, kind: "maintenance", subject: node.no });
  }
}

/** Looks at an account again when one of its windows begins or ends. */
export function addWindowTimers(state: State, { no, windows = [] }: Account): void {
  for (const { from, to, state: standing } of windows) {
    if (standing === "planned") state.timers.add({ at: from, kind: "window", subject: no });
    state.timers.add({ at: to, kind: "window", subject: no });
  }
}

function countName(names: Map<string, number>, name: string, sign: 1 | -1): void {
  const count = (names.get(name) ?? 0) + sign;
  if (count > 0) names.set(name, count);
  else names.delete(name);
}

/** Counts the terms of an account in (`sign` 1) or out (-1) where it matters whether anyone has such. */
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

function forgetOldKeys(state: State, now: number): void {
  for (const [key, used] of state.keys) {
    if (used.at > now - keysKeptMs) return;
    state.keys.delete(key);
  }
}
