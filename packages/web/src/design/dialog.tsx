import { type ReactNode, useEffect, useId, useRef } from "react";
import { Icon } from "./icon.tsx";

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
  readonly footer?: ReactNode;
}

/** The browser's own modal dialog: it keeps the focus inside, closes on Escape and gives the focus back. */
export function Dialog({ title, onClose, children, footer }: DialogProps) {
  const box = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const dialog = box.current!;
    if (!dialog.open) dialog.showModal();
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
      onClick={(event) => {
        if (event.target === box.current) onClose();
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
