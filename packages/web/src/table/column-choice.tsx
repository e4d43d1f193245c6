import { useId } from "react";
import type { Column } from "../design/rows.tsx";
import { chosenColumns, toggledColumns } from "./columns.ts";

interface ColumnChoiceProps<Item> {
  readonly columns: readonly Column<Item>[];
  /** As the address has it. */
  readonly text: string;
  readonly onChoose: (text: string) => void;
  readonly tight: boolean;
  readonly onTight: (tight: boolean) => void;
}

/** Which columns a table shows, and how close its rows are. */
export function ColumnChoice<Item>({ columns, text, onChoose, tight, onTight }: ColumnChoiceProps<Item>) {
  const id = useId();
  const shown = new Set(chosenColumns(columns, text).map(({ label }) => label));
  return (
    <>
      <button type="button" className="chip" popoverTarget={id}>
        columns
      </button>
      <div className="menu" id={id} popover="auto">
        {columns.map(({ label }) => (
          <label key={label} className="row" style={{ padding: "4px 10px" }}>
            <input
              type="checkbox"
              aria-label={`Show the column ${label}`}
              checked={shown.has(label)}
              disabled={shown.has(label) && shown.size === 1}
              onChange={() => onChoose(toggledColumns(columns, text, label))}
            />
            {label}
          </label>
        ))}
        <label className="row" style={{ padding: "4px 10px" }}>
          <input type="checkbox" checked={tight} onChange={() => onTight(!tight)} />
          close rows
        </label>
      </div>
    </>
  );
}
