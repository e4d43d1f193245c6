import { type RefObject, useEffect } from "react";

/** Where each list was when its page was left, for as long as the tab is open. */
const left = new Map<string, number>();
const keptMax = 50;

/** Back leads to where the reader was: the place of a list is kept for its address. */
export function useScrollMemory(box: RefObject<HTMLElement | null>, label: string, isFilled: boolean): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: it goes there once, when there are rows to go to
  useEffect(() => {
    const element = box.current;
    const here = `${location.pathname}${location.search} ${label}`;
    const before = left.get(here);
    if (!isFilled || element === null) return;
    if (before !== undefined) element.scrollTo(0, before);
    const note = () => remember(here, element.scrollTop);
    element.addEventListener("scroll", note, { passive: true });
    return () => element.removeEventListener("scroll", note);
  }, [isFilled]);
}

function remember(here: string, top: number): void {
  left.delete(here);
  left.set(here, top);
  if (left.size > keptMax) left.delete(left.keys().next().value!);
}
