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
