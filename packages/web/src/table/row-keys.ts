import { type FocusEvent, type KeyboardEvent, type RefObject, useEffect, useLayoutEffect, useRef } from "react";
import { type Cursor, useRowPlace } from "../frame/scroll-places.ts";
import { fieldOf, isChordBegun } from "../frame/shortcuts.ts";
import type { Selection } from "./selection.ts";
import type { SteadyRow } from "./steady-rows.ts";

interface KeyedRows<Item> {
  /** What list it is: Back leads to the row at which the keys were in it. */
  readonly name: string;
  /** The row at which the keys are. */
  readonly cursor: Cursor | undefined;
  readonly setCursor: (cursor: Cursor) => void;
  readonly box: RefObject<HTMLElement | null>;
  /** In the order in which they are shown. */
  readonly rows: readonly SteadyRow<Item>[];
  readonly selection: Selection<Item> | undefined;
  /** Brings a row into sight. */
  readonly toRow: (place: number) => void;
  /** The first row in sight, at which one begins. */
  readonly firstInSight: () => number;
}

const steps: Readonly<Record<string, number>> = { j: 1, J: 1, ArrowDown: 1, k: -1, K: -1, ArrowUp: -1 };

/** The place of the row that a key leads to; where the row at which one was has left, from where it stood. */
export function placeAfter(step: number, keys: readonly string[], cursor: Cursor | undefined, first: number): number {
  if (cursor === undefined) return Math.min(first, keys.length - 1);
  const at = keys.indexOf(cursor.key);
  const next = at >= 0 ? at + step : step > 0 ? cursor.place : cursor.place - 1;
  return Math.min(keys.length - 1, Math.max(0, next));
}

/**
 * `j` and `k` move the focus through the rows, `x` chooses the row that has it, Shift chooses through, Escape chooses
 * none, Enter follows the link of the row. The row that has, or last had, the focus is the only one among the rows that Tab reaches.
 */
export function useRowKeys<Item>(props: KeyedRows<Item>) {
  const { name, cursor, setCursor, box, rows, selection, toRow, firstInSight } = props;
  /** The row that gets the focus as soon as it is drawn. */
  const wanted = useRef<string>(undefined);
  const isInside = useRef(false);
  useRowPlace(name, cursor, rows.length > 0, (noted) => {
    if (rows.some(({ key }) => key === noted.key)) wanted.current = noted.key;
    setCursor(noted);
  });
  useFirstKey(box);
  useEscape(selection);
  useLayoutEffect(() => {
    const row = wanted.current === undefined ? undefined : rowOf(box.current, wanted.current);
    if (row !== undefined) {
      wanted.current = undefined;
      (row.querySelector<HTMLElement>("a.row-link") ?? row).focus({ preventScroll: true });
    } else if (isInside.current && document.activeElement === document.body) {
      // The row that had the focus is no longer drawn: the keys go on from the list.
      box.current?.focus({ preventScroll: true });
    }
  });
  const moveTo = (place: number) => {
    const row = rows[place];
    if (row === undefined) return;
    wanted.current = row.key;
    setCursor({ key: row.key, place });
    toRow(place);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (fieldOf(event.nativeEvent) !== undefined || isChordBegun(event.nativeEvent)) return;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const target = event.target as HTMLElement;
    const isAtRow = target.matches("a.row-link, input.choose, tr");
    const step = event.key.startsWith("Arrow") && !isAtRow ? undefined : steps[event.key];
    const here = rows.find(({ key }) => key === cursor?.key);
    if (step !== undefined) {
      const place = placeAfter(
        step,
        rows.map(({ key }) => key),
        cursor,
        firstInSight(),
      );
      moveTo(place);
      if (event.shiftKey && rows[place] !== undefined) selection?.through(rows[place].key, rows);
    } else if (here === undefined || !(isAtRow || target === box.current)) return;
    else if (event.key === "x") selection?.toggle(here);
    else if (event.key === "Enter" && !target.matches("a.row-link"))
      rowOf(box.current, here.key)?.querySelector<HTMLElement>("a.row-link")?.click();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const onFocus = (event: FocusEvent) => {
    isInside.current = true;
    const key = (event.target as HTMLElement).closest<HTMLElement>("tr[data-key]")?.dataset.key;
    const place = rows.findIndex((row) => row.key === key);
    if (key !== undefined && place >= 0) setCursor({ key, place });
  };
  const onBlur = (event: FocusEvent) => {
    isInside.current = event.currentTarget.contains(event.relatedTarget);
  };
  return { onKeyDown, onFocus, onBlur };
}

function rowOf(box: HTMLElement | null, key: string): HTMLElement | undefined {
  return [...(box?.querySelectorAll<HTMLElement>("tr[data-key]") ?? [])].find((row) => row.dataset.key === key);
}

/** `j` from anywhere goes into the first list of the page: without it a rail and a head of controls lie before it. */
function useFirstKey(box: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const press = (event: globalThis.KeyboardEvent) => {
      const at = event.target as HTMLElement;
      if (event.key !== "j" || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      if (fieldOf(event) !== undefined || isChordBegun(event) || at.closest(".table-box") !== null) return;
      if (document.querySelector("dialog[open]") !== null) return;
      if (document.querySelector(".table-box:has(a.row-link)") !== box.current) return;
      event.preventDefault();
      box.current?.focus({ preventScroll: true });
      box.current?.dispatchEvent(new globalThis.KeyboardEvent("keydown", { key: "j", bubbles: true }));
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, [box]);
}

/** Escape from anywhere on the page lets go of the chosen rows, unless it closes something or leaves a field. */
function useEscape<Item>(selection: Selection<Item> | undefined): void {
  const clear = selection === undefined || selection.keys.size === 0 ? undefined : selection.clear;
  useEffect(() => {
    if (clear === undefined) return;
    const press = (event: globalThis.KeyboardEvent) => {
      if (event.key !== "Escape" || event.defaultPrevented || fieldOf(event) !== undefined) return;
      if (document.querySelector("dialog[open], :popover-open") !== null) return;
      clear();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, [clear]);
}
