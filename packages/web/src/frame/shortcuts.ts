import { useEffect, useRef } from "react";

/** Whether keys are being typed into something. */
function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && (/^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName) || target.isContentEditable)
  );
}

const chordMs = 1_200;

/** Calls an act for `/`, `?`, or two keys such as `g f`, unless the user is typing. */
export function useShortcuts(acts: Readonly<Record<string, () => void>>): void {
  const held = useRef(acts);
  held.current = acts;
  useEffect(() => {
    let first = "";
    let firstAt = 0;
    const press = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      if (document.querySelector("dialog[open]") !== null) return;
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
