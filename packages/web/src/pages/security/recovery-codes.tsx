import { Button, Notice } from "../../design/parts.tsx";
import { copyText } from "../../frame/copy.ts";

/** Shown once: what one signs in with when the device is lost. */
export function RecoveryCodes({ codes, onKept }: { codes: readonly string[]; onKept: () => void }) {
  return (
    <div className="stack">
      <Notice kind="warn">
        Keep these recovery codes where you find them without this device. They are not shown again, and each is good
        once.
      </Notice>
      <ol className="codes mono" aria-label="Recovery codes">
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ol>
      <div className="row">
        <Button kind="primary" onClick={onKept}>
          I have kept them
        </Button>
        <Button onClick={() => void copyText(codes.join("\n"), "The codes are copied.")}>Copy</Button>
      </div>
    </div>
  );
}
