import { type FormEvent, type ReactNode, useId } from "react";
import { Dialog } from "./dialog.tsx";
import { Button } from "./parts.tsx";

interface ConfirmProps {
  readonly title: string;
  /** The word on the button that does it. */
  readonly act: string;
  /** What follows from it. */
  readonly children: ReactNode;
  /** The act is under way. The dialog stays until it is done: one that was refused can be tried again. */
  readonly busy: boolean;
  readonly onAct: () => void;
  readonly onClose: () => void;
  /** For an act that takes nothing away: Enter in a field of it does it. */
  readonly harmless?: boolean;
  /** The word on the button that leaves things as they are, where Cancel could be taken for the act. */
  readonly keep?: string;
}

/** Asks before an act, with its consequence named. The focus is on Cancel, so that Enter alone does nothing. */
export function Confirm({ title, act, children, busy, onAct, onClose, harmless, keep = "Cancel" }: ConfirmProps) {
  const id = useId();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onAct();
  };
  return (
    <Dialog
      title={title}
      onClose={onClose}
      light
      footer={
        <>
          <Button onClick={onClose}>{keep}</Button>
          {harmless ? (
            <Button kind="primary" type="submit" form={id} disabled={busy}>
              {act}
            </Button>
          ) : (
            <Button kind="danger" disabled={busy} onClick={onAct}>
              {act}
            </Button>
          )}
        </>
      }
    >
      {harmless ? (
        <form id={id} className="stack tight" onSubmit={submit}>
          {children}
        </form>
      ) : (
        <div className="stack tight">{children}</div>
      )}
    </Dialog>
  );
}
