import type { ReactNode } from "react";
import { Button, Notice } from "./parts.tsx";

/** Someone else changed what a form began with: nothing is sent before the reader has seen that. */
export function ChangedMeanwhile({ onGoOn, children }: { onGoOn: () => void; children: ReactNode }) {
  return (
    <Notice
      kind="warn"
      action={
        <Button small onClick={onGoOn}>
          Go on with mine
        </Button>
      }
    >
      {children}
    </Notice>
  );
}
