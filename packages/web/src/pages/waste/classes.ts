import { type WasteClassName, type WasteReport, type WasteRow, wasteWords } from "@tessera/wire";
import type { Hue } from "../../design/hues.ts";
import { meanings } from "../../design/meanings.ts";

export const classNames = Object.keys(wasteWords) as WasteClassName[];

/** A class without a hue does not compile. */
export const classHues: { readonly [name in WasteClassName]: Hue } = meanings.waste;

type Amounts = Pick<WasteReport["total"], "unitMs" | "micros" | "classes">;

/** The classes that have any time, in the order in which they are shown. */
export function presentClasses({ classes }: Amounts): WasteClassName[] {
  return classNames.filter((name) => classes[name] !== undefined && classes[name].unitMs !== "0");
}

export function unitMsOf({ classes }: Amounts, ...names: readonly WasteClassName[]): string {
  return String(names.reduce((sum, name) => sum + BigInt(classes[name]?.unitMs ?? 0), 0n));
}

/** All but busy time, and time that was not measured. */
export function wastedMicros({ micros, classes }: Pick<WasteRow, "micros" | "classes">): string {
  return String(BigInt(micros) - BigInt(classes.busy?.micros ?? 0) - BigInt(classes.allocated_unmeasured?.micros ?? 0));
}

/** A row for each line of a report, with the time and the worth of each class. */
export function fileOf({
  rows,
  by,
  currency,
}: Pick<WasteReport, "rows" | "by" | "currency">): Record<string, string>[] {
  return rows.map((row) => ({
    [by]: row.key === "" ? "no lease" : (row.name ?? row.key),
    ...Object.fromEntries(
      classNames.flatMap((name) => [
        [`${wasteWords[name]} (unit-ms)`, row.classes[name]?.unitMs ?? "0"],
        [`${wasteWords[name]} (micros ${currency})`, row.classes[name]?.micros ?? "0"],
      ]),
    ),
  }));
}

/** Where each part of the bar begins and how long it is, in per cent. Ends are rounded, not lengths, so that the bar is full. */
export function partsOf(of: Amounts): { name: WasteClassName; left: number; width: number }[] {
  const whole = BigInt(of.unitMs);
  if (whole === 0n) return [];
  const percent = (unitMs: bigint) => Number((unitMs * 100_000n) / whole) / 1_000;
  let before = 0n;
  return presentClasses(of).map((name) => {
    const left = percent(before);
    before += BigInt(of.classes[name]!.unitMs);
    return { name, left, width: percent(before) - left };
  });
}
