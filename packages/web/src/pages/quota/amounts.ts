import { readDecimal, spellDecimal, writeDecimal } from "../../format/decimal.ts";

/** All GPUs of a guarantee by model; `*` stands for any. */
export function amountOf(amounts: Readonly<Record<string, number>> | undefined): number {
  return Object.values(amounts ?? {}).reduce((sum, each) => sum + each, 0);
}

/** `8 H100, 4 of any`. */
export function spellAmounts(amounts: Readonly<Record<string, number>> | undefined): string {
  if (amounts === undefined) return "no limit";
  const parts = Object.entries(amounts).map(
    ([model, many]) => `${spellDecimal(String(many))} ${model === "*" ? "of any" : model}`,
  );
  return parts.length === 0 ? "none" : parts.join(", ");
}

export const amountHint = "8, or H100=8 A100=4";

export type Amount = number | Record<string, number>;
export type ReadGpus = { readonly amount: Amount } | { readonly wrong: string };

const gpusMax = 1_000_000;

/** `8` or `H100=8 A100=4` as an amount, with numbers as the reader's language writes them; what may mean two is refused. */
export function readAmount(text: string, locale?: string): ReadGpus {
  const typed = text.trim();
  if (typed === "") return { amount: 0 };
  const parts = typed.split(/[\s,;]+(?=[\w.*-]*[A-Za-z*][\w.*-]*\s*[=:])/);
  if (!/[=:]/.test(typed)) return numberOf(typed, typed, locale);
  const amounts: Record<string, number> = {};
  for (const part of parts) {
    const [, model, many] = /^([\w.*-]+)\s*[=:]([^=:]*?)[\s,;]*$/.exec(part) ?? [];
    if (model === undefined || many === undefined) return { wrong: noAmount(typed) };
    if (Object.hasOwn(amounts, model)) return { wrong: `${model} is given twice: write each model once.` };
    const read = numberOf(many, typed, locale);
    if ("wrong" in read) return read;
    amounts[model] = read.amount;
  }
  return { amount: amounts };
}

function numberOf(text: string, typed: string, locale?: string): { amount: number } | { wrong: string } {
  // Words are no number that could be unclear.
  if (!/\p{Nd}/u.test(text) || /[A-Za-z]/.test(text)) return { wrong: noAmount(typed) };
  const read = readDecimal(text, locale);
  if ("wrong" in read) return read;
  const [, fraction = ""] = read.plain.split(".");
  if (fraction.replace(/0+$/, "").length > 3)
    return { wrong: `${text.trim()} is too fine: write at most three decimals.` };
  const amount = Number(read.plain);
  return amount > gpusMax
    ? { wrong: `${text.trim()} is more GPUs than there can be: at most ${gpusMax}.` }
    : { amount };
}

function noAmount(typed: string): string {
  return `${typed} is not a number of GPUs: write 8, or each model once, as H100=8 A100=4.`;
}

/** As it is typed. */
export function writeAmount(amounts: Readonly<Record<string, number>> | undefined, locale?: string): string {
  if (amounts === undefined) return "";
  const models = Object.keys(amounts);
  const write = (model: string) => writeDecimal(String(amounts[model]), locale);
  if (models.length === 0) return "0";
  if (models.length === 1 && models[0] === "*") return write("*");
  return models.map((model) => `${model}=${write(model)}`).join(" ");
}

/** An amount that was read, model by model. */
export function byModel(amount: Amount): Record<string, number> {
  return typeof amount === "object" ? amount : amount === 0 ? {} : { "*": amount };
}

/** An amount as the command line takes it: `8`, or `H100:8,A100:4`. */
export function plainGpus(amount: Amount): string {
  if (typeof amount === "number") return String(amount);
  return Object.entries(amount)
    .map(([model, many]) => `${model}:${many}`)
    .join(",");
}
