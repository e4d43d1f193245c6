import type { CheckShape, FindingShape, NodeShape } from "@tessera/wire";
import { useAct, useCall } from "../../api/use-call.ts";
import { Act } from "../../design/act.tsx";
import { mayDo } from "../../design/may-do.ts";
import { Card, Time } from "../../design/parts.tsx";
import { count } from "../../format/numbers.ts";
import type { Column } from "../../table/column.ts";
import { Table } from "../../table/table.tsx";
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

const findingColumns: readonly Column<FindingShape>[] = [
  {
    label: "Finding",
    show: ({ name, means, text }) => (
      <div className="finding">
        <b className="nowrap">{name}</b> {means}
        {text !== undefined && text !== "" && <code className="finding-line">{text}</code>}
      </div>
    ),
  },
  {
    label: "What follows",
    nowrap: true,
    show: ({ action }) => (
      <span className="chip">
        <i className={`mark ${marks[action]}`} style={{ background: tones[action] }} />
        {action}
      </span>
    ),
  },
  { label: "GPU", nowrap: true, show: ({ gpu }) => (gpu === undefined ? "the node" : <code>{gpu}</code>) },
  { label: "Times", number: true, show: ({ count: times }) => times },
  { label: "Last", show: ({ last }) => <Time at={last} /> },
];

function Findings({ findings }: { findings: readonly FindingShape[] }) {
  const keyOf = ({ source, code, gpu }: FindingShape) => `${source} ${code} ${gpu}`;
  return <Table label="Findings" items={findings} columns={findingColumns} keyOf={keyOf} />;
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

const checkColumns: readonly Column<CheckShape>[] = [
  { label: "Check", show: ({ name }) => name },
  { label: "Result", show: ({ result }) => (result === "failed" ? <b>failed</b> : result) },
  { label: "GPU", nowrap: true, show: ({ gpu }) => (gpu === undefined ? "the node" : <code>{gpu}</code>) },
  { label: "Measured", show: ({ measured }) => measured },
  { label: "Expected", show: ({ expected }) => expected },
  { label: "Note", show: ({ text }) => <span className="quiet small">{text}</span> },
];

function Checks({ checks }: { checks: readonly CheckShape[] }) {
  const keyOf = ({ name, gpu }: CheckShape) => `${name} ${gpu}`;
  return <Table label="Checks" items={checks} columns={checkColumns} keyOf={keyOf} />;
}
