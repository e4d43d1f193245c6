import { useState } from "react";
import { useAct, useCall } from "../../api/use-call.ts";
import { Dialog } from "../../design/dialog.tsx";
import { Button, Field, Notice, Time } from "../../design/parts.tsx";
import { count } from "../../format/numbers.ts";
import { inZone } from "../../format/times.ts";

/** The open repair of a node: what has to be done, the evidence, and a way to say that the node is well. */
export function NodeRepair({ node, id, mayClose }: { node: string; id: number; mayClose: boolean }) {
  const { data } = useCall("listRepairs", { query: { node } }, { on: mayClose, everyMs: 5_000 });
  const [closing, setClosing] = useState(false);
  const repair = data?.items.find((each) => each.id === id);
  return (
    <Notice
      kind="warn"
      action={
        mayClose && (
          <Button data-act="closeRepair" onClick={() => setClosing(true)}>
            The node is well
          </Button>
        )
      }
    >
      <p>
        <b>Repair {id} is open</b>
        {repair !== undefined && (
          <>
            {" "}
            since <Time at={repair.opened} />: {inZone(repair.why)}.
          </>
        )}
      </p>
      <p>
        {repair !== undefined && `To do: ${repair.step}. `}
        {repair?.flapping === true
          ? "It failed so often that checks alone do not bring it back."
          : "It takes work again after its checks pass."}
      </p>
      {repair !== undefined && repair.evidence.length > 0 && (
        <details>
          <summary>{count(repair.noted, "line")} of evidence</summary>
          <ul className="list">
            {repair.evidence.map(({ at, text }) => (
              <li key={`${at} ${text}`}>
                <span className="quiet small">
                  <Time at={at} />
                </span>
                <code className="finding-line">{text}</code>
              </li>
            ))}
          </ul>
        </details>
      )}
      {closing && <Closing id={id} node={node} onClose={() => setClosing(false)} />}
    </Notice>
  );
}

function Closing({ id, node, onClose }: { id: number; node: string; onClose: () => void }) {
  const [reason, setReason] = useState("");
  const close = useAct("closeRepair", () => `Repair ${id} is closed; ${node} takes work again.`);
  return (
    <Dialog
      title={`Close repair ${id}`}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            kind="primary"
            disabled={reason.trim() === ""}
            onClick={() => {
              close.mutate({ at: { repair: String(id) }, body: { reason: reason.trim() } }, { onSuccess: onClose });
            }}
          >
            Close it
          </Button>
        </>
      }
    >
      <div className="stack tight">
        <p>{node} takes work again at once, without its checks.</p>
        <Field label="What was done">
          {(props) => (
            <input {...props} className="input" value={reason} onChange={(event) => setReason(event.target.value)} />
          )}
        </Field>
      </div>
    </Dialog>
  );
}
