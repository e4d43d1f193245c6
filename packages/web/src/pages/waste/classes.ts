import { type WasteClassName, type WasteReport, type WasteRow, wasteWords } from "@tessera/wire";

export const classNames = Object.keys(wasteWords) as WasteClassName[];

/** Used in green and blue, wasted by holders in warm colours, without a holder in greys. */
export const classColours: { readonly [name in WasteClassName]: string } = {
  busy: "var(--healthy)",
  allocated_partly: "var(--booked)",
  allocated_idle: "var(--burst)",
  allocated_unmeasured: "var(--unknown)",
  dedicated: "#8f7a00",
  setup: "#cc79a7",
  handover: "#6a51a3",
  lost_preemption: "var(--leaving)",
  lost_fault: "var(--down)",
  fragmented: "var(--guaranteed)",
  unallocated_idle: "var(--idle)",
  maintenance: "var(--maintenance)",
  down: "var(--line-strong)",
};

type Amounts = Pick<WasteReport["total"], "unitMs" | "micros" | "classes">;

/** The classes that have any time, in the order in which they are shown. */
export function presentClasses({ classes }: Amounts): WasteClassName[] {
  return classNames.filter((name) => classes[name] !== undefined && classes[name].unitMs !== "0");
}

export function unitMsOf({ classes }: Amounts, ...names: readonly WasteClassName[]): string {
  return String(names.reduce((sum, name) => sum + BigInt(classes[name]?.unitMs ?? 0), 0n));
}

/** Everything but what was busy, and what may have been. */
export function wastedMicros({ micros, classes }: Pick<WasteRow, "micros" | "classes">): string {
  return String(BigInt(micros) - BigInt(classes.busy?.micros ?? 0) - BigInt(classes.allocated_unmeasured?.micros ?? 0));
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
