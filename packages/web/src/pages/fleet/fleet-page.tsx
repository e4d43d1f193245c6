import type { FleetActivity, FleetNodeShape } from "@tessera/wire";
import { useMemo } from "react";
import { Link, useLocation } from "wouter";
import { useLive } from "../../api/live.ts";
import { useMay } from "../../api/me.tsx";
import { useCall } from "../../api/use-call.ts";
import type { Places } from "../../chart/colours.ts";
import { OrElse } from "../../chart/fallback.tsx";
import { Marked } from "../../chart/marked.ts";
import { usePlaces } from "../../chart/use-places.ts";
import { Choice } from "../../design/choice.tsx";
import { onDemand } from "../../design/on-demand.tsx";
import { ButtonLink, Card, Empty, Notice, Skeleton } from "../../design/parts.tsx";
import { count, spellGpus, spellNumber, spellShare } from "../../format/numbers.ts";
import { inZone } from "../../format/times.ts";
import { nodeAddress, useAddress } from "../../frame/address.ts";
import { useCarried } from "../../frame/carried.ts";
import type { Column } from "../../table/column.ts";
import { Table } from "../../table/table.tsx";
import { ModeChip } from "../nodes/mode-chip.tsx";
import { LookElsewhere, TimeBar } from "../past/time-bar.tsx";
import { useMoment } from "../past/use-moment.ts";
import { colourings, coloursOf, legendOf, wordsBy } from "./colours.ts";
import { FindField } from "./find-field.tsx";
import { FleetMap } from "./fleet-map.tsx";
import { FleetTabs } from "./fleet-tabs.tsx";
import { type LargestGang, largestGangs, shapes } from "./gangs.ts";
import { isMeasure, notMeasured } from "./heat.ts";
import { summarise } from "./summary.ts";

const FleetHistory = onDemand(() => import("./fleet-history.tsx"));

/** While accounts load, all tenants have a neutral colour: another one would change. */
const noPlaces: Places = new Map();

/** The fleet as a map; colouring, filter and the selected node are in the address. */
export default function FleetPage() {
  const may = useMay();
  const then = useMoment();
  const { isThen, isPlanned, asked, moment, error } = then;
  const live = useLive("readFleet", {}, !isThen);
  const nodes = isThen ? moment?.nodes : live;
  const [params, set] = useAddress();
  const [, go] = useLocation();
  const carry = useCarried();
  // What was measured then is on the pages of jobs and nodes.
  const offered = isThen ? colourings.filter((each) => !isMeasure(each)) : colourings;
  const by = offered.find((each) => each === params.get("colour")) ?? "class";
  const onlyText = params.get("only") ?? "";
  const only = useMemo(() => new Set(onlyText === "" ? [] : onlyText.split("~")), [onlyText]);
  const selected = params.get("node") ?? undefined;
  const measure = isMeasure(by) ? by : undefined;
  const measured = useCall(
    "readFleetActivity",
    { query: { metric: measure ?? "activity" } },
    { on: measure !== undefined, everyMs: measureEveryMs },
  );
  const shownMeasure = measure === undefined ? undefined : measured.data;
  const words = useMemo(() => wordsBy(by, measured.data), [by, measured.data]);
  const gangs = useMemo(() => largestGangs(nodes ?? []), [nodes]);
  const legend = useMemo(() => legendOf(nodes ?? [], by, words), [nodes, by, words]);
  const known = usePlaces(by === "tenant");
  const places = by !== "tenant" ? undefined : known === "loading" ? noPlaces : known;
  const fleet = useMemo(() => summarise(nodes ?? []), [nodes]);
  if (nodes === undefined) {
    return (
      <div className="page">
        <h1>Fleet</h1>
        {asked !== undefined && <TimeBar then={then} />}
        {error === null && <Skeleton lines={10} />}
      </div>
    );
  }
  if (nodes.length === 0 && !isThen) {
    return (
      <div className="page">
        <h1>Fleet</h1>
        <FleetTabs here="Map" />
        <Empty title="There are no nodes yet" command="npm start -- --virtual 4x8:H100" />
      </div>
    );
  }
  const node = nodes.find(({ name }) => name === selected);
  return (
    <div className="page fleet-page">
      <div className="head">
        <div>
          <h1>Fleet</h1>
          <p className="quiet small">
            {spellGpus(fleet.gpus)} on {count(fleet.nodes, "node")};{" "}
            {spellShare(fleet.gpus - fleet.idle - fleet.reserved - fleet.unusable, fleet.gpus)} held,{" "}
            {spellGpus(fleet.idle)} idle
          </p>
        </div>
        <div className="row wrap">
          <Choice
            of={offered}
            chosen={by}
            word={(each) => `by ${each}`}
            onChoose={(each) => set({ colour: each === "class" ? "" : each, only: "" })}
          />
          <FindField nodes={nodes} onFind={(name) => set({ node: name })} />
          {!isThen && <LookElsewhere />}
        </div>
      </div>
      <FleetTabs here="Map" />
      {asked !== undefined && <TimeBar then={then} />}
      <div className="fleet-grid">
        {measure !== undefined && (
          <p className="quiet small map-note">
            {measured.isError ? `Not available: ${measured.error.message}` : measureNotes[measure]}
            {measured.data?.simulated === true && " There is no hardware behind these figures: they are simulated."}
          </p>
        )}
        <Legend legend={legend} places={places} only={only} onPick={(word) => set({ only: toggled(only, word) })} />
        <FleetMap
          nodes={nodes}
          words={words}
          legend={legend}
          places={places}
          only={only}
          selected={selected}
          isThen={isThen}
          measured={shownMeasure && ((name, gpu) => spellValue(shownMeasure, name, gpu))}
          onSelect={(name) => set({ node: name })}
          onOpen={(name) => go(carry(nodeAddress(name)))}
        />
        {node !== undefined && (
          <Selected node={node} isThen={isThen} measured={shownMeasure} onClose={() => set({ node: undefined })} />
        )}
      </div>
      <Card
        title={
          isPlanned ? "Largest gang that will fit" : isThen ? "Largest gang that fitted" : "Largest gang that fits now"
        }
        beside={<span className="quiet small">whole free GPUs inside one place of each level</span>}
      >
        <Gangs gangs={gangs} />
      </Card>
      <OrElse instead={null}>
        {may("usage.read") && (
          <Marked value={moment && Date.parse(moment.at)}>
            <FleetHistory nodes={nodes} when={isPlanned ? "planned" : isThen ? "then" : "now"} />
          </Marked>
        )}
      </OrElse>
    </div>
  );
}

