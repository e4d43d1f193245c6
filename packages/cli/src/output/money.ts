import { usageFailure } from "../failure.ts";

const microsDigits = 6;

/**
 * An amount for people: `1,234.50 EUR`. Digits beyond the currency's own are shown only where two would hide all of it.
 * How many digits a currency is paid in is known to the platform's own tables.
 */
export function moneyText(micros: string, currency: string): string {
  const value = BigInt(micros);
  const size = value < 0n ? -value : value;
  const digits =
    new Intl.NumberFormat("en", { style: "currency", currency }).resolvedOptions().maximumFractionDigits ?? 2;
  const shown = size > 0n && size < 10n ** BigInt(microsDigits - digits) ? microsDigits : digits;
  const step = 10n ** BigInt(microsDigits - shown);
  const rounded = ((size + step / 2n) / step).toString().padStart(shown + 1, "0");
  const whole = rounded.slice(0, rounded.length - shown).replace(/\B(?=(\d{3})+$)/g, ",");
  const part = shown === 0 ? "" : `.${rounded.slice(-shown)}`;
  return `${value < 0n ? "-" : ""}${whole}${part} ${currency}`;
}

/** `1000`, `12.5` as micros; anything else is wrong usage of `flag`. */
export function parseMoney(text: string, flag: string): string {
  const match = /^(-?)(\d{1,18})(?:\.(\d{1,6}))?$/.exec(text.replaceAll(",", ""));
  if (match === null) throw usageFailure(`${flag} must be an amount, got "${text}"`, "such as 1000 or 12.50");
  const micros = BigInt(match[2]!) * 1_000_000n + BigInt((match[3] ?? "").padEnd(microsDigits, "0"));
  return `${match[1] === "-" ? -micros : micros}`;
}
