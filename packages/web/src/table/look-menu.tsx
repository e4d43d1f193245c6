import { useId, useState } from "react";
import { flushSync } from "react-dom";
import { useNarrow } from "../design/narrow.ts";
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
        onBeforeToggle={({ newState }) => flushSync(() => setOpen(newState === "open"))}
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

function SortChoice<Item>({ columns, look: { sort, onSort } }: { columns: readonly Column<Item>[]; look: Look }) {
  const orders = columns.flatMap((column) => {
    const name = sortNameOf(column);
    return name === undefined ? [] : [{ name, label: column.label }];
  });
  if (orders.length === 0) return null;
  return (
    <select className="input" aria-label="Sort by" value={sort} onChange={(event) => onSort(event.target.value)}>
      {sort === "" && <option value="">as it comes</option>}
      {orders.map(({ name, label }) => [
        <option key={name} value={name}>
          {label} ▲
        </option>,
        <option key={`-${name}`} value={`-${name}`}>
          {label} ▼
        </option>,
      ])}
    </select>
  );
}
