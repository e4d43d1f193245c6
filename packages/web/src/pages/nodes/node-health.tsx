import type { CheckShape, FindingShape, NodeShape } from "@tessera/wire";
import { useAct, useCall } from "../../api/use-call.ts";
import { Act } from "../../design/act.tsx";
import { mayDo } from "../../design/may-do.ts";
import { Card, Time } from "../../design/parts.tsx";
import { TableBox } from "../../design/table-box.tsx";
import { count } from "../../format/numbers.ts";
import { NodeRepair } from "./node-repair.tsx";

/** What was found of the node and its GPUs, what is being repaired, and how its last checks went. */
export function NodeHealth({ node }: { node: NodeShape }) {
  const { name } = node;
  const { data } = useCall("readNodeHealth", { at: { node: name } }, { everyMs: 5_000 });
  const check = useAct("checkNode", () => `${name} is being checked.`);
  if (data === undefined) return null;
  const { findings, checks, checking, checked, repair, faults } = data;
  return (
    <Card
      title="Health"
      beside={
        <Act
          act="checkNode"
          of={node}
          at=""
          disabled={checking}
          onClick={() => check.mutate({ at: { node: name }, body: {} })}
        >
          {checking ? "Checks run" : "Check now"}
        </Act>
      }
    >
      <div className="stack">
        {repair !== undefined && <NodeRepair node={name} id={repair} mayClose={mayDo("closeRepair", node)} />}
        {faults > 0 && <p>Taken out of use {count(faults, "time")} within seven days.</p>}
        {findings.length === 0 ? <p className="quiet">Nothing was found.</p> : <Findings findings={findings} />}
        {checked !== undefined && (
          <p className="quiet small">
            Checked <Time at={checked} />
          </p>
        )}
        {checks.length > 0 && <Checks checks={checks} />}
      </div>
    </Card>
  );
}

function Findings({ findings }: { findings: readonly FindingShape[] }) {
  return (
    <TableBox label="Findings">
      <thead>
        <tr>
          <th>Finding</th>
          <th>What follows</th>
          <th>GPU</th>
          <th className="number">Times</th>
          <th>Last</th>
        </tr>
      </thead>
      <tbody>
        {findings.map(({ source, code, name, means, action, gpu, count: times, last, text }) => (
          <tr key={`${source} ${code} ${gpu}`}>
            <td className="finding">
              <b className="nowrap">{name}</b> {means}
              {text !== undefined && text !== "" && <code className="finding-line">{text}</code>}
            </td>
            <td className="nowrap">
              <span className="chip">
                <i className={`mark ${marks[action]}`} style={{ background: tones[action] }} />
                {action}
              </span>
            </td>
            <td className="nowrap">{gpu === undefined ? "the node" : <code>{gpu}</code>}</td>
            <td className="number">{times}</td>
            <td>
              <Time at={last} />
            </td>
          </tr>
        ))}
      </tbody>
    </TableBox>
  );
}

/** Colour and form, so that neither is needed alone. */
const tones: Readonly<Record<FindingShape["action"], string>> = {
  ignore: "var(--idle)",
  watch: "var(--booked)",
  "restart-job": "var(--burst)",
  drain: "var(--leaving)",
  reset: "var(--leaving)",
  quarantine: "var(--down)",
  rma: "var(--down)",
};
const marks: Readonly<Record<FindingShape["action"], string>> = {
  ignore: "",
  watch: "",
  "restart-job": "square",
  drain: "square",
  reset: "square",
  quarantine: "cross",
  rma: "cross",
};

function Checks({ checks }: { checks: readonly CheckShape[] }) {
  return (
    <TableBox label="Checks">
      <thead>
        <tr>
          <th>Check</th>
          <th>Result</th>
          <th>GPU</th>
          <th>Measured</th>
          <th>Expected</th>
          <th>Note</th>
        </tr>
      </thead>
      <tbody>
        {checks.map(({ name, gpu, result, measured, expected, text }) => (
          <tr key={`${name} ${gpu}`}>
            <td>{name}</td>
            <td>{result === "failed" ? <b>failed</b> : result}</td>
            <td className="nowrap">{gpu === undefined ? "the node" : <code>{gpu}</code>}</td>
            <td>{measured}</td>
            <td>{expected}</td>
            <td className="quiet small">{text}</td>
          </tr>
        ))}
      </tbody>
    </TableBox>
  );
}
