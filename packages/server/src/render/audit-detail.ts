import { moneyText } from "@tessera/core";
import { fieldTexts } from "./field-texts.ts";

/**
 * The detail of an audit record for people. What is stored must be what the journal proves, word for word, and some of it
 * is in the units of the journal.
 */
export function detailText({ action, detail }: { action: string; detail: string }, currency: string): string {
  const [amount = "", ...rest] = detail.split(" ");
  const then = rest.join(" ");
  const money = () => moneyText(BigInt(amount), currency);
  switch (action) {
    case "budget.foresee":
      return `${money()} expected by its end: ${then === "true" ? "more than" : "within"} its budget`;
    case "budget.reach":
      return `${Number(amount) / 10} % spent${then === "none" ? "" : `, ${then}`}`;
    case "credit.reach":
      return `owes ${money()}: ${then === "true" ? "its credit is used up" : "it has credit again"}`;
    case "invoice.issue":
      return money();
    case "ledger.post":
      return `${money()} ${then}`.trim();
    case "account.create":
    case "account.window":
      return detail.startsWith("{") ? fieldsText(detail, currency) : detail;
    default:
      return detail;
  }
}

function fieldsText(json: string, currency: string): string {
  return [...fieldTexts(JSON.parse(json), currency)].map(([field, text]) => `${field}: ${text}`).join("; ");
}
