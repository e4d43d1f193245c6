import type { BillingShape, BodyOf } from "@tessera/wire";
import { plainAmount } from "@tessera/wire/money";
import type { Effect } from "../../design/effects.tsx";
import { tess } from "../../format/command.ts";
import { readMoney, spellMoney, writeMoney } from "../../format/money.ts";

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

/** What follows at once; who is only shown what it uses has no credit to use up. */
export function billingEffect(
  { tenant, currency, owedMicros, openMicros, stopped }: BillingShape,
  { mode, creditLimitMicros }: Required<BodyOf<"setBilling">>,
): Effect {
  const free = stopped ? `Burst jobs of ${tenant}, which its credit stops now, may start again.` : "Nothing stops now.";
  if (mode === "showback" || creditLimitMicros === null) return { text: free, bad: false };
  const used = BigInt(owedMicros) + BigInt(openMicros);
  const left = BigInt(creditLimitMicros) - used;
  if (left <= 0n)
    return {
      text: `${tenant} owes ${spellMoney(String(used), currency)}, with what is not invoiced yet: its burst jobs stop now.`,
      bad: true,
    };
  return { text: `${spellMoney(String(left), currency)} of credit are left. ${free}`, bad: false };
}
