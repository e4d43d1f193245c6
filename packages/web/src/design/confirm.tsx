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

/**
 * Asks before an act, with its consequence named. Without a field the focus is on Cancel, so that Enter alone does
 * nothing; in a field Enter does the act, as in every form.
 */
export function Confirm({ title, act, children, busy, onAct, onClose, harmless, keep = "Cancel" }: ConfirmProps) {
  const form = useId();
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
          <Button kind={harmless ? "primary" : "danger"} type="submit" form={form} disabled={busy}>
            {act}
          </Button>
        </>
      }
    >
      <form id={form} className="stack tight" onSubmit={submit}>
        {children}
      </form>
    </Dialog>
  );
}
