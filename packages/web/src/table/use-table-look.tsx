import type { Column } from "../design/rows.tsx";
import { useAddress } from "../frame/address.ts";
import { ColumnChoice } from "./column-choice.tsx";
import { chosenColumns } from "./columns.ts";

/** Which columns a table shows and how close its rows are, both in the address, and the menu that changes them. */
export function useTableLook<Item>(columns: readonly Column<Item>[]) {
  const [params, set] = useAddress();
  const text = params.get("columns") ?? "";
  const tight = params.get("rows") === "close";
  const choice = (
    <ColumnChoice
      columns={columns}
      text={text}
      onChoose={(next) => set({ columns: next })}
      tight={tight}
      onTight={(next) => set({ rows: next ? "close" : "" })}
    />
  );
  return { shown: chosenColumns(columns, text), tight, choice };
}
