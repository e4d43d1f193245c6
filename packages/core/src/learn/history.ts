import { type AccountNo, noAccount } from "../model/ids.ts";
import { must } from "../model/must.ts";
import { type Instant, second, unitsPerGpu } from "../model/units.ts";
import type { AccountTree } from "../quota/accounts.ts";
import type { AccountUsage } from "../quota/held.ts";

/**
 * What an account has borrowed, averaged with weights that halve with age [O2]; kept where the parent has a half-life.
 * Time advances in steps of a 64th of the half-life, in whole numbers, so that the history is the same on any machine.
 */
export interface History {
  /** Counted up to this time, in seconds since the epoch. */
  at: number;
  /** Thousandths of a GPU × seconds borrowed since the last step began. */
  area: number;
  /** The average at the end of the last step, in millionths of a GPU. */
  level: number;
}

/** The part of State that holds histories. */
export interface WithHistory extends AccountTree {
  readonly lastAt: Instant;
  readonly usage: readonly AccountUsage[];
  /** Of accounts whose parent has a half-life. */
  readonly history: Map<AccountNo, History>;
}

/** The same, to be read. */
type Histories = Omit<WithHistory, "history"> & { readonly history: ReadonlyMap<AccountNo, History> };

const stepsPerHalfLife = 64;
/** Each step moves the average by a 93rd towards what was borrowed in it: (92/93)^64 is a half. */
const stepPart = 93;
/** After this many steps at one level, older borrowing no longer counts. */
const stepsMax = 64 * stepsPerHalfLife;
const milliPerUnit = unitsPerGpu / 1_000;

/** The half-life that an account's parent sets for it; undefined = none. */
function halfLifeMs(state: Histories, account: AccountNo): number | undefined {
  const { parent } = state.accounts[account]!;
  return parent === noAccount ? undefined : state.accounts[parent]!.terms.historyHalfLifeMs;
}

/** The average past borrowing of an account, in GPU units; 0 where no history is kept. */
export function pastUnits(state: Histories, account: AccountNo, now: Instant): number {
  const history = state.history.get(account);
  if (history === undefined) return 0;
  const { level } = counted(state, account, history, now);
  return Math.floor((level * milliPerUnit) / 1_000);
}

/** Counts an account's history up to now; call before its usage or its guarantee changes. */
export function noteHistory(state: WithHistory, account: AccountNo): void {
  const history = state.history.get(account);
  if (history !== undefined) Object.assign(history, counted(state, account, history, state.lastAt));
}

/** Starts or drops the histories of an account's children; call when its terms have changed. */
export function keepHistories(state: WithHistory, account: AccountNo): void {
  const { children, terms } = state.accounts[account]!;
  for (const child of children) {
    if (terms.historyHalfLifeMs === undefined) state.history.delete(child);
    else if (!state.history.has(child)) state.history.set(child, { at: secondOf(state.lastAt), area: 0, level: 0 });
  }
}

function counted(state: Histories, account: AccountNo, history: History, now: Instant): History {
  const halfLife = must(halfLifeMs(state, account), "a history is kept only under a parent with a half-life");
  const step = Math.max(1, Math.floor(halfLife / stepsPerHalfLife / second));
  const borrowed = borrowedMilli(state, account);
  let { at, area, level } = history;
  const until = Math.max(at, secondOf(now));
  for (let left = stepsMax; at - (at % step) + step <= until; left--) {
    if (left === 0) {
      at = until;
      area = borrowed * (until % step);
      level = borrowed * 1_000;
      break;
    }
    const end = at - (at % step) + step;
    area += borrowed * (end - at);
    level += Math.trunc((Math.floor(area / step) * 1_000 - level) / stepPart);
    at = end;
    area = 0;
  }
  return { at: until, area: area + borrowed * (until - at), level };
}

/** Usage beyond the sum of the guarantee's entries, in thousandths of a GPU. */
function borrowedMilli(state: Histories, account: AccountNo): number {
  const { guarantee } = state.accounts[account]!.terms.quota;
  let floor = 0;
  for (const model in guarantee) floor += guarantee[model]!;
  return Math.floor(Math.max(0, state.usage[account]!.units - floor) / milliPerUnit);
}

function secondOf(at: Instant): number {
  return Math.floor(at / second);
}
