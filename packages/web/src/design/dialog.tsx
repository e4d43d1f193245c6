import { type ReactNode, useId, useLayoutEffect, useRef } from "react";
import { Icon } from "./icon.tsx";

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
  readonly footer?: ReactNode;
  /** A click beside it closes it, as long as nothing was typed that would be lost. */
  readonly light?: boolean;
}

/** The browser's own modal dialog: it keeps the focus inside, closes on Escape and gives the focus back. */
export function Dialog({ title, onClose, children, footer, light = false }: DialogProps) {
  const box = useRef<HTMLDialogElement>(null);
  /** Whether the press began beside it; one that began inside only selects text. */
  const beside = useRef(false);
  const isTyped = useRef(false);
  const id = useId();
  useLayoutEffect(() => {
    const dialog = box.current!;
    if (!dialog.open) dialog.showModal();
    focusFirst(dialog);
    return () => dialog.close();
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it; a click beside it is only another way
    <dialog
      ref={box}
      className="dialog"
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onInput={() => {
        isTyped.current = true;
      }}
      onPointerDown={(event) => {
        beside.current = event.target === box.current;
      }}
      onClick={(event) => {
        if (light && !isTyped.current && beside.current && event.target === box.current) onClose();
      }}
    >
      <header>
        <h2 id={id}>{title}</h2>
        <button type="button" className="button plain small" onClick={onClose} aria-label="Close">
          <Icon name="close" size={16} />
        </button>
      </header>
      <div className="body">{children}</div>
      {footer !== undefined && <footer>{footer}</footer>}
    </dialog>
  );
}

const fields = ":is(input, select, textarea):not(:disabled, [type=hidden])";

/**
 * The first field, else the first button below the title: `showModal` would choose the one that closes the dialog.
 * The caret goes behind what is written already.
 */
function focusFirst(dialog: HTMLDialogElement): void {
  const first =
    // A dialog may itself lie in the body of a card, which a selector without scope would match.
    dialog.querySelector<HTMLElement>(`:scope > .body ${fields}`) ??
    dialog.querySelector<HTMLElement>(":scope > :is(.body, footer) button:not(:disabled)");
  first?.focus();
  if (first instanceof HTMLInputElement && ["text", "search"].includes(first.type))
    first.setSelectionRange(first.value.length, first.value.length);
}
