import { useId, useState } from "react";
import { flushSync } from "react-dom";
import { useNarrow } from "../design/narrow.ts";
import { Select } from "../design/select.tsx";
import { type Column, chosenColumns, sortNameOf, toggledColumns } from "./column.ts";
import type { Look } from "./look.tsx";

interface LookMenuProps<Item> {
  readonly columns: readonly Column<Item>[];
  readonly look: Look;
  readonly onColumns: (text: string) => void;
  readonly onTight: (tight: boolean) => void;
}

/** Which columns a table shows, and how close its rows are; on a phone, where headings have no room, also its order. */
export function LookMenu<Item>({ columns, look, onColumns, onTight }: LookMenuProps<Item>) {
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" className="chip" popoverTarget={id}>
        columns
      </button>
      <div
        className="menu"
        id={id}
        popover="auto"
        onBeforeToggle={({ newState }) => newState === "open" && flushSync(() => setOpen(true))}
        // Not before it is closed: the browser gives the focus back to the button only if it is still in the menu.
        onToggle={({ newState }) => newState === "closed" && setOpen(false)}
      >
        {isOpen && <Choices columns={columns} look={look} onColumns={onColumns} onTight={onTight} />}
      </div>
    </>
  );
}

function Choices<Item>({ columns, look, onColumns, onTight }: LookMenuProps<Item>) {
  const narrow = useNarrow();
  const shown = new Set(chosenColumns(columns, look.columns).map(({ label }) => label));
  return (
    <>
      {narrow && <SortChoice columns={columns} look={look} />}
      {columns.map(({ label }) => (
        <label key={label} className="row" style={{ padding: "4px 10px" }}>
          <input
            type="checkbox"
            aria-label={`Show the column ${label}`}
            checked={shown.has(label)}
            disabled={shown.has(label) && shown.size === 1}
            onChange={() => onColumns(toggledColumns(columns, look.columns, label))}
          />
          {label}
        </label>
      ))}
      <label className="row" style={{ padding: "4px 10px" }}>
        <input type="checkbox" checked={look.tight} onChange={() => onTight(!look.tight)} />
        close rows
      </label>
    </>
  );
}

const asItComes = ["", "as it comes"] as const;

function SortChoice<Item>({ columns, look: { sort, onSort } }: { columns: readonly Column<Item>[]; look: Look }) {
  const orders = columns.flatMap((column) => {
    const name = sortNameOf(column);
    if (name === undefined) return [];
    return [[name, `${column.label} ▲`] as const, [`-${name}`, `${column.label} ▼`] as const];
  });
  if (orders.length === 0) return null;
  return (
    <Select aria-label="Sort by" value={sort} of={[...(sort === "" ? [asItComes] : []), ...orders]} onChange={onSort} />
  );
}
