import type { NodeShape } from "@tessera/wire";
import { Link, useParams } from "wouter";
import { isMissing } from "../../api/call.ts";
import { useMay } from "../../api/me.tsx";
import { useCall } from "../../api/use-call.ts";
import { RangeChart } from "../../chart/chart.tsx";
import { RangeBar } from "../../chart/range-bar.tsx";
import { Act } from "../../design/act.tsx";
import { EventList } from "../../design/event-list.tsx";
import { Missing } from "../../design/missing.tsx";
import { Card, Figure, Notice, Skeleton, Time } from "../../design/parts.tsx";
import { count, spellMiB, spellNumber, spellShare } from "../../format/numbers.ts";
import { spellSharing } from "../../format/sharing.ts";
import { inZone } from "../../format/times.ts";
import { useOpen } from "../../frame/open.ts";
import { ThisIsNow } from "../past/this-is-now.tsx";
import { AskNode } from "./ask-node.tsx";
import { ModeChip } from "./mode-chip.tsx";
import { nodeActs } from "./node-acts.ts";
import { NodeHealth } from "./node-health.tsx";
import { NodeMaintenance } from "./node-maintenance.tsx";
import { useUpNode } from "./use-node-acts.ts";

/** One node: its GPUs, the jobs that keep it from being empty, and its events. */
export default function NodePage() {
  const name = useParams<{ "*": string }>()["*"] ?? "";
  const { data: node, error } = useCall("getNode", { at: { node: name } }, { everyMs: 3_000 });
  if (node === undefined) {
    return isMissing(error) ? (
      <Missing title={`There is no node ${name}`} href="/nodes" go="All nodes" />
    ) : (
      <div className="page">
        <Skeleton lines={6} />
      </div>
    );
  }
  return (
    <div className="page">
      <ThisIsNow what="node" back={`/fleet?node=${encodeURIComponent(name)}`} />
      <Head node={node} />
      {node.reason !== "" && <Notice kind="warn">{inZone(node.reason)}</Notice>}
      <Blockers node={node} />
      <div className="grid">
        <div className="span-4">
          <Figure
            label={node.model}
            value={`${spellNumber(node.gpus - node.gpusFree)} of ${node.gpus}`}
            unit="GPUs held"
            beside={
              node.virtual ? "virtual: nothing stands behind them" : spellShare(node.gpus - node.gpusFree, node.gpus)
            }
          />
        </div>
        <div className="span-4">
          <Figure
            label="CPUs"
            value={spellNumber(node.cpus - node.cpusFree)}
            unit={`of ${spellNumber(node.cpus)} held`}
            beside={spellShare(node.cpus - node.cpusFree, node.cpus)}
          />
        </div>
        <div className="span-4">
          <Figure
            label="Memory"
            value={spellMiB(node.memoryMiB - node.memoryFreeMiB)}
            unit={`of ${spellMiB(node.memoryMiB)} held`}
            beside={spellShare(node.memoryMiB - node.memoryFreeMiB, node.memoryMiB)}
          />
        </div>
      </div>
      {node.labels !== undefined && <Labels labels={node.labels} />}
      <Telemetry name={name} />
      <NodeHealth node={node} />
      <NodeMaintenance node={node} />
      <div className="grid">
        <Gpus name={name} />
        <History name={name} />
      </div>
    </div>
  );
}

function placeOf({ region, zone, block, rack }: NodeShape): string {
  return [region ?? "", zone, block, rack].filter((part) => part !== "").join(" / ");
}

function Labels({ labels }: { labels: Readonly<Record<string, string>> }) {
  return (
    <Card title="Labels" beside={<span className="quiet small">jobs choose nodes by them: where</span>}>
      <div className="row wrap">
        {Object.entries(labels).map(([key, value]) => (
          <code key={key} className="pair">
            {key}={value}
          </code>
        ))}
      </div>
    </Card>
  );
}

/** What its GPUs did, usually in the last hour. */
function Telemetry({ name }: { name: string }) {
  const may = useMay();
  if (!may("usage.read")) return null;
  return (
    <>
      <RangeBar usual={telemetryRange} />
      <div className="grid">
        {telemetry.map(([metric, title]) => (
          <RangeChart key={metric} title={title} usual={telemetryRange} asks={[{ metric, node: name, by: "gpu" }]} />
        ))}
      </div>
    </>
  );
}

