import { moneyText, plainAmount, readAmount } from "@tessera/wire/money";
import { readDecimal, spellDecimal, writeDecimal } from "./decimal.ts";

/** Millionths as an amount of money in the reader's way of writing; exact, since they pass 2^53. */
export function spellMoney(micros: string, currency: string, locale?: string): string {
  const [, sign, plain, unit] = /^(-?)([\d.]+) (.*)$/.exec(moneyText(micros, currency, (digits) => digits)) ?? [];
  return `${sign === "-" ? "\u2212" : ""}${spellDecimal(plain!, locale)} ${unit}`;
}

/** An amount that was typed: millionths, or what is wrong with it and what to type instead. */
export type ReadMoney = { readonly micros: string } | { readonly wrong: string };

/** Reads an amount of money as the reader's language writes it; what could mean two amounts is refused. */
export function readMoney(text: string, locale?: string): ReadMoney {
  const read = readDecimal(text, locale);
  if ("wrong" in read) return read;
  const [, fraction = ""] = read.plain.split(".");
  if (fraction.length > 6) return { wrong: `${text.trim()} is too fine: at most six decimal places count.` };
  const micros = readAmount(read.plain);
  return micros === undefined ? { wrong: `${text.trim()} is too much.` } : { micros };
}

/** An amount as it can be typed, and is read as the same again. */
export function writeMoney(micros: string, locale?: string): string {
  const plain = plainAmount(micros);
  return writeDecimal(/\.\d$/.test(plain) ? `${plain}0` : plain, locale);
}

/** Part of a whole in micros, from 0 to 1 and beyond. */
export function shareOf(part: string, whole: string): number {
  const all = BigInt(whole);
  return all === 0n ? 0 : Number((BigInt(part) * 10_000n) / all) / 10_000;
}
