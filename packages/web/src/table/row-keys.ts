import { type KeyboardEvent, type RefObject, useEffect, useState } from "react";
import { fieldOf, isChordBegun } from "../frame/shortcuts.ts";
import type { Selection } from "./selection.ts";

interface KeyedRows {
  readonly box: RefObject<HTMLElement | null>;
  /** In the order in which they are shown. */
  readonly keys: readonly string[];
  readonly selection: Selection | undefined;
  readonly onOpen: ((place: number) => void) | undefined;
  /** Brings a row into sight. */
  readonly toRow: (place: number) => void;
}

/** `j` and `k` move through the rows, `x` chooses one, Shift chooses through, Enter opens: the row at which they are. */
export function useRowKeys({ box, keys, selection, onOpen, toRow }: KeyedRows) {
  /** By key: a row keeps it when others come before it. */
  const [cursor, setCursor] = useState<string>();
  useFirstKey(box);
  const onKeyDown = (event: KeyboardEvent) => {
    const isOurs = event.target === box.current || (event.target as HTMLElement).matches("input.choose");
    if (!isOurs || isChordBegun(event.nativeEvent) || event.ctrlKey || event.metaKey || event.altKey) return;
    const step = { j: 1, J: 1, k: -1, K: -1 }[event.key];
    const at = cursor === undefined ? -1 : keys.indexOf(cursor);
    if (step !== undefined) {
      const next = Math.min(keys.length - 1, Math.max(0, at + step));
      const key = keys[next];
      if (key === undefined) return;
      setCursor(key);
      toRow(next);
      if (event.shiftKey) selection?.through(key, keys);
    } else if (event.key === "x" && at >= 0) selection?.toggle(keys[at]!);
    else if (event.key === "Enter" && at >= 0 && onOpen !== undefined) onOpen(at);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return { cursor, setCursor, onKeyDown };
}

/** `j` from anywhere goes into the first list of the page: without it a rail and a head of controls lie before it. */
function useFirstKey(box: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const press = (event: globalThis.KeyboardEvent) => {
      const at = event.target as HTMLElement;
      if (event.key !== "j" || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      if (fieldOf(event) !== undefined || isChordBegun(event) || at.closest(".rows-box") !== null) return;
      if (document.querySelector("dialog[open]") !== null) return;
      if (document.querySelector(".rows-box") !== box.current) return;
      event.preventDefault();
      box.current?.focus();
      box.current?.dispatchEvent(new globalThis.KeyboardEvent("keydown", { key: "j", bubbles: true }));
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, [box]);
}
