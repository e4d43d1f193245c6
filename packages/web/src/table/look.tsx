import type { ReactNode } from "react";
import { useAddress } from "../frame/address.ts";
import { type Column, chosenColumns, sortAmong } from "./column.ts";
import { LookMenu } from "./look-menu.tsx";

/** How a table is looked at: which columns, in which order, how close its rows are. */
export interface Look {
  /** The chosen columns as the address has them; empty = the usual ones. */
  readonly columns: string;
  /** A column by its name in the address, with `-` from the largest; empty = as the list comes. */
  readonly sort: string;
  /** The order in which the list comes when none is chosen. */
  readonly usualSort: string;
  readonly tight: boolean;
  readonly onSort: (sort: string) => void;
}

interface LookOptions {
  /** Where a page has several tables, what stands before the parameters of this one. */
  readonly name?: string;
  readonly usualSort?: string;
}

/** The look of a table, which is in the address, the columns that it shows, and the menu that changes it. */
export function useLook<Item>(
  columns: readonly Column<Item>[],
  { name = "", usualSort = "" }: LookOptions = {},
): { readonly look: Look; readonly shown: readonly Column<Item>[]; readonly choice: ReactNode } {
  const [params, set] = useAddress();
  const at = (parameter: string) => (name === "" ? parameter : `${name}.${parameter}`);
  const text = params.get(at("columns")) ?? "";
  const look: Look = {
    columns: text,
    sort: sortAmong(columns, params.get(at("sort")) ?? "") || usualSort,
    usualSort,
    tight: params.get(at("rows")) === "close",
    onSort: (sort) => set({ [at("sort")]: sort === usualSort ? "" : sort }, { push: true }),
  };
  const choice = (
    <LookMenu
      columns={columns}
      look={look}
      onColumns={(next) => set({ [at("columns")]: next })}
      onTight={(next) => set({ [at("rows")]: next ? "close" : "" })}
    />
  );
  return { look, shown: chosenColumns(columns, text), choice };
}
