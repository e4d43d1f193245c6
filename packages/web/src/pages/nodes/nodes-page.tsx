import type { NodeShape, QueryOf } from "@tessera/wire";
import { useCall } from "../../api/use-call.ts";
import { usePages } from "../../api/use-pages.ts";
import { Choice } from "../../design/choice.tsx";
import { Card, Empty, Skeleton } from "../../design/parts.tsx";
import { type Column, Rows } from "../../design/rows.tsx";
import { TypedText } from "../../design/typed-text.tsx";
import { count, spellNumber } from "../../format/numbers.ts";
import { inZone } from "../../format/times.ts";
import { nodeAddress, useAddress } from "../../frame/address.ts";
import { useTableLook } from "../../table/use-table-look.tsx";
import { Views } from "../../table/views.tsx";
import { ModeChip } from "./mode-chip.tsx";

const everyMs = 5_000;
const filters = ["all", "up", "out"] as const;
const sorts = ["name", "mode", "model", "free", "rack"].flatMap(
  (name) => [name, `-${name}`] as NonNullable<QueryOf<"listNodes">["sort"]>[],
);

const columns: readonly Column<NodeShape>[] = [
  { label: "Node", width: "minmax(0, 2fr)", sort: "name", show: ({ name }) => <strong>{name}</strong> },
  { label: "Mode", width: "126px", sort: "mode", show: ({ mode }) => <ModeChip mode={mode} /> },
  { label: "GPUs", width: "120px", wide: true, sort: "model", show: ({ gpus, model }) => `${gpus} × ${model}` },
  {
    label: "Free",
    width: "minmax(0, 0.9fr)",
    sort: "free",
    show: ({ gpus, gpusFree }) => (
      <div className="row">
        <span className="small nowrap">{spellNumber(gpusFree)} free</span>
        <div className="bar" style={{ flex: 1, minWidth: 0 }}>
          <div className="part used" style={{ left: 0, width: `${(100 * (gpus - gpusFree)) / Math.max(1, gpus)}%` }} />
        </div>
      </div>
    ),
  },
  {
    label: "Reason",
    width: "minmax(0, 2fr)",
    wide: true,
    show: ({ reason }) => reason !== "" && <span title={inZone(reason)}>{inZone(reason)}</span>,
  },
  { label: "Rack", width: "minmax(0, 1fr)", wide: true, sort: "rack", show: ({ rack }) => rack },
  { label: "Block", width: "minmax(0, 1fr)", wide: true, show: ({ block }) => block },
];
const keyOf = ({ name }: NodeShape) => name;

/** Every node and its state, read page by page; the server filters, sorts and counts. */
export default function NodesPage() {
  const [params, set] = useAddress();
  const mode = filters.find((each) => each === params.get("mode")) ?? "all";
  const text = params.get("text") ?? "";
  const engine = params.get("engine") ?? "";
  const sort = sorts.find((each) => each === params.get("sort"));
  const look = useTableLook(columns);
  const engines = useCall("listEngines").data?.items ?? [];
  const query = {
    count: true,
    limit: 100,
    ...(mode !== "all" && { mode }),
    ...(text !== "" && { text }),
    ...(engine !== "" && { engine }),
    ...(sort !== undefined && { sort }),
  } as const;
  const { items: nodes, total, more } = usePages("listNodes", query, everyMs);
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
          {(engines.length > 1 || engine !== "") && (
            <select
              className="input"
              style={{ width: 160 }}
              aria-label="Engine"
              value={engine}
              onChange={(event) => set({ engine: event.target.value })}
            >
              <option value="">all engines</option>
              {engines.map(({ name }) => (
                <option key={name}>{name}</option>
              ))}
            </select>
          )}
          <TypedText
            label="Filter by name, rack, model or reason"
            hint="Name, rack, model, reason"
            width={220}
            value={text}
            onTyped={(typed) => set({ text: typed })}
          />
          {look.choice}
        </div>
      </div>
      <Views />
      <Card flush title={total === undefined ? "Nodes" : count(total, "node")}>
        {nodes === undefined ? (
          <div className="body">
            <Skeleton lines={8} />
          </div>
        ) : nodes.length === 0 ? (
          <Empty title="No node matches" command="npx tess node get" />
        ) : (
          <Rows
            label="Nodes"
            items={nodes}
            columns={look.shown}
            tight={look.tight}
            keyOf={keyOf}
            hrefOf={({ name }) => nodeAddress(name)}
            sort={sort ?? ""}
            onSort={(next) => set({ sort: next })}
            height="calc(100vh - 220px)"
            onEnd={more}
          />
        )}
      </Card>
    </div>
  );
}
