import { checkTerms } from "../admit/account.ts";
import type { Command } from "../journal/command.ts";
import type { AccountEdited } from "../journal/event.ts";
import { type Refusal, refuse } from "../journal/refusal.ts";
import type { Account, AccountTerms, Quota, QuotaWindow } from "../model/account.ts";
import type { AccountNo } from "../model/ids.ts";
import { instantText } from "../model/instant.ts";
import type { Instant } from "../model/units.ts";
import { accountOf } from "../quota/accounts.ts";
import type { State } from "../state/state.ts";

/** Each window costs a timer and a check; a hundred are enough for any plan. */
const windowsMax = 100;

type SetWindow = Extract<Command, { kind: "account.window" }>;

/** Plans a change of quota for a time, which may begin at once; null takes all windows back. */
export function setWindow(
  state: State,
  account: Account,
  { window }: SetWindow,
  now: Instant,
): AccountEdited | Refusal {
  const { windows = [] } = account;
  if (window === null) return edited(account, baseOf(account), [], now);
  const { from, to } = window;
  if (to <= from)
    return refuse("invalid", "window.to", instantText(to), "is not after window.from", "give a later end");
  if (to <= now) return refuse("invalid", "window.to", instantText(to), "has passed", "give an end in the future");
  if (windows.length >= windowsMax)
    return refuse(
      "conflict",
      "window",
      null,
      `cannot be added: ${windows.length} windows are planned already`,
      "take some back first",
    );
  const overlap = windows.find((other) => other.from < to && from < other.to);
  if (overlap !== undefined)
    return refuse(
      "conflict",
      "window",
      instantText(from),
      "overlaps with another window of this account",
      "take that back first",
    );
  const bad = checkWindow(state, account, window, parentDuring(state, account, window));
  if (bad !== undefined) return bad;
  const begun = settled(state, account, [...windows, { ...window, state: "planned" }], now);
  return edited(account, baseOf(account), begun, now);
}

/** The terms of the account while no window is in force. */
function baseOf(account: Account): AccountTerms {
  return account.base ?? account.terms;
}

/** New terms for an account, under the windows that it has. */
export function editBase(account: Account, base: AccountTerms, now: Instant): AccountEdited {
  return edited(account, base, account.windows ?? [], now);
}

/** A window of this account begins or ends. */
export function windowCame(state: State, no: AccountNo, now: Instant): AccountEdited[] {
  const account = state.accounts[no];
  if (account?.windows === undefined) return [];
  const windows = settled(state, account, account.windows, now);
  const same = windows.length === account.windows.length && windows.every((each, i) => each === account.windows![i]);
  return same ? [] : [edited(account, baseOf(account), windows, now)];
}

/** The windows that are not over; one that has begun is active, or refused if its quota is no longer possible. */
function settled(state: State, account: Account, windows: readonly QuotaWindow[], now: Instant): QuotaWindow[] {
  return windows
    .filter((window) => window.to > now)
    .map((window) => {
      if (window.state !== "planned" || window.from > now) return window;
      const refusal = checkWindow(state, account, window);
      return refusal === undefined
        ? { ...window, state: "active" }
        : { ...window, state: "refused", refused: `${refusal.field} ${refusal.detail}` };
    });
}

function checkWindow(
  state: State,
  account: Account,
  window: Pick<QuotaWindow, "quota">,
  parent: Account = accountOf(state, account.parent),
): Refusal | undefined {
  return checkTerms(state, parent, account, during(baseOf(account), window), "for-a-time");
}

/** The account above as it will be in that time: with its own window where that covers all of it. */
function parentDuring(state: State, account: Account, { from, to }: Pick<QuotaWindow, "from" | "to">): Account {
  const parent = accountOf(state, account.parent);
  const around = parent.windows?.find((other) => other.from <= from && to <= other.to && other.state !== "refused");
  return { ...parent, terms: around === undefined ? baseOf(parent) : during(baseOf(parent), around) };
}

function edited(account: Account, base: AccountTerms, windows: readonly QuotaWindow[], now: Instant): AccountEdited {
  const active = windows.find((window) => window.state === "active");
  const terms = active === undefined ? base : during(base, active);
  const head = { kind: "account-edited", v: 1, at: now, account: account.no, terms } as const;
  return windows.length === 0 ? head : { ...head, base, windows };
}

/** The terms while a window is in force; a null in its quota removes a ceiling. */
function during(base: AccountTerms, { quota }: Pick<QuotaWindow, "quota">): AccountTerms {
  const merged = Object.fromEntries(Object.entries({ ...base.quota, ...quota }).filter(([, value]) => value !== null));
  return { ...base, quota: merged as unknown as Quota };
}
