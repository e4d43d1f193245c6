import type { FleetNodeShape, GangLevel } from "@tessera/wire";
import { useMemo, useState } from "react";
import { RangeChart } from "../../chart/chart.tsx";
import { RangeBar } from "../../chart/range-bar.tsx";
import { causeWord, levelWord, outcomeWord } from "../../chart/words.ts";
import { Button, Card } from "../../design/parts.tsx";
import { saveCsv } from "../../format/csv.ts";
import { count, spellNumber } from "../../format/numbers.ts";
import type { Column } from "../../table/column.ts";
import { Table } from "../../table/table.tsx";
import { freePerNode } from "./free-per-node.ts";

const gangLevels = ["node", "rack", "block", "fleet"] as const satisfies readonly GangLevel[];

interface FreeProps {
  readonly nodes: readonly FleetNodeShape[];
  /** Of which moment the nodes are. */
  readonly when: "now" | "then" | "planned";
}

/** How whole the free part of the fleet is and was, and what went wrong. */
export default function FleetHistory({ nodes, when }: FreeProps) {
  return (
    <>
      <RangeBar />
      <div className="grid">
        <FreePerNode nodes={nodes} when={when} />
        <RangeChart
          title="Idle GPUs on partly used nodes"
          className="span-8"
          about="0 % = all idle GPUs are on empty nodes."
          asks={[{ metric: "fragmentation", by: "model" }]}
        />
        {gangLevels.map((level) => (
          // Each on a scale of its own: beside the whole fleet, a node would be flat on 0.
          <RangeChart
            key={level}
            title={`Largest gang ${levelWord(level)} over time`}
            className="span-6"
            asks={[{ metric: "largest_gang", by: "model", level }]}
          />
        ))}
        <RangeChart
          title="Jobs sent back to the queue, by cause"
          kind="bars"
          className="span-4"
          asks={[{ metric: "preemptions", by: "cause", words: causeWord }]}
        />
        <RangeChart
          title="Jobs ended, by outcome"
          kind="bars"
          className="span-4"
          asks={[{ metric: "ends", by: "outcome", words: outcomeWord }]}
        />
      </div>
    </>
  );
}

const freeColumns: readonly Column<ReturnType<typeof freePerNode>[number]>[] = [
  { label: "Free GPUs", number: true, show: ({ free }) => spellNumber(free) },
  { label: "Nodes", number: true, show: ({ nodes }) => spellNumber(nodes) },
];

/** Histogram of free GPUs per node: those in the left columns fit no gang. */
function FreePerNode({ nodes, when }: FreeProps) {
  const columns = useMemo(() => freePerNode(nodes), [nodes]);
  const [table, setTable] = useState(false);
  const most = Math.max(1, ...columns.map(({ nodes: many }) => many));
  return (
    <Card
      title={`Free GPUs per node, ${when}`}
      className="span-4"
      beside={
        columns.length > 0 && (
          <span className="row">
            <Button
              small
              aria-label={`Free GPUs per node: ${table ? "chart" : "table"}`}
              onClick={() => setTable(!table)}
            >
              {table ? "Chart" : "Table"}
            </Button>
            <Button
              small
              aria-label="Free GPUs per node: CSV"
              onClick={() => saveCsv("free-gpus-per-node.csv", columns)}
            >
              CSV
            </Button>
          </span>
        )
      }
    >
      {columns.length === 0 ? (
        <p className="quiet">No GPU is free.</p>
      ) : table ? (
        <Table
          label="Nodes by the number of their free GPUs"
          items={columns}
          columns={freeColumns}
          keyOf={({ free }) => String(free)}
        />
      ) : (
        <ul className="columns" aria-label="Nodes by the number of their free GPUs">
          {columns.map(({ free, nodes: many }) => (
            <li key={free} title={`${count(many, "node")} with ${spellNumber(free)} free`}>
              <b className="small">{spellNumber(many)}</b>
              <i style={{ height: `${Math.max(2, (100 * many) / most)}%` }} />
              <span className="small quiet">{free}</span>
            </li>
          ))}
        </ul>
      )}
      <p className="quiet small">Nodes that are up, by the number of their free GPUs.</p>
    </Card>
  );
}