const telemetryRange = "1h";
const telemetry = [
  ["activity", "GPU activity"],
  ["memory_used", "GPU memory"],
  ["power", "Power"],
  ["temperature", "Temperature"],
] as const;

function Head({ node }: { node: NodeShape }) {
  const [opened, open] = useOpen(`node ${node.name}`);
  const asking = nodeActs.find((act) => act === opened);
  const up = useUpNode(node);
  return (
    <div className="head">
      <div>
        <div className="row">
          <h1>{node.name}</h1>
          <ModeChip mode={node.mode} />
        </div>
        <p className="quiet small">
          {placeOf(node)} · engine <Link href="/fleet/engines">{node.engine}</Link>
          {node.pool !== undefined && (
            <>
              {" "}
              · pool <Link href="/fleet/pools">{node.pool}</Link>
            </>
          )}
          {node.sharing !== undefined && ` · ${spellSharing(node.sharing)}`} ·{" "}
          <Link href={`/fleet?node=${encodeURIComponent(node.name)}`}>on the map</Link>
        </p>
      </div>
      <div className="row wrap">
        {node.mode !== "up" && node.mode !== "unknown" && (
          <Act act="upNode" of={node} at="" onClick={() => up.mutate({ at: { node: node.name }, body: {} })}>
            Take work again
          </Act>
        )}
        {node.mode === "up" && (
          <Act act="cordonNode" of={node} at="" onClick={() => open("cordon")}>
            Cordon
          </Act>
        )}
        {(node.mode === "up" || node.mode === "cordoned") && (
          <Act act="drainNode" of={node} at="" onClick={() => open("drain")}>
            Drain
          </Act>
        )}
        {node.mode !== "down" && (
          <Act act="downNode" of={node} at="" kind="danger" onClick={() => open("down")}>
            Declare lost
          </Act>
        )}
      </div>
      {asking !== undefined && <AskNode node={node} act={asking} onClose={() => open(undefined)} />}
    </div>
  );
}

function Blockers({ node }: { node: NodeShape }) {
  if (node.blockers === undefined) return null;
  const { jobs, names, hidden } = node.blockers;
  if (jobs.length + hidden === 0) return <Notice kind="good">The node is empty.</Notice>;
  return (
    <Card
      title={`${count(jobs.length + hidden, "job")} still running here`}
      beside={
        node.drainUntil && (
          <span className="quiet small">
            until <Time at={node.drainUntil} />
          </span>
        )
      }
    >
      <ul className="list">
        {jobs.map((job, no) => (
          <li key={job}>
            <Link href={`/jobs/${job}`}>{names[no]}</Link>
          </li>
        ))}
        {hidden > 0 && <li className="quiet">and {count(hidden, "job")} that you may not see</li>}
      </ul>
    </Card>
  );
}

function Gpus({ name }: { name: string }) {
  const { data } = useCall("listGpus", { query: { node: name, limit: 64 } }, { everyMs: 5_000 });
  return (
    <Card title="GPUs" className="span-6">
      <ul className="list">
        {(data?.items ?? []).map(({ uuid, index, model, memoryMiB, free, jobs, names }) => (
          <li key={uuid}>
            <span style={{ width: 60 }}>GPU {index}</span>
            <span className="quiet small">
              {model}, {spellMiB(memoryMiB)}
            </span>
            <span className="cut" style={{ flex: 1 }}>
              {jobs.map((job, no) => (
                <Link key={job} href={`/jobs/${job}`} title={job}>
                  {names[no]}{" "}
                </Link>
              ))}
              {jobs.length === 0 &&
                (free === 1 ? <span className="quiet">idle</span> : <span className="quiet">held by other jobs</span>)}
            </span>
            {free > 0 && free < 1 && <span className="quiet small">{spellShare(free, 1)} free</span>}
          </li>
        ))}
      </ul>
    </Card>
  );
}

const eventsShown = 20;

function History({ name }: { name: string }) {
  const may = useMay();
  const query = { subject: name, limit: eventsShown };
  const events = useCall("listEvents", { query }, { on: may("event.read"), everyMs: 5_000 }).data?.items;
  if (!may("event.read")) return null;
  return (
    <Card title="Events" className="span-6">
      {events === undefined ? (
        <Skeleton />
      ) : events.length === 0 ? (
        <p className="quiet">Nothing has happened to this node.</p>
      ) : (
        <EventList events={events} />
      )}
    </Card>
  );
}
