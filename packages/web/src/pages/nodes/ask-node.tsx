import type { NodeShape } from "@tessera/wire";
import { wordsOf } from "../../api/call.ts";
import { useDraft } from "../../api/draft.ts";
import { useAct } from "../../api/use-call.ts";
import { Confirm } from "../../design/confirm.tsx";
import { Field } from "../../design/parts.tsx";
import { spellNumber } from "../../format/numbers.ts";
import { type Deadline, effectOn, endWords, type NodeAct, readDeadline } from "./node-acts.ts";
import { useCordonNode } from "./use-node-acts.ts";

const titles: Readonly<Record<NodeAct, string>> = { cordon: "Cordon", drain: "Drain", down: "Declare lost:" };
const words: Readonly<Record<NodeAct, string>> = { cordon: "Cordon it", drain: "Drain it", down: "Declare lost" };

/** Asks before a node is taken out of use, with what runs there; wherever it is asked from. */
export function AskNode({ node, act, onClose }: { node: NodeShape; act: NodeAct; onClose: () => void }) {
  const [draft, keep, drop] = useDraft(`${act} ${node.name}`, { reason: "", within: "1h" });
  const { reason, within } = draft;
  const deadline = act === "drain" ? readDeadline(within) : {};
  const wrong = "wrong" in deadline ? deadline.wrong : undefined;
  const cordon = useCordonNode();
  const drain = useAct("drainNode", () => `${node.name} is draining.`);
  const down = useAct("downNode", () => `${node.name} is declared lost.`);
  const close = () => {
    drop();
    onClose();
  };
  const doIt = () => {
    const at = { node: node.name };
    const body = reason === "" ? {} : { reason };
    const done = { onSuccess: close };
    if (act === "cordon") cordon.mutate({ at, body }, done);
    else if (act === "down") down.mutate({ at, body }, done);
    else drain.mutate({ at, body: { ...body, ...(within.trim() !== "" && { within: within.trim() }) } }, done);
  };
  return (
    <Confirm
      title={`${titles[act]} ${node.name}`}
      act={words[act]}
      busy={cordon.isPending || drain.isPending || down.isPending || wrong !== undefined}
      harmless={act === "cordon"}
      onAct={doIt}
      onClose={close}
    >
      <p>{effectOn(act, node, deadline)}</p>
      <Hit load={node.load} deadline={deadline} />
      <Field label="Reason">
        {(props) => (
          <input
            {...props}
            className="input"
            value={reason}
            onChange={(event) => keep({ ...draft, reason: event.target.value })}
          />
        )}
      </Field>
      {act === "drain" && (
        <Field
          label="Deadline"
          wrong={wrong ?? (drain.error === null ? undefined : wordsOf(drain.error))}
          hint="such as 30m or 2h; empty: wait until the jobs end"
        >
          {(props) => (
            <input
              {...props}
              className="input"
              value={within}
              onChange={(event) => keep({ ...draft, within: event.target.value })}
            />
          )}
        </Field>
      )}
    </Confirm>
  );
}

/** The jobs that are hit, those that end last first; the others are counted. */
function Hit({ load, deadline }: { load: NodeShape["load"]; deadline: Deadline }) {
  if (load === undefined || load.named.length === 0) return null;
  const more = load.jobs - load.named.length;
  return (
    <ul className="list small">
      {load.named.map(({ id, name, project, ...job }) => (
        <li key={id}>
          <span title={id}>
            {name} of {project}
          </span>
          <span className="quiet">{endWords(job, deadline)}</span>
        </li>
      ))}
      {more > 0 && <li className="quiet">and {spellNumber(more)} more</li>}
    </ul>
  );
}
