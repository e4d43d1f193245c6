import { moneyText, readAmount } from "@tessera/wire/money";

/** How a language writes numbers. */
interface Marks {
  readonly group: string;
  readonly decimal: string;
}

function marksOf(locale: string | undefined): Marks {
  const parts = new Intl.NumberFormat(locale, { minimumFractionDigits: 1 }).formatToParts(1_234_567.5);
  const mark = (type: "group" | "decimal") => parts.find((part) => part.type === type)?.value ?? "";
  return { group: mark("group"), decimal: mark("decimal") };
}

/** Millionths as an amount of money in the reader's way of writing; exact, since they pass 2^53. */
export function spellMoney(micros: string, currency: string, locale?: string): string {
  const [, sign, whole, part, unit] =
    /^(-?)(\d+)(?:\.(\d+))? (.*)$/.exec(moneyText(micros, currency, (digits) => digits)) ?? [];
  const fraction = part === undefined ? "" : `${marksOf(locale).decimal}${part}`;
  return `${sign === "-" ? "\u2212" : ""}${BigInt(whole!).toLocaleString(locale)}${fraction} ${unit}`;
}

/** An amount that was typed: millionths, or what is wrong with it and what to type instead. */
export type ReadMoney = { readonly micros: string } | { readonly wrong: string };

/** Marks between thousands that mean nothing else anywhere. */
const plainGroups = /[\s\u00a0\u202f'\u2019]/g;

/**
 * Reads an amount as the reader's language writes it. What another language would read as another amount is refused:
 * in English `90.000` may be meant as ninety thousand, in German `90,000` as well.
 */
export function readMoney(text: string, locale?: string): ReadMoney {
  const typed = text.trim();
  if (typed === "") return { wrong: "Type an amount." };
  if (typed.startsWith("-") || typed.startsWith("\u2212"))
    return { wrong: "An amount of less than nothing is refused." };
  const { group, decimal } = marksOf(locale);
  const bare = typed.replace(plainGroups, "");
  const example = `Type it like 1234${decimal}50.`;
  if (!/^[\d.,]+$/.test(bare)) return { wrong: `${typed} is not an amount. ${example}` };
  const [whole = "", fraction, ...more] = bare.split(decimal);
  if (more.length > 0) {
    const grouped = /^\d{1,3}([.,]\d{3})+$/.test(bare);
    return { wrong: `${typed} is not an amount here. ${grouped ? `Type ${bare.replace(/[.,]/g, "")}.` : example}` };
  }
  const digits = group === "." || group === "," ? ungrouped(whole, group) : whole;
  if (digits === undefined || !/^\d+$/.test(digits) || (fraction !== undefined && !/^\d+$/.test(fraction)))
    return { wrong: `It is not clear what ${typed} means. ${instead(bare, decimal) ?? example}` };
  if (fraction?.length === 3 && /^[1-9]\d{0,2}$/.test(whole))
    return { wrong: `${typed} may mean two amounts. Type ${whole}${fraction}, or ${whole}${decimal}${fraction}0.` };
  if ((fraction?.length ?? 0) > 6) return { wrong: `At most six digits may follow the ${decimal}` };
  const micros = readAmount(fraction === undefined ? digits : `${digits}.${fraction}`);
  return micros === undefined ? { wrong: `${typed} is too much.` } : { micros };
}

/** Without its marks, if every one of them stands before three digits. */
function ungrouped(whole: string, mark: string): string | undefined {
  const [first = "", ...rest] = whole.split(mark);
  const fits = rest.length === 0 || (/^\d{1,3}$/.test(first) && rest.every((part) => /^\d{3}$/.test(part)));
  return fits ? first + rest.join("") : undefined;
}

/** What was probably meant, where the last mark stands before something else than three digits. */
function instead(bare: string, decimal: string): string | undefined {
  const [, whole, fraction] = /^([\d.,]*\d)[.,](\d{1,2}|\d{4,6})$/.exec(bare) ?? [];
  return whole === undefined ? undefined : `Type ${whole.replace(/[.,]/g, "")}${decimal}${fraction}.`;
}

/** An amount as it can be typed, and is read as the same again. */
export function writeMoney(micros: string, locale?: string): string {
  const [, whole, fraction] = /^(\d+?)(\d{6})$/.exec(micros.padStart(7, "0")) ?? [];
  const short = fraction!.replace(/0+$/, "");
  if (short === "") return whole!;
  const shown = short.length === 1 || short.length === 3 ? `${short}0` : short;
  return `${whole}${marksOf(locale).decimal}${shown}`;
}

/** Part of a whole in micros, from 0 to 1 and beyond. */
export function shareOf(part: string, whole: string): number {
  const all = BigInt(whole);
  return all === 0n ? 0 : Number((BigInt(part) * 10_000n) / all) / 10_000;
}
