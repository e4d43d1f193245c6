import { type WasteReport, wasteWords } from "@tessera/wire";
import { colourOf, patternOf } from "../../design/hues.ts";
import { spellMoney } from "../../format/money.ts";
import { gpuHoursOf, spellNumber, spellShare } from "../../format/numbers.ts";
import type { Column } from "../../table/column.ts";
import { Table } from "../../table/table.tsx";
import { classHues, partsOf, presentClasses } from "./classes.ts";

type Amounts = Pick<WasteReport["total"], "unitMs" | "micros" | "classes">;

/** Everything as one bar, a part for each class. */
export function WasteBar({ of, small = false }: { of: Amounts; small?: boolean }) {
  return (
    <div className={small ? "waste-bar small" : "waste-bar"} aria-hidden="true">
      {partsOf(of).map(({ name, left, width }) => (
        <div
          key={name}
          className={`part pattern-${patternOf(classHues[name])}`}
          title={`${wasteWords[name]}: ${spellShare(Number(of.classes[name]!.unitMs), Number(of.unitMs))}`}
          style={{ left: `${left}%`, width: `${width}%`, backgroundColor: colourOf(classHues[name]) }}
        />
      ))}
    </div>
  );
}

interface ClassRow {
  readonly name: ReturnType<typeof presentClasses>[number];
  readonly unitMs: string;
  readonly share: string;
  readonly worth: string;
}

const classColumns: readonly Column<ClassRow>[] = [
  {
    label: "Part",
    show: ({ name }) => (
      <>
        <i
          className={`mark square pattern-${patternOf(classHues[name])}`}
          style={{ backgroundColor: colourOf(classHues[name]) }}
        />{" "}
        {wasteWords[name]}
      </>
    ),
  },
  { label: "GPU-hours", number: true, show: ({ unitMs }) => spellNumber(gpuHoursOf(unitMs)) },
  { label: "Share", number: true, show: ({ share }) => share },
  { label: "Worth", number: true, nowrap: true, show: ({ worth }) => worth },
];

/** The same as figures; they add up to the last line. */
export function WasteClasses({ of, currency }: { of: Amounts; currency: string }) {
  const rows = presentClasses(of).map((name) => {
    const { unitMs, micros } = of.classes[name]!;
    return { name, unitMs, share: spellShare(Number(unitMs), Number(of.unitMs)), worth: spellMoney(micros, currency) };
  });
  return (
    <Table
      label="Where the capacity went"
      items={rows}
      columns={classColumns}
      keyOf={({ name }) => name}
      foot={[["All", spellNumber(gpuHoursOf(of.unitMs)), "100 %", spellMoney(of.micros, currency)]]}
    />
  );
}
