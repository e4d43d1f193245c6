import { useEffect, useRef, useSyncExternalStore } from "react";
import { Notice } from "../design/parts.tsx";

interface Toast {
  readonly id: number;
  readonly kind: "good" | "bad";
  readonly text: string;
}

let toasts: readonly Toast[] = [];
let next = 0;
const listeners = new Set<() => void>();
const stayMs = { good: 4_000, bad: 9_000 };

function set(now: readonly Toast[]): void {
  toasts = now;
  for (const listener of listeners) listener();
}

/** Shows a message for a few seconds. */
export function toast(kind: Toast["kind"], text: string): void {
  const id = next++;
  set([...toasts.slice(-3), { id, kind, text }]);
  setTimeout(() => set(toasts.filter((each) => each.id !== id)), stayMs[kind]);
}

export function Toasts() {
  const shown = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => toasts,
  );
  const box = useRef<HTMLDivElement>(null);
  // Shown again for each message, so that it stands above a dialog that was opened in the meantime.
  useEffect(() => {
    box.current?.hidePopover();
    if (shown.length > 0) box.current?.showPopover();
  }, [shown]);
  return (
    <div className="toasts" popover="manual" ref={box} aria-live="polite">
      {shown.map(({ id, kind, text }) => (
        <Notice key={id} kind={kind}>
          {text}
        </Notice>
      ))}
    </div>
  );
}
