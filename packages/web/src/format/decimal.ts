/** How a language writes numbers. */
interface Way {
  readonly group: string;
  readonly decimal: string;
  /** The ten digits, from 0. */
  readonly digits: readonly string[];
  /** Whole numbers with a mark between groups, however few digits they have. */
  readonly grouped: Intl.NumberFormat;
}

const ways = new Map<string | undefined, Way>();

function wayOf(locale: string | undefined): Way {
  let way = ways.get(locale);
  if (way === undefined) {
    const grouped = new Intl.NumberFormat(locale, { useGrouping: "always", minimumFractionDigits: 1 });
    const parts = grouped.formatToParts(1_234_567.5);
    const mark = (type: "group" | "decimal") => parts.find((part) => part.type === type)?.value ?? "";
    const digits = [...new Intl.NumberFormat(locale, { useGrouping: false }).format(9_876_543_210)].reverse();
    way = { group: mark("group"), decimal: mark("decimal"), digits, grouped };
    ways.set(locale, way);
  }
  return way;
}

/** A number that was typed: a plain decimal such as `12.5`, or what is wrong with it and what to type instead. */
export type ReadDecimal = { readonly plain: string } | { readonly wrong: string };

/** Marks between groups of digits that mean nothing else anywhere, each with the one that stands for it below. */
const plainMarks: readonly (readonly [RegExp, string])[] = [
  [/[\s\u00a0\u2009\u202f]/g, " "],
  [/['\u2019]/g, "'"],
];

/** Marks of direction that text from elsewhere may bring. */
const unseen = /[\u061c\u200e\u200f]/g;

/**
 * Reads an amount as the reader's language writes it. What another language would read as another amount is refused:
 * in English `90.000` may be meant as ninety thousand, in German `90,000` as well. Marks between groups of digits
 * count only where the language puts them.
 */
export function readDecimal(text: string, locale?: string): ReadDecimal {
  const typed = text.replace(unseen, "").trim();
  if (typed === "") return { wrong: "Type an amount." };
  if (/^[-\u2212]/.test(typed)) return { wrong: "A negative amount is refused." };
  const own = wayOf(locale);
  // Where neither mark of the language is on a keyboard of ASCII, what is typed on one is read as programs write it.
  const isAscii = /^[\d.,\s']+$/.test(typed) && !/[.,]/.test(own.decimal);
  const way = isAscii ? wayOf("en") : own;
  const example = `Type it like ${withDigits("1234", way)}${way.decimal}${withDigits("50", way)}.`;
  const bare = plainMarks.reduce((left, [marks, one]) => left.replace(marks, one), asciiDigits(typed, way));
  if (!/^\d/.test(bare)) return { wrong: `${typed} is not an amount. ${example}` };
  const [whole = "", fraction, ...more] = bare.split(way.decimal);
  const digits = ungrouped(whole, way);
  if (digits === undefined || more.length > 0 || (fraction !== undefined && !/^\d+$/.test(fraction)))
    return { wrong: notClear(typed, bare, way, example) ?? `${typed} is not an amount. ${example}` };
  if (fraction?.length === 3 && /[.,]/.test(way.decimal) && /^[1-9]\d{0,2}$/.test(whole)) {
    const [one, other] = [whole + fraction, `${whole}${way.decimal}${fraction}0`].map((each) => withDigits(each, way));
    return { wrong: `${typed} may mean two amounts. Type ${one}, or ${other}.` };
  }
  return { plain: fraction === undefined ? digits : `${digits}.${fraction}` };
}

/** A whole number that was typed, or what is wrong with it and what to type instead. */
export type ReadWhole = { readonly value: number } | { readonly wrong: string };

/** Reads a whole number between two bounds as the reader's language writes it; what could mean two is refused. */
export function readWhole(text: string, { least, most }: { least: number; most: number }, locale?: string): ReadWhole {
  const typed = text.replace(unseen, "").trim();
  const spell = (value: number) => value.toLocaleString(locale);
  const wrong = `${typed || "It"} is not a whole number from ${spell(least)} to ${spell(most)}.`;
  const [, sign, digits = ""] = /^([-\u2212]?)\s*(.*)$/.exec(typed) ?? [];
  if (!/^\p{Nd}/u.test(digits) || /\p{L}/u.test(digits)) return { wrong };
  const read = readDecimal(digits, locale);
  if ("wrong" in read) return read;
  const value = Number(read.plain) * (sign === "" ? 1 : -1);
  return Number.isInteger(value) && value >= least && value <= most ? { value: value + 0 } : { wrong };
}

function asciiDigits(text: string, { digits }: Way): string {
  return [...text].map((each) => (digits.includes(each) ? String(digits.indexOf(each)) : each)).join("");
}

function withDigits(text: string, { digits }: Way): string {
  return text.replace(/\d/g, (digit) => digits[Number(digit)]!);
}

/** Without the marks between groups; undefined if one of them stands where the language puts none. */
function ungrouped(whole: string, way: Way): string | undefined {
  const digits = whole.replace(/\D/g, "");
  if (/^\d+$/.test(whole)) return whole;
  const own = plainMarks.reduce((left, [marks, one]) => left.replace(marks, one), way.group);
  const fits = [own, " ", "'"].some((mark) => whole === groupsOf(digits, way).join(mark));
  return fits ? digits : undefined;
}

function groupsOf(digits: string, way: Way): string[] {
  const parts = way.grouped.formatToParts(BigInt(digits));
  return parts.flatMap(({ type, value }) => (type === "integer" ? asciiDigits(value, way) : []));
}

/** Of digits with marks that are in no order of this language: what was probably meant, if that can be said. */
function notClear(typed: string, bare: string, way: Way, example: string): string | undefined {
  const [, whole, mark = "", fraction = ""] = /^(\d[\d.,٫٬ ']*)([.,٫٬ '])(\d+)$/.exec(bare) ?? [];
  if (whole === undefined) return undefined;
  const isGroup = fraction.length === 3 || whole.includes(mark);
  const meant = isGroup ? bare.replace(/\D/g, "") : `${whole.replace(/\D/g, "")}${way.decimal}${fraction}`;
  // A mark that is never a decimal one leaves open what was meant.
  const instead = /[ ']/.test(mark) && !isGroup ? example : `Type ${withDigits(meant, way)}.`;
  return `It is not clear what ${typed} means. ${instead}`;
}

/** A plain decimal as it can be typed, and is read as the same again. */
export function writeDecimal(plain: string, locale?: string): string {
  const way = wayOf(locale);
  const [whole = "", fraction = ""] = plain.split(".");
  // Three digits behind a mark could be taken for a group.
  const shown = fraction.length === 3 ? `${fraction}0` : fraction;
  return withDigits(shown === "" ? whole : `${whole}${way.decimal}${shown}`, way);
}

/** A plain decimal for people: with marks between groups. */
export function spellDecimal(plain: string, locale?: string): string {
  const way = wayOf(locale);
  const [whole = "", fraction] = plain.split(".");
  const part = fraction === undefined ? "" : `${way.decimal}${withDigits(fraction, way)}`;
  return `${BigInt(whole).toLocaleString(locale)}${part}`;
}
