import { useEffect, useRef, useSyncExternalStore } from "react";
import { Button, Notice } from "../design/parts.tsx";

interface Toast {
  readonly id: number;
  readonly kind: "good" | "bad";
  readonly text: string;
  /** Takes back what the message tells of. */
  readonly undo: (() => void) | undefined;
}

let toasts: readonly Toast[] = [];
let next = 0;
const listeners = new Set<() => void>();
const stayMs = { good: 4_000, bad: 9_000, undo: 10_000 };
const lookAgainMs = 1_000;

function set(now: readonly Toast[]): void {
  toasts = now;
  for (const listener of listeners) listener();
}

/** Shows a message for a few seconds; with `undo`, it offers to take back what it tells of. */
export function toast(kind: Toast["kind"], text: string, undo?: () => void): void {
  const id = next++;
  set([...toasts.slice(-3), { id, kind, text, undo }]);
  setTimeout(leave, stayMs[undo === undefined ? kind : "undo"], id);
}

/** Lets a message go, unless the pointer or the focus rests on the messages. */
function leave(id: number): void {
  if (document.querySelector(".toasts:is(:hover, :focus-within)") !== null) setTimeout(leave, lookAgainMs, id);
  else drop(id);
}

function drop(id: number): void {
  set(toasts.filter((each) => each.id !== id));
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
      {shown.map(({ id, kind, text, undo }) => (
        <Notice key={id} kind={kind} action={undo && <Undo onPress={undo} onDone={() => drop(id)} />}>
          {text}
        </Notice>
      ))}
    </div>
  );
}

function Undo({ onPress, onDone }: { onPress: () => void; onDone: () => void }) {
  return (
    <Button
      small
      onClick={() => {
        onDone();
        onPress();
      }}
    >
      Undo
    </Button>
  );
}
