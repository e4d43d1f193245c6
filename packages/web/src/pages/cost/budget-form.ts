import type { BudgetPreview, BudgetPut, BudgetShape } from "@tessera/wire";
import { plainAmount } from "@tessera/wire/money";
import type { Effect } from "../../design/effects.tsx";
import { tess } from "../../format/command.ts";
import { stopWords } from "../../format/effect-jobs.ts";
import { readMoney, shareOf, spellMoney, writeMoney } from "../../format/money.ts";
import { spellNumber, spellShare } from "../../format/numbers.ts";
import { spell, spellDate } from "../../format/times.ts";
import { readAlerts, type Stop, writeAlerts } from "./stops.ts";

/** A budget as it is typed. */
export interface BudgetDraft {
  readonly limit: string;
  readonly every: BudgetShape["every"];
  readonly alerts: string;
  readonly stop: Stop;
}

/** What stands in the form before anything is typed: the budget that the account has, or a usual one. */
export function budgetDraftOf(before: BudgetShape | undefined): BudgetDraft {
  return {
    limit: before === undefined ? writeMoney("1000000000") : writeMoney(before.limitMicros),
    every: before?.every ?? "month",
    alerts: writeAlerts(before?.alertsPerMille ?? [500, 800, 900]),
    stop: before?.stop ?? "alert",
  };
}

/** All that the form sets; undefined where something in it cannot be read. */
export function budgetBody(
  { limit, every, alerts, stop }: BudgetDraft,
  locale?: string,
): Required<BudgetPut> | undefined {
  const read = readMoney(limit, locale);
  const alertsPerMille = readAlerts(alerts);
  if (!("micros" in read) || read.micros === "0" || alertsPerMille === undefined) return undefined;
  return { limitMicros: read.micros, every, alertsPerMille, stop };
}

/** The same budget on the command line. */
export function budgetCommand(
  account: string,
  { limitMicros, every, alertsPerMille, stop }: Required<BudgetPut>,
): string {
  const alerts = alertsPerMille.length === 0 ? "none" : alertsPerMille.map((each) => each / 10).join(",");
  const limit = plainAmount(limitMicros);
  return tess(["budget", "set", account, "--limit", limit, "--every", every, "--alerts", alerts, "--stop", stop]);
}

/** Where the budget would stand, and what would follow from it at once. */
export function budgetEffects(
  { account, from, currency, spentMicros, spentAt, passedPerMille, stops }: BudgetPreview,
  { limitMicros, every, stop }: Required<BudgetPut>,
): Effect[] {
  const since = every === "month" ? "this month" : `since ${spellDate(from, "UTC")}`;
  const share = spellShare(shareOf(spentMicros, limitMicros), 1);
  const standing = `${spellMoney(spentMicros, currency)} spent ${since} before credits for lending, ${share} of the limit.`;
  const isSpent = passedPerMille >= 1000;
  return [
    { text: standing, bad: isSpent },
    isSpent ? spentEffect(account, stop, stops) : { text: alertText(passedPerMille), bad: false },
    ...(spentAt === undefined ? [] : [{ text: `At the current rate it is spent ${spell(spentAt)}.`, bad: false }]),
  ];
}

function alertText(passedPerMille: number): string {
  if (passedPerMille === 0) return "Nothing stops now.";
  return `${spellNumber(passedPerMille / 10)} % of it is spent already: an alert is sent now, nothing stops.`;
}

function spentEffect(account: string, stop: Stop, stops: BudgetPreview["stops"]): Effect {
  if (stop === "alert") return { text: "It is spent already: an alert is sent now, nothing stops.", bad: false };
  if (stop === "refuse-new")
    return { text: `It is spent already: no further job of ${account} starts, running jobs go on.`, bad: true };
  const which = stop === "stop-all" ? "job" : "burst job";
  return { text: `It is spent already: ${stopWords(account, which, stops)}`, bad: true };
}
