import { useEffect, useState } from "react";
import { whenStepUp } from "../../api/call.ts";
import { Dialog } from "../../design/dialog.tsx";
import { SessionFactor } from "./factor-form.tsx";

/** Asks for the second factor when a dangerous act needs it; the act then goes on by itself. */
export function StepUp() {
  const [answer, setAnswer] = useState<(shown: boolean) => void>();
  useEffect(() => {
    whenStepUp(() => new Promise((resolve) => setAnswer(() => resolve)));
    return () => whenStepUp(async () => false);
  }, []);
  if (answer === undefined) return null;
  const end = (shown: boolean) => {
    setAnswer(undefined);
    answer(shown);
  };
  return (
    <Dialog title="Show that it is you" onClose={() => end(false)}>
      <div className="stack">
        <p>This needs your second factor. It is then not asked for again for 5 minutes.</p>
        <SessionFactor onShown={() => end(true)} />
      </div>
    </Dialog>
  );
}
