/** All GPUs of an amount by model; `*` stands for any. */
export function amountOf(amounts: Readonly<Record<string, number>> | undefined): number {
  return Object.values(amounts ?? {}).reduce((sum, each) => sum + each, 0);
}

/** `8 H100, 4 of any`. */
export function spellAmounts(amounts: Readonly<Record<string, number>> | undefined): string {
  if (amounts === undefined) return "no limit";
  const parts = Object.entries(amounts).map(([model, many]) => `${many} ${model === "*" ? "of any" : model}`);
  return parts.length === 0 ? "none" : parts.join(", ");
}

export const amountHint = "8, or H100=8 A100=4";

/** What is wrong with a text that is no amount. */
export function wrongAmount(text: string): string {
  return `${text.trim()} is not a number of GPUs: write 8, or each model once, as H100=8 A100=4.`;
}

/** `8` or `H100=8 A100=4` as an amount; undefined for anything else. */
export function readAmount(text: string): number | Record<string, number> | undefined {
  const plain = text.trim();
  if (plain === "") return 0;
  if (/^\d+(\.\d+)?$/.test(plain)) return Number(plain);
  const parts = plain.split(/[\s,]+/).map((part) => /^([\w.*-]+)[=:](\d+(?:\.\d+)?)$/.exec(part));
  if (parts.some((part) => part === null)) return undefined;
  // Of two amounts for one model neither can be the one that is meant.
  if (new Set(parts.map((part) => part![1])).size < parts.length) return undefined;
  return Object.fromEntries(parts.map((part) => [part![1]!, Number(part![2])]));
}

/** As it is typed. */
export function writeAmount(amounts: Readonly<Record<string, number>> | undefined): string {
  if (amounts === undefined) return "";
  const models = Object.keys(amounts);
  if (models.length === 0) return "0";
  if (models.length === 1 && models[0] === "*") return String(amounts["*"]);
  return models.map((model) => `${model}=${amounts[model]}`).join(" ");
}

/** An amount that was read, model by model. */
export function byModel(amount: number | Record<string, number>): Record<string, number> {
  return typeof amount === "object" ? amount : amount === 0 ? {} : { "*": amount };
}
