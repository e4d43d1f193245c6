import type { NodeShape, QueryOf } from "@tessera/wire";
import { useCall } from "../../api/use-call.ts";
import { usePages } from "../../api/use-pages.ts";
import { Choice } from "../../design/choice.tsx";
import { Empty } from "../../design/parts.tsx";
import { Select } from "../../design/select.tsx";
import { TypedText } from "../../design/typed-text.tsx";
import { spellNumber } from "../../format/numbers.ts";
import { inZone } from "../../format/times.ts";
import { nodeAddress, useAddress } from "../../frame/address.ts";
import type { Column } from "../../table/column.ts";
import { useLook } from "../../table/look.tsx";
import { Paged } from "../../table/paged.tsx";
import { Views } from "../../table/views.tsx";
import { ModeChip } from "./mode-chip.tsx";

const everyMs = 5_000;
const modes = ["all", "up", "out"] as const;
const filters = ["mode", "text", "engine"];

const columns: readonly Column<NodeShape>[] = [
  { label: "Node", width: [140, 2], sort: "name", show: ({ name }) => <strong>{name}</strong> },
  { label: "Mode", width: [100, 1], sort: "mode", show: ({ mode }) => <ModeChip mode={mode} /> },
  { label: "GPUs", width: 120, below: true, sort: "model", show: ({ gpus, model }) => `${gpus} × ${model}` },
  {
    label: "Free",
    width: [110, 1.2],
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
    width: [120, 2],
    below: true,
    show: ({ reason }) => reason !== "" && <span title={inZone(reason)}>{inZone(reason)}</span>,
  },
  { label: "Rack", width: [80, 1], below: true, sort: "rack", show: ({ rack }) => rack },
  { label: "Block", width: [80, 1], below: true, show: ({ block }) => block },
];
const keyOf = ({ name }: NodeShape) => name;
const hrefOf = ({ name }: NodeShape) => nodeAddress(name);

/** Every node and its state, read page by page; the server filters, sorts and counts. */
export default function NodesPage() {
  const [params, set] = useAddress();
  const mode = modes.find((each) => each === params.get("mode")) ?? "all";
  const text = params.get("text") ?? "";
  const engine = params.get("engine") ?? "";
  const { look, choice } = useLook(columns);
  const engines = useCall("listEngines").data?.items ?? [];
  const query: QueryOf<"listNodes"> = {
    ...(mode !== "all" && { mode }),
    ...(text !== "" && { text }),
    ...(engine !== "" && { engine }),
    ...(look.sort !== "" && { sort: look.sort as NonNullable<QueryOf<"listNodes">["sort"]> }),
  };
  const list = usePages("listNodes", { ...query, count: true, limit: 100 }, everyMs);
  return (
    <div className="page">
      <div className="head">
        <h1>Nodes</h1>
        <div className="row wrap">
          <Choice
            of={modes}
            chosen={mode}
            word={(each) => (each === "out" ? "not up" : each)}
            onChoose={(each) => set({ mode: each === "all" ? "" : each }, { push: true })}
          />
          {(engines.length > 1 || engine !== "") && (
            <Select
              style={{ width: 160 }}
              aria-label="Engine"
              value={engine}
              of={[["", "all engines"], ...engines.map(({ name }) => name)]}
              onChange={(next) => set({ engine: next }, { push: true })}
            />
          )}
          <TypedText
            label="Filter by name, rack, model or reason"
            hint="Name, rack, model, reason"
            width={220}
            value={text}
            onTyped={(typed) => set({ text: typed })}
          />
          {choice}
        </div>
      </div>
      <Views filters={filters} />
      <Paged
        list={list}
        noun={["node", "nodes"]}
        filters={filters}
        empty={<Empty title="No nodes yet" command="npx tess node get" />}
        table={{
          label: "Nodes",
          columns,
          look,
          keyOf,
          hrefOf,
          about: JSON.stringify([mode, text, engine]),
          height: "calc(100vh - 220px)",
        }}
      />
    </div>
  );
}
