import type { NodeShape } from "@tessera/wire";
import { useDraft } from "../../api/draft.ts";
import { refusedAt } from "../../api/refused-at.ts";
import { useAct } from "../../api/use-call.ts";
import { Act } from "../../design/act.tsx";
import { Confirm } from "../../design/confirm.tsx";
import { TextField, TimeField } from "../../design/inputs.tsx";
import { Card } from "../../design/parts.tsx";
import { spellClock } from "../../format/times.ts";
import { useOpen } from "../../frame/open.ts";

/** When the node will be out of use, with ways to plan that and to drop it. */
export function NodeMaintenance({ node }: { node: NodeShape }) {
  const [asking, open] = useOpen(`maintenance of ${node.name}`);
  const windows = node.maintenance ?? [];
  const close = () => open(undefined);
  return (
    <Card
      title="Maintenance"
      beside={
        <div className="row">
          {windows.length > 0 && (
            <Act act="maintainNode" of={node} at="" small onClick={() => open("cancel")}>
              Cancel maintenance
            </Act>
          )}
          <Act act="maintainNode" of={node} at="" small onClick={() => open("plan")}>
            Plan maintenance
          </Act>
        </div>
      }
    >
      {windows.length === 0 ? (
        <p className="quiet">None is planned.</p>
      ) : (
        <ul className="list">
          {windows.map(({ from, to, reason, state }) => (
            <li key={from}>
              <span>
                {spellClock(from)} to {spellClock(to)}
              </span>
              <span className="quiet">
                {state === "active" ? "now" : "planned"}
                {reason !== "" && `: ${reason}`}
              </span>
            </li>
          ))}
        </ul>
      )}
      {asking === "plan" && <Plan node={node} onClose={close} />}
      {asking === "cancel" && <Drop node={node} onClose={close} />}
    </Card>
  );
}

function Plan({ node: { name }, onClose }: { node: NodeShape; onClose: () => void }) {
  const [draft, keep, drop] = useDraft(`maintenance of ${name}`, { from: "", to: "", reason: "" });
  const { from, to, reason } = draft;
  const plan = useAct("maintainNode", () => `Maintenance of ${name} is planned.`);
  const body = { from, to, ...(reason !== "" && { reason }) };
  const close = () => {
    drop();
    onClose();
  };
  return (
    <Confirm
      title={`Plan maintenance of ${name}`}
      act="Plan it"
      busy={plan.isPending || from === "" || to === ""}
      harmless
      onAct={() => plan.mutate({ at: { node: name }, body }, { onSuccess: close })}
      onClose={close}
    >
      <p>
        From now on, jobs that would not end before it start elsewhere. What still runs when it begins is stopped with
        its grace and waits again. The node takes work again when it is over.
      </p>
      <TimeField
        label="From"
        wrong={refusedAt(plan.error, "from")}
        value={from}
        onChange={(text) => keep({ ...draft, from: text })}
      />
      <TimeField
        label="To"
        wrong={refusedAt(plan.error, "to")}
        value={to}
        onChange={(text) => keep({ ...draft, to: text })}
      />
      <TextField label="Reason" maxLength={500} value={reason} onChange={(text) => keep({ ...draft, reason: text })} />
    </Confirm>
  );
}

function Drop({ node: { name }, onClose }: { node: NodeShape; onClose: () => void }) {
  const drop = useAct("maintainNode", () => `Maintenance of ${name} is cancelled.`);
  return (
    <Confirm
      title={`Cancel the maintenance of ${name}?`}
      act="Cancel the maintenance"
      keep="Keep it planned"
      busy={drop.isPending}
      harmless
      onAct={() => drop.mutate({ at: { node: name }, body: { cancel: true } }, { onSuccess: onClose })}
      onClose={onClose}
    >
      <p>The node takes all jobs again at once, also if its maintenance has begun.</p>
    </Confirm>
  );
}
