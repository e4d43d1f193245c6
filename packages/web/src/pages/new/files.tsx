import { type DragEvent, type ReactNode, useRef, useState } from "react";
import { Button } from "../../design/parts.tsx";

/** Files that are dropped on what is inside. */
export function DropPlace({ onFiles, children }: { onFiles: (files: readonly File[]) => void; children: ReactNode }) {
  const [over, setOver] = useState(false);
  const isFiles = (event: DragEvent) => event.dataTransfer.types.includes("Files");
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the button "Open files" does the same by keyboard
    <div
      className={over ? "drop over" : "drop"}
      onDragOver={(event) => {
        if (!isFiles(event)) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDropCapture={(event) => {
        setOver(false);
        if (!isFiles(event)) return;
        // The editor would put the text of the file at the pointer.
        event.preventDefault();
        event.stopPropagation();
        onFiles([...event.dataTransfer.files]);
      }}
    >
      {children}
    </div>
  );
}

/** Files by a button, for the keyboard and the phone. */
export function OpenFiles({ onFiles }: { onFiles: (files: readonly File[]) => void }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <Button kind="plain" onClick={() => input.current?.click()}>
        Open files
      </Button>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label="Job files"
        accept=".yaml,.yml,.json,text/plain"
        onChange={(event) => {
          onFiles([...(event.target.files ?? [])]);
          event.target.value = "";
        }}
      />
    </>
  );
}
