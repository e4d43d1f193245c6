import type { FleetNodeShape } from "@tessera/wire";
import { useMemo } from "react";
import { useLive } from "../../api/live.ts";
import { Choice } from "../../design/choice.tsx";
import { Card, Empty, Skeleton } from "../../design/parts.tsx";
import { type Column, Rows } from "../../design/rows.tsx";
import { spellNumber } from "../../format/numbers.ts";
import { nodeAddress, useAddress } from "../../frame/address.ts";
import { ModeChip } from "./mode-chip.tsx";

const filters = ["all", "up", "out"] as const;

const held = ({ cells }: FleetNodeShape) => [...cells].filter((letter) => letter !== ".").length;
const columns: readonly Column<FleetNodeShape>[] = [
  { label: "Node", width: "minmax(0, 2fr)", show: ({ name }) => <strong>{name}</strong> },
  { label: "Mode", width: "126px", show: ({ mode }) => <ModeChip mode={mode} /> },
  { label: "GPUs", width: "120px", wide: true, show: ({ cells, model }) => `${cells.length} × ${model}` },
  {
    label: "Held",
    width: "minmax(0, 0.9fr)",
    show: (node) => (
      <div className="row">
        <div className="bar" style={{ flex: 1 }}>
          <div
            className="part used"
            style={{ left: 0, width: `${(100 * held(node)) / Math.max(1, node.cells.length)}%` }}
          />
        </div>
        <span className="small">{held(node)}</span>
      </div>
    ),
  },
  {
    label: "Reason",
    width: "minmax(0, 2fr)",
    wide: true,
    show: ({ reason }) => reason !== undefined && <span title={reason}>{reason}</span>,
  },
  { label: "Rack", width: "minmax(0, 1fr)", wide: true, show: ({ rack }) => rack },
  { label: "Block", width: "minmax(0, 1fr)", wide: true, show: ({ block }) => block },
];

/** Every node and its state. */
export default function NodesPage() {
  const nodes = useLive("readFleet");
  const [params, set] = useAddress();
  const mode = filters.find((each) => each === params.get("mode")) ?? "all";
  const text = (params.get("text") ?? "").toLowerCase();
  const engine = params.get("engine") ?? "";
  const engines = useMemo(() => [...new Set((nodes ?? []).map((node) => node.engine ?? ""))].sort(), [nodes]);
  const shown = useMemo(
    () =>
      (nodes ?? []).filter(
        (node) =>
          (mode === "all" || (mode === "up") === (node.mode === "up")) &&
          (engine === "" || node.engine === engine) &&
          (text === "" || `${node.name} ${node.rack} ${node.block} ${node.model}`.toLowerCase().includes(text)),
      ),
    [nodes, mode, text, engine],
  );
  return (
    <div className="page">
      <div className="head">
        <h1>Nodes</h1>
        <div className="row wrap">
          <Choice
            of={filters}
            chosen={mode}
            word={(each) => (each === "out" ? "not up" : each)}
            onChoose={(each) => set({ mode: each === "all" ? "" : each })}
          />
          {engines.length > 1 && (
            <select
              className="input"
              style={{ width: 160 }}
              aria-label="Engine"
              value={engine}
              onChange={(event) => set({ engine: event.target.value })}
            >
              <option value="">all engines</option>
              {engines.map((name) => (
                <option key={name}>{name}</option>
              ))}
            </select>
          )}
          <input
            className="input"
            style={{ width: 200 }}
            aria-label="Filter by name, rack or model"
            placeholder="Name, rack, model"
            value={text}
            onChange={(event) => set({ text: event.target.value })}
          />
        </div>
      </div>
      <Card
        flush
        title={nodes === undefined ? "Nodes" : `${spellNumber(shown.length)} of ${spellNumber(nodes.length)}`}
      >
        {nodes === undefined ? (
          <Skeleton lines={8} />
        ) : shown.length === 0 ? (
          <Empty title="No node matches" command="npx tess node get" />
        ) : (
          <Rows
            label="Nodes"
            items={shown}
            columns={columns}
            keyOf={({ name }) => name}
            hrefOf={({ name }) => nodeAddress(name)}
            height="calc(100vh - 220px)"
          />
        )}
      </Card>
    </div>
  );
}
