import { moneyText, readAmount } from "@tessera/wire/money";

/** Millionths as an amount of money in the viewer's way of writing. */
export function spellMoney(micros: string, currency: string): string {
  return moneyText(micros, currency, (whole) => BigInt(whole).toLocaleString()).replace(/^-/, "\u2212");
}

/** `12.5` or `12,5` as micros; undefined for anything else. */
export function readMoney(text: string): string | undefined {
  return readAmount(text.trim().replace(",", "."));
}

/** Part of a whole in micros, from 0 to 1 and beyond. */
export function shareOf(part: string, whole: string): number {
  const all = BigInt(whole);
  return all === 0n ? 0 : Number((BigInt(part) * 10_000n) / all) / 10_000;
}
