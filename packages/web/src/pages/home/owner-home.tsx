import type { SummaryShape } from "@tessera/wire";
import { engineState } from "@tessera/wire/engine-state";
import { Link } from "wouter";
import { useCall } from "../../api/use-call.ts";
import { OrElse } from "../../chart/fallback.tsx";
import { Sparkline } from "../../chart/sparkline.tsx";
import { useSeriesOf } from "../../chart/use-series.ts";
import { Chip } from "../../design/chip.tsx";
import { onDemand } from "../../design/on-demand.tsx";
import { Card, Empty, Figure, Skeleton } from "../../design/parts.tsx";
import { count, spellGpus, spellNumber, spellShare, spellWaiting } from "../../format/numbers.ts";
import { nodeAddress } from "../../frame/address.ts";
import { stateColours } from "../fleet/colours.ts";
import { EngineChip } from "../fleet/engine-chip.tsx";
import { ModeChip } from "../nodes/mode-chip.tsx";
import { FleetStrip } from "./fleet-strip.tsx";
import { News } from "./news.tsx";
import { legendOf } from "./strip.ts";
import { Welcome } from "./welcome.tsx";

const FleetCharts = onDemand(() => import("./fleet-charts.tsx"));

const alarmsEveryMs = 30_000;
const countEveryMs = 3_000;
const troubleShown = 8;

/** The owner's home: the health of the fleet, the queue, and nodes that need attention; counted by the server. */
export function OwnerHome() {
  const summary = useCall("readSummary", {}, { everyMs: countEveryMs }).data;
  if (summary === undefined) {
    return (
      <div className="page">
        <h1>Home</h1>
        <Skeleton lines={8} />
      </div>
    );
  }
  return <Shown summary={summary} />;
}

const activity = [{ metric: "activity" }] as const;
const burstShare = [
  { metric: "burst", name: "burst" },
  { metric: "allocated", name: "held" },
] as const;

/** Activity of all measured GPUs in the newest sample, independent of the page's range. */
function Busy() {
  const { view } = useSeriesOf(activity, { name: "1h" });
  const newest = view?.lines[0]?.values.findLast((value) => value !== null);
  return (
    <Figure
      label="Busy"
      value={newest === undefined || newest === null ? "–" : `${Math.round(newest)} %`}
      beside={newest === undefined && view !== undefined ? "no GPU is measured" : "activity of all measured GPUs"}
      below={<Sparkline label="Activity" asks={activity} most={100} />}
    />
  );
}

function Shown({ summary: { fleet, waiting, running } }: { summary: SummaryShape }) {
  const held = fleet.guaranteed + fleet.burst + fleet.leaving + fleet.others;
  const nodesUp = fleet.byMode.up ?? 0;
  const lanes = waiting.byAccount;
  const alarms = useCall("listAlarms", {}, { everyMs: alarmsEveryMs }).data?.items ?? [];
  const engines = useCall("listEngines", {}, { everyMs: alarmsEveryMs }).data?.items ?? [];
  const away = engines.filter((engine) => engineState(engine) !== "reachable");
  const out = fleet.nodes - nodesUp;
  const columns = fleet.columns ?? [];
  const query = { mode: "out", limit: troubleShown };
  const trouble = useCall("listNodes", { query }, { on: out > 0, everyMs: alarmsEveryMs }).data?.items ?? [];
  return (
    <div className="page">
      <div className="head">
        <h1>Fleet</h1>
      </div>
      <Welcome jobs={waiting.jobs + running.jobs} />
      <div className="grid">
        <div className="span-3">
          <Figure
            label="Held by jobs"
            value={spellShare(held, fleet.gpus)}
            beside={`${spellNumber(held)} of ${spellGpus(fleet.gpus)}`}
            below={<Sparkline label="GPUs held" asks={[{ metric: "allocated" }]} most={fleet.gpus} />}
          />
        </div>
        <div className="span-3">
          <Busy />
        </div>
        <div className="span-3">
          <Figure
            label="Waiting for"
            value={spellNumber(waiting.gpus)}
            unit="GPUs"
            beside={`${spellWaiting(waiting)}; ${spellNumber(running.byState.running)} running`}
            below={<Sparkline label="GPUs waited for" asks={[{ metric: "waiting" }]} />}
          />
        </div>
        <div className="span-3">
          <Figure
            label="Burst share"
            value={spellShare(fleet.burst, held)}
            beside={`${spellGpus(fleet.burst)} can be taken back`}
            below={<Sparkline label="Burst share" asks={burstShare} most={100} />}
          />
        </div>
      </div>
      <OrElse instead={null}>
        <FleetCharts />
      </OrElse>
      <Card
        title={`${spellNumber(nodesUp)} of ${count(fleet.nodes, "node")} up`}
        beside={
          <span className="row wrap small">
            {legendOf(columns).map(({ word, gpus }) => (
              <Chip key={word} colour={stateColours[word]} shape="square">
                {word} <span className="quiet">{spellNumber(gpus)}</span>
              </Chip>
            ))}
            <Link href="/fleet">Fleet map</Link>
          </span>
        }
      >
        <FleetStrip columns={columns} />
      </Card>
      <div className="grid">
        <Card title="Needs attention" className="span-6">
          {out + alarms.length + away.length === 0 ? (
            <p className="quiet">Nothing. Every node is up.</p>
          ) : (
            <ul className="list">
              {alarms.map(({ kind, text }) => (
                <li key={kind}>
                  <Chip tone="down" shape="cross">
                    {kind}
                  </Chip>
                  <span className="small">{text}</span>
                </li>
              ))}
              {away.map((engine) => (
                <li key={engine.name}>
                  <Link href="/fleet/engines">{engine.name}</Link>
                  <span className="quiet small">engine of {count(engine.nodes, "node")}</span>
                  <EngineChip engine={engine} />
                </li>
              ))}
              {(out > 0 ? trouble : []).map(({ name, mode, rack }) => (
                <li key={name}>
                  <Link href={nodeAddress(name)}>{name}</Link>
                  <span className="quiet small">{rack}</span>
                  <ModeChip mode={mode} />
                </li>
              ))}
              {out > troubleShown && (
                <li>
                  <Link href="/nodes?mode=out">and {spellNumber(out - troubleShown)} more</Link>
                </li>
              )}
            </ul>
          )}
        </Card>
        <Card title="Accounts that wait for most GPUs" className="span-6" beside={<Link href="/queue">Queue</Link>}>
          {lanes.length === 0 ? (
            <Empty title="Nothing waits" />
          ) : (
            <ul className="list">
              {lanes.slice(0, 8).map((lane) => (
                <li key={lane.account}>
                  <Link href={`/quota/${lane.account}`}>{lane.account}</Link>
                  <div className="bar" style={{ flex: 1 }}>
                    <div
                      className="part used"
                      style={{ left: 0, width: `${(100 * lane.gpus) / Math.max(1, lanes[0]!.gpus)}%` }}
                    />
                  </div>
                  <span className="quiet small nowrap">
                    {spellGpus(lane.gpus)} in {spellWaiting(lane)}
                  </span>
                </li>
              ))}
            </ul>
          )}
        </Card>
      </div>
      <News />
    </div>
  );
}
