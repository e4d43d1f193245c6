import { useEffect, useRef } from "react";

/** What keys are being typed into; inside a shadow root, such as the editor's, the window sees only its host as the target. */
export function fieldOf(event: KeyboardEvent): HTMLElement | undefined {
  const [target] = event.composedPath();
  if (!(target instanceof HTMLElement)) return undefined;
  if (target instanceof HTMLInputElement && /^(checkbox|radio|range|button|submit)$/.test(target.type))
    return undefined;
  return /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName) || target.isContentEditable ? target : undefined;
}

const chordMs = 1_200;

/** The first key of two, such as the `g` of `g f`, and when it was pressed. */
let begun = { key: "", at: 0 };

/** Whether this key is the second of two, so that it means something else than alone. */
export function isChordBegun(event: KeyboardEvent): boolean {
  return begun.key !== "" && event.timeStamp - begun.at < chordMs;
}

/** Calls an act for `/`, `?`, or two keys such as `g f`, unless the user is typing; for `mod+k` (Ctrl or ⌘) also then. */
export function useShortcuts(acts: Readonly<Record<string, () => void>>): void {
  const held = useRef(acts);
  held.current = acts;
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (document.querySelector("dialog[open]") !== null) return;
      const withMod = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey;
      const modded = withMod ? held.current[`mod+${event.key.toLowerCase()}`] : undefined;
      if (modded !== undefined) {
        event.preventDefault();
        modded();
        return;
      }
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const field = fieldOf(event);
      if (field !== undefined) {
        // The field lets go of the keys, so that those of the page work again.
        if (event.key === "Escape" && !event.defaultPrevented) field.blur();
        return;
      }
      const chord = isChordBegun(event) ? held.current[`${begun.key} ${event.key}`] : undefined;
      const act = chord ?? held.current[event.key];
      const begins = Object.keys(held.current).some((name) => name.startsWith(`${event.key} `));
      begun = { key: act === undefined && begins ? event.key : "", at: event.timeStamp };
      if (act === undefined) return;
      event.preventDefault();
      act();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);
}
