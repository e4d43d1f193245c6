import { type RefObject, useEffect, useLayoutEffect, useRef, useSyncExternalStore } from "react";
import { entryHere, onEntry } from "./entries.ts";

/** Where a reader was in a box: how far it was scrolled, and the row at which the keys were. */
interface Place {
  readonly top?: number;
  readonly row?: Cursor;
}

/** A row by its key, and where it stood. */
export interface Cursor {
  /** A row keeps it when others come before it. */
  readonly key: string;
  readonly place: number;
}

/** Where the reader was in the boxes of each entry of the history, by their names, for as long as the tab is open. */
const places = new Map<string, Map<string, Place>>();
const entriesMax = 100;

/** The boxes on the page, by their names. */
const boxes = new Map<string, HTMLElement>();

function note(entry: string, name: string, place: Place): void {
  const noted = places.get(entry) ?? new Map<string, Place>();
  places.delete(entry);
  places.set(entry, noted.set(name, { ...noted.get(name), ...place }));
  if (places.size > entriesMax) places.delete(places.keys().next().value!);
}

// A step within a page leaves its boxes where they are: there they are in the new entry too.
onEntry(() => {
  const here = entryHere();
  if (places.has(here)) return;
  for (const [name, box] of boxes) note(here, name, { top: box.scrollTop });
});

/**
 * Back leads to where the reader was: a box goes to the place that is noted for its name in the entry of the history
 * that is shown, and to its top where none is. `isFilled`: there is something in it to scroll through.
 */
export function useScrollPlace(box: RefObject<HTMLElement | null>, name: string, isFilled: boolean): void {
  const entry = useSyncExternalStore(onEntry, entryHere);
  const shown = useRef<string>(undefined);
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null || !isFilled) return;
    const isOther = shown.current !== name;
    shown.current = name;
    const top = places.get(entry)?.get(name)?.top ?? (isOther ? 0 : undefined);
    const going = top === undefined ? undefined : goTo(element, top);
    boxes.set(name, element);
    const scrolled = () => {
      if (going?.isUnderWay() !== true) note(entryHere(), name, { top: element.scrollTop });
    };
    element.addEventListener("scroll", scrolled, { passive: true });
    return () => {
      going?.stop();
      if (boxes.get(name) === element) boxes.delete(name);
      element.removeEventListener("scroll", scrolled);
    };
  }, [box, name, isFilled, entry]);
}

/**
 * Back leads to the row where the keys were: `goTo` is called with the one that is noted for the box in the entry of
 * the history that is shown, once there are rows and where nothing else has the focus. `row`: where the keys are now.
 */
export function useRowPlace(
  name: string,
  row: Cursor | undefined,
  isFilled: boolean,
  goTo: (row: Cursor) => void,
): void {
  const entry = useSyncExternalStore(onEntry, entryHere);
  const go = useRef(goTo);
  go.current = goTo;
  useLayoutEffect(() => {
    const noted = isFilled ? places.get(entry)?.get(name)?.row : undefined;
    if (noted !== undefined && document.activeElement === document.body) go.current(noted);
  }, [entry, name, isFilled]);
  useEffect(() => {
    if (row !== undefined) note(entry, name, { row });
  }, [entry, name, row]);
}

/** How long a box waits for what it shows to become long enough again, and how often it looks. */
const waitMs = 10_000;
const lookEveryMs = 50;

const byReader = ["wheel", "touchmove", "keydown", "pointerdown"] as const;

/** Goes to a place as soon as the box is long enough for it, unless the reader does something first. */
function goTo(element: HTMLElement, top: number): { readonly isUnderWay: () => boolean; readonly stop: () => void } {
  const began = performance.now();
  let timer: ReturnType<typeof setInterval> | undefined;
  const stop = () => {
    clearInterval(timer);
    timer = undefined;
    for (const kind of byReader) removeEventListener(kind, stop, { capture: true });
  };
  const isThere = () => {
    element.scrollTop = top;
    return Math.abs(element.scrollTop - top) < 1;
  };
  if (!isThere()) {
    timer = setInterval(() => {
      if (isThere() || performance.now() - began > waitMs) stop();
    }, lookEveryMs);
    for (const kind of byReader) addEventListener(kind, stop, { capture: true, passive: true });
  }
  return { isUnderWay: () => timer !== undefined, stop };
}
