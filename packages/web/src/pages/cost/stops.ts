import { writeDecimal } from "../../format/decimal.ts";

/** What happens once a budget is spent. */
export const stops = {
  alert: "only alert",
  "refuse-new": "refuse new jobs",
  "stop-burst": "stop burst jobs",
  "stop-all": "stop all jobs",
} as const;
export type Stop = keyof typeof stops;

/** `50, 80, 90` as thousandths; undefined for anything else, and for what can be read in two ways. */
export function readAlerts(text: string): number[] | undefined {
  const words = text.split(/[\s;]+/).map((word) => word.replace(/^,+|,+$/g, ""));
  // A comma before a single digit is a decimal one in 92,5; beside other commas it may be either.
  if (words.some((word) => /,.*,/.test(word) && /,\d(?:,|$)/.test(word))) return undefined;
  const parts = words
    .flatMap((word) => (/^\d+,\d%?$/.test(word) ? word : word.split(",")))
    .filter((part) => part !== "");
  const perMille = parts.map((part) => {
    const [, whole, tenth = "0"] = /^(\d{1,3})(?:[.,](\d))?%?$/.exec(part) ?? [];
    return whole === undefined ? 0 : Number(whole) * 10 + Number(tenth);
  });
  return perMille.length <= 10 && perMille.every((each) => each >= 1 && each <= 1000) ? perMille : undefined;
}

/** Thousandths as percentages: `50, 80, 92.5`, or `50; 80; 92,5` where decimals have commas. */
export function writeAlerts(perMille: readonly number[], locale?: string): string {
  const [mark, between] = writeDecimal("0.5", locale) === "0,5" ? [",", "; "] : [".", ", "];
  return perMille.map((each) => String(each / 10).replace(".", mark)).join(between);
}
