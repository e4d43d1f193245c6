import type { BillingPreview, BillingShape, BodyOf } from "@tessera/wire";
import { plainAmount } from "@tessera/wire/money";
import type { Effect } from "../../design/effects.tsx";
import { tess } from "../../format/command.ts";
import { stopWords } from "../../format/effect-jobs.ts";
import { readMoney, spellMoney, writeMoney } from "../../format/money.ts";
import { owedWords } from "./ledger-view.ts";

/** How a tenant is billed, as it is typed; an empty limit is none. */
export interface BillingDraft {
  readonly mode: BillingShape["mode"];
  readonly limit: string;
}

export function billingDraftOf({ mode, creditLimitMicros }: BillingShape): BillingDraft {
  return { mode, limit: creditLimitMicros === undefined ? "" : writeMoney(creditLimitMicros) };
}

/** All that the form sets; undefined where the limit cannot be read. */
export function billingBody(
  { mode, limit }: BillingDraft,
  locale?: string,
): Required<BodyOf<"setBilling">> | undefined {
  if (limit.trim() === "") return { mode, creditLimitMicros: null };
  const read = readMoney(limit, locale);
  return "micros" in read ? { mode, creditLimitMicros: read.micros } : undefined;
}

/** The same on the command line. */
export function billingCommand(tenant: string, { mode, creditLimitMicros }: Required<BodyOf<"setBilling">>): string {
  const limit = creditLimitMicros === null ? "none" : plainAmount(creditLimitMicros);
  return tess(["billing", "set", tenant, "--mode", mode, "--credit-limit", limit]);
}

/** Where the tenant would stand, and what follows at once, as the server finds it. */
export function billingEffects(
  { tenant, currency, owedMicros, openMicros, leftMicros, stopped, stops }: BillingPreview,
  { mode }: Pick<BillingDraft, "mode">,
  wasStopped: boolean,
): Effect[] {
  const owes = owedWords(tenant, owedMicros, currency);
  const standing =
    mode === "showback"
      ? `${owes}; what it used since its last invoice is not owed either.`
      : `${owes}; since its last invoice it used ${spellMoney(openMicros, currency)}, before credits for lending.`;
  if (stopped)
    return [
      { text: standing, bad: false },
      { text: `Its credit is used up: ${stopWords(tenant, "burst job", stops)}`, bad: true },
    ];
  const left = leftMicros === undefined ? "" : `${spellMoney(leftMicros, currency)} of credit are left. `;
  const free = wasStopped
    ? `Burst jobs of ${tenant}, which its credit stops now, may start again.`
    : "Nothing stops now.";
  return [
    { text: standing, bad: false },
    { text: `${left}${free}`, bad: false },
  ];
}
