import type { Paint, Style } from "../terminal.ts";

/** `4 H100 + 2 any` from `{"H100": 4, "*": 2}`. */
export function amountsText(amounts: Readonly<Record<string, number>> | undefined, none = "-"): string {
  if (amounts === undefined) return none;
  const parts = Object.entries(amounts).filter(([, gpus]) => gpus !== 0);
  if (parts.length === 0) return "0";
  if (parts.length === 1 && parts[0]![0] === "*") return numberText(parts[0]![1]);
  return parts.map(([model, gpus]) => `${numberText(gpus)} ${model === "*" ? "any" : model}`).join(" + ");
}

export function sumOf(amounts: Readonly<Record<string, number>> | undefined): number {
  return Object.values(amounts ?? {}).reduce((sum, gpus) => sum + gpus, 0);
}

/** At most three digits after the point, as GPUs are cut no finer. */
export function numberText(value: number): string {
  return String(Math.round(value * 1_000) / 1_000);
}

export function memoryText(mib: number): string {
  if (mib >= 1024 * 1024) return `${numberText(Math.round((mib / 1024 / 1024) * 10) / 10)} TiB`;
  if (mib >= 1024) return `${numberText(Math.round((mib / 1024) * 10) / 10)} GiB`;
  return `${mib} MiB`;
}

export interface BarPart {
  readonly amount: number;
  readonly style: Style;
  readonly mark?: string;
}

/** A bar of `cells` characters in which each part has its share of `total`; the rest is drawn empty. */
export function bar(parts: readonly BarPart[], total: number, cells: number, paint: Paint): string {
  let drawn = 0;
  let reached = 0;
  let text = "";
  for (const { amount, style, mark = "█" } of parts) {
    reached += amount;
    const until = total <= 0 ? 0 : Math.min(cells, Math.round((reached / total) * cells));
    const length = Math.max(amount > 0 && drawn < cells && total > 0 ? 1 : 0, until - drawn);
    text += paint(style, mark.repeat(length));
    drawn += length;
  }
  return text + paint("dim", "░".repeat(Math.max(0, cells - drawn)));
}
