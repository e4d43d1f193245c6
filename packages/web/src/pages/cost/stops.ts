/** What happens once a budget is spent. */
export const stops = {
  alert: "only alert",
  "refuse-new": "refuse new jobs",
  "stop-burst": "stop burst jobs",
  "stop-all": "stop all jobs",
} as const;
export type Stop = keyof typeof stops;

/** `50, 80, 90` as thousandths; undefined for anything else. */
export function readAlerts(text: string): number[] | undefined {
  // 92,5 is one number and 50,80 are two: a comma before a single digit is a decimal one.
  const words = text.split(/[\s;]+/).flatMap((word) => (/^\d+,\d%?$/.test(word) ? word : word.split(",")));
  const parts = words.filter((part) => part !== "");
  const perMille = parts.map((part) => {
    const [, whole, tenth = "0"] = /^(\d{1,3})(?:[.,](\d))?%?$/.exec(part) ?? [];
    return whole === undefined ? 0 : Number(whole) * 10 + Number(tenth);
  });
  return perMille.length <= 10 && perMille.every((each) => each >= 1 && each <= 1000) ? perMille : undefined;
}

/** Thousandths as percentages: `50, 80, 92.5`. */
export function writeAlerts(perMille: readonly number[]): string {
  return perMille.map((each) => (each % 10 === 0 ? String(each / 10) : (each / 10).toFixed(1))).join(", ");
}
