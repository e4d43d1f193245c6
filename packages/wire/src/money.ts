import * as amounts from "@tessera/core/money";

export { fallbackCurrency } from "@tessera/core/money";

import type { LineShape } from "./shapes/money.ts";

/** How the whole part of an amount is grouped; by commas where nothing is given. */
export type Group = (whole: string) => string;

/** Millionths of a currency for people: `1,234.50 EUR`, exact, since they pass 2^53. */
export function moneyText(micros: string, currency: string, group?: Group): string {
  return amounts.moneyText(BigInt(micros), currency, group);
}

/** Millionths as a number alone, with the digits that its currency is paid in. */
export function amountText(micros: string, currency: string): string {
  return amounts.decimalText(BigInt(micros), amounts.exponentOf(currency));
}

/** Millionths as a decimal number with `digits` decimal places, at most six; not grouped unless asked. */
export function decimalText(micros: bigint, digits: number, group: Group = (whole) => whole): string {
  return amounts.decimalText(micros, digits, group);
}

/** Millionths as the shortest plain decimal, which `readAmount` reads back: `90000`, `12.5`, `-0.000001`. */
export function plainAmount(micros: string): string {
  return decimalText(BigInt(micros), 6).replace(/\.?0+$/, "");
}

/** `1000` or `12.5` as millionths; undefined for what is no amount. */
export function readAmount(text: string): string | undefined {
  return amounts.readAmount(text)?.toString();
}

/** What a correction puts right: a line, or something that was missing in a month. */
export function correctedBy({ corrects, correctsPeriod }: LineShape): string {
  return [corrects, correctsPeriod].filter((part) => part !== undefined).join(" of ");
}
