import type { FleetNodeShape, Job } from "@tessera/wire";
import { engineState } from "@tessera/wire/engine-state";
import { lazy, Suspense, useMemo } from "react";
import { Link } from "wouter";
import { useLive } from "../../api/live.ts";
import { useCall } from "../../api/use-call.ts";
import { OrElse } from "../../chart/fallback.tsx";
import { Sparkline } from "../../chart/sparkline.tsx";
import { Chip } from "../../design/chip.tsx";
import { Card, Empty, Figure, Skeleton } from "../../design/parts.tsx";
import { count, spellGpus, spellNumber, spellShare } from "../../format/numbers.ts";
import { nodeAddress } from "../../frame/address.ts";
import { EngineChip } from "../fleet/engine-chip.tsx";
import { summarise } from "../fleet/summary.ts";
import { ModeChip } from "../nodes/mode-chip.tsx";
import { lanesOf } from "../queue/lanes.ts";
import { FleetStrip } from "./fleet-strip.tsx";
import { News } from "./news.tsx";
import { Welcome } from "./welcome.tsx";

const FleetCharts = lazy(() => import("./fleet-charts.tsx"));

const alarmsEveryMs = 30_000;

/** The owner's home: the health of the fleet, the queue, and nodes that need attention. */
export function OwnerHome() {
  const nodes = useLive("readFleet");
  const jobs = useLive("listJobs", { state: "live" });
  if (nodes === undefined || jobs === undefined) {
    return (
      <div className="page">
        <h1>Home</h1>
        <Skeleton lines={8} />
      </div>
    );
  }
  return <Shown nodes={nodes} jobs={jobs} />;
}

function Shown({ nodes, jobs }: { nodes: readonly FleetNodeShape[]; jobs: readonly Job[] }) {
  const fleet = useMemo(() => summarise(nodes), [nodes]);
  const lanes = useMemo(() => lanesOf(jobs), [jobs]);
  const held = fleet.guaranteed + fleet.burst + fleet.leaving + fleet.others;
  const waitingGpus = lanes.reduce((sum, lane) => sum + lane.gpus, 0);
  const running = jobs.filter(({ state }) => state === "running").length;
  const alarms = useCall("listAlarms", {}, { everyMs: alarmsEveryMs }).data?.items ?? [];
  const engines = useCall("listEngines", {}, { everyMs: alarmsEveryMs }).data?.items ?? [];
  const away = engines.filter((engine) => engineState(engine) !== "reachable");
  const trouble = nodes.filter(({ mode }) => mode !== "up");
  return (
    <div className="page">
      <div className="head">
        <h1>Fleet</h1>
      </div>
      <Welcome jobs={jobs.length} />
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
          <Figure
            label="Waiting for"
            value={spellNumber(waitingGpus)}
            unit="GPUs"
            beside={`${count(
              lanes.reduce((sum, { jobs: all }) => sum + all.length, 0),
              "job",
            )}; ${spellNumber(running)} running`}
            below={<Sparkline label="GPUs waited for" asks={[{ metric: "waiting" }]} />}
          />
        </div>
        <div className="span-3">
          <Figure
            label="Burst share"
            value={spellShare(fleet.burst, held)}
            beside={`${spellGpus(fleet.burst)} lent, can be taken back`}
            below={<Sparkline label="Burst GPUs" asks={[{ metric: "borrowed" }]} most={fleet.gpus} />}
          />
        </div>
        <div className="span-3">
          <Figure
            label="Nodes up"
            value={spellShare(fleet.nodesUp, fleet.nodes)}
            beside={`${spellNumber(fleet.nodesUp)} of ${count(fleet.nodes, "node")}`}
            below={<Sparkline label="GPUs down" asks={[{ metric: "down" }]} />}
          />
        </div>
      </div>
      <OrElse instead={null}>
        <Suspense fallback={<Skeleton lines={6} />}>
          <FleetCharts />
        </Suspense>
      </OrElse>
      <Card
        title="Every node"
        beside={
          <span className="row wrap small">
            <Chip tone="guaranteed">guaranteed</Chip>
            <Chip tone="burst" shape="square">
              burst
            </Chip>
            <Chip tone="idle" shape="ring">
              idle
            </Chip>
            <Link href="/fleet">Fleet map</Link>
          </span>
        }
      >
        <FleetStrip nodes={nodes} />
      </Card>
      <div className="grid">
        <Card title="Needs attention" className="span-6">
          {trouble.length + alarms.length + away.length === 0 ? (
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
              {trouble.slice(0, 8).map(({ name, mode, rack }) => (
                <li key={name}>
                  <Link href={nodeAddress(name)}>{name}</Link>
                  <span className="quiet small">{rack}</span>
                  <ModeChip mode={mode} />
                </li>
              ))}
              {trouble.length > 8 && (
                <li>
                  <Link href="/nodes?mode=out">and {spellNumber(trouble.length - 8)} more</Link>
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
                    <div className="part used" style={{ left: 0, width: `${(100 * lane.gpus) / lanes[0]!.gpus}%` }} />
                  </div>
                  <span className="quiet small nowrap">
                    {spellGpus(lane.gpus)} in {count(lane.jobs.length, "job")}
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
