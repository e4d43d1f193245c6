import { useEffect, useRef } from "react";

/** Whether keys are being typed into something. */
function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && (/^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName) || target.isContentEditable)
  );
}

const chordMs = 1_200;

/** Calls an act for `/`, `?`, or two keys such as `g f`, unless the user is typing; for `mod+k` (Ctrl or ⌘) also then. */
export function useShortcuts(acts: Readonly<Record<string, () => void>>): void {
  const held = useRef(acts);
  held.current = acts;
  useEffect(() => {
    let first = "";
    let firstAt = 0;
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
      if (isTyping(event.target)) {
        // The field lets go of the keys, so that those of the page work again.
        if (event.key === "Escape" && !event.defaultPrevented) (event.target as HTMLElement).blur();
        return;
      }
      const chord = event.timeStamp - firstAt < chordMs ? `${first} ${event.key}` : event.key;
      const act = held.current[chord] ?? held.current[event.key];
      first = event.key;
      firstAt = event.timeStamp;
      if (act === undefined) return;
      first = "";
      event.preventDefault();
      act();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);
}