/** Engines are asked every few seconds: more often would show nothing new. */
const measureEveryMs = 10_000;
const measureNotes = {
  activity: "Share of the compute units at work, in the last sample of each GPU.",
  power: "Power in the last sample of each GPU.",
  temperature: "Temperature in the last sample of each GPU.",
} as const;

function spellValue({ nodes, unit }: FleetActivity, node: string, gpu: number): string {
  const value = nodes[node]?.[gpu];
  return value === undefined || value === null ? notMeasured : `${value} ${unit}`;
}

function toggled(only: ReadonlySet<string>, word: string): string {
  const next = new Set(only);
  if (!next.delete(word)) next.add(word);
  return [...next].join("~");
}

const legendShown = 14;

function Legend(props: {
  legend: readonly { word: string; gpus: number }[];
  places: Places | undefined;
  only: ReadonlySet<string>;
  onPick: (word: string) => void;
}) {
  const { legend, places, only, onPick } = props;
  const words = legend.map(({ word }) => word);
  const colours = coloursOf(words, places);
  const shown = legend.filter(({ word }, place) => place < legendShown || only.has(word));
  return (
    <ul className="legend" aria-label="Legend; choose which GPUs to show">
      {shown.map(({ word, gpus }) => (
        <li key={word}>
          <button type="button" className="chip" aria-pressed={only.has(word)} onClick={() => onPick(word)}>
            <i className="mark square" style={{ background: colours.get(word) }} />
            {word}
            <span className="quiet">{spellNumber(gpus)}</span>
          </button>
        </li>
      ))}
      {shown.length < legend.length && (
        <li className="quiet small">and {spellNumber(legend.length - shown.length)} with fewer GPUs</li>
      )}
    </ul>
  );
}

function Selected(props: {
  node: FleetNodeShape;
  /** Then the map alone says what its GPUs did. */
  isThen: boolean;
  measured: FleetActivity | undefined;
  onClose: () => void;
}) {
  const { node, isThen, measured, onClose } = props;
  const carry = useCarried();
  const gpus = useCall("listGpus", { query: { node: node.name, limit: 64 } }, { on: !isThen, everyMs: 5_000 });
  return (
    <aside className="card selected" aria-label={`Node ${node.name}`}>
      <header>
        <h2>{node.name}</h2>
        <button type="button" className="button plain small" onClick={onClose}>
          Close
        </button>
      </header>
      <div className="body stack tight">
        <div className="row wrap">
          <ModeChip mode={node.mode} />
          <span className="quiet small">
            {node.cells.length} × {node.model}
          </span>
        </div>
        <p className="quiet small">
          {[node.region ?? "", node.zone, node.block, node.rack].filter((part) => part !== "").join(" / ")}
        </p>
        {node.reason !== undefined && <Notice kind="warn">{inZone(node.reason)}</Notice>}
        <ul className="list">
          {(gpus.data?.items ?? []).map(({ uuid, index, free, jobs, names }) => (
            <li key={uuid}>
              <span className="quiet small">GPU {index}</span>
              <span className="cut" style={{ flex: 1 }}>
                {jobs.length === 0
                  ? free === 1
                    ? "idle"
                    : "held by other tenants"
                  : jobs.map((job, no) => (
                      <Link key={job} href={`/jobs/${job}`} title={job}>
                        {names[no]}{" "}
                      </Link>
                    ))}
              </span>
              {free > 0 && free < 1 && <span className="quiet small">{spellShare(free, 1)} free</span>}
              {measured !== undefined && <span className="small">{spellValue(measured, node.name, index)}</span>}
            </li>
          ))}
        </ul>
        <ButtonLink href={carry(nodeAddress(node.name))}>Open the node</ButtonLink>
      </div>
    </aside>
  );
}

const gangColumns: readonly Column<LargestGang>[] = [
  { label: "Model", show: ({ model }) => model },
  ...shapes.map(
    (shape): Column<LargestGang> => ({
      label: shape === "fleet" ? "anywhere" : `one ${shape}`,
      show: ({ sizes }) => (
        <div className="gang" title={sizes[shape].at}>
          <span>{spellNumber(sizes[shape].gpus)}</span>
          <div className="bar">
            <div
              className="part used"
              style={{
                left: 0,
                width: `${(100 * Math.log2(1 + sizes[shape].gpus)) / Math.log2(2 + sizes.fleet.gpus)}%`,
              }}
            />
          </div>
        </div>
      ),
    }),
  ),
];

function Gangs({ gangs }: { gangs: readonly LargestGang[] }) {
  return <Table label="Largest gang that fits now" items={gangs} columns={gangColumns} keyOf={({ model }) => model} />;
}
