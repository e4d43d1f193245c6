import type { NodeShape } from "@tessera/wire";
import { useState } from "react";
import { Link, useParams } from "wouter";
import { isMissing, wordsOf } from "../../api/call.ts";
import { useMay } from "../../api/me.tsx";
import { useAct, useCall } from "../../api/use-call.ts";
import { Chart } from "../../chart/chart.tsx";
import { Dialog } from "../../design/dialog.tsx";
import { Missing } from "../../design/missing.tsx";
import { Button, Card, Field, Figure, Notice, Skeleton, Time } from "../../design/parts.tsx";
import { count, spellMiB, spellNumber, spellShare } from "../../format/numbers.ts";
import { spellSharing } from "../../format/sharing.ts";
import { ModeChip } from "./mode-chip.tsx";
import { NodeHealth } from "./node-health.tsx";

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
      <Head node={node} />
      {node.reason !== "" && <Notice kind="warn">{node.reason}</Notice>}
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
      <NodeHealth name={name} />
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

/** The last hour of its GPUs. */
function Telemetry({ name }: { name: string }) {
  const of = { node: name, by: "gpu" as const, from: "1h" };
  return (
    <div className="grid">
      <Chart title="GPU activity" metric="activity" of={of} />
      <Chart title="GPU memory" metric="memory_used" of={of} />
      <Chart title="Power" metric="power" of={of} />
      <Chart title="Temperature" metric="temperature" of={of} />
    </div>
  );
}

type Asking = "cordon" | "drain" | "down" | undefined;

function Head({ node }: { node: NodeShape }) {
  const may = useMay();
  const [asking, setAsking] = useState<Asking>();
  const up = useAct("upNode", () => `${node.name} takes work again.`);
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
      {may("node.write") && (
        <div className="row wrap">
          {node.mode !== "up" && node.mode !== "unknown" && (
            <Button onClick={() => up.mutate({ at: { node: node.name }, body: {} })}>Take work again</Button>
          )}
          {node.mode === "up" && <Button onClick={() => setAsking("cordon")}>Cordon</Button>}
          {(node.mode === "up" || node.mode === "cordoned") && (
            <Button onClick={() => setAsking("drain")}>Drain</Button>
          )}
          {node.mode !== "down" && (
            <Button kind="danger" onClick={() => setAsking("down")}>
              Declare lost
            </Button>
          )}
        </div>
      )}
      {asking !== undefined && <Ask node={node} asking={asking} onClose={() => setAsking(undefined)} />}
    </div>
  );
}

const effects = {
  cordon: "The node takes no new work. Running jobs continue.",
  drain: "The node takes no new work. Jobs that still run at the deadline are stopped and put back into the queue.",
  down: "Only when the machine is really gone: its leases count as ended, and its jobs wait again.",
} as const;
const titles = { cordon: "Cordon", drain: "Drain", down: "Declare lost:" } as const;

function Ask({ node, asking, onClose }: { node: NodeShape; asking: NonNullable<Asking>; onClose: () => void }) {
  const [reason, setReason] = useState("");
  const [within, setWithin] = useState("1h");
  const cordon = useAct("cordonNode", () => `${node.name} is cordoned.`);
  const drain = useAct("drainNode", () => `${node.name} is draining.`);
  const down = useAct("downNode", () => `${node.name} is declared lost.`);
  const act = () => {
    const at = { node: node.name };
    const body = reason === "" ? {} : { reason };
    const done = { onSuccess: onClose };
    if (asking === "cordon") cordon.mutate({ at, body }, done);
    else if (asking === "down") down.mutate({ at, body }, done);
    else drain.mutate({ at, body: { ...body, ...(within !== "" && { within }) } }, done);
  };
  const busy = cordon.isPending || drain.isPending || down.isPending;
  const holds = node.gpus - node.gpusFree;
  return (
    <Dialog
      title={`${titles[asking]} ${node.name}`}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind={asking === "down" ? "danger" : "primary"} disabled={busy} onClick={act}>
            {asking === "cordon" ? "Cordon it" : asking === "drain" ? "Drain it" : "Declare lost"}
          </Button>
        </>
      }
    >
      <div className="stack tight">
        <p>{effects[asking]}</p>
        <p className="quiet">It holds {spellNumber(holds)} GPUs of jobs now.</p>
        <Field label="Reason">
          {(props) => (
            <input {...props} className="input" value={reason} onChange={(event) => setReason(event.target.value)} />
          )}
        </Field>
        {asking === "drain" && (
          <Field
            label="Deadline"
            wrong={drain.error === null ? undefined : wordsOf(drain.error)}
            hint="such as 30m or 2h; empty: wait until the jobs end"
          >
            {(props) => (
              <input {...props} className="input" value={within} onChange={(event) => setWithin(event.target.value)} />
            )}
          </Field>
        )}
      </div>
    </Dialog>
  );
}

function Blockers({ node }: { node: NodeShape }) {
  if (node.blockers === undefined) return null;
  const { jobs, hidden } = node.blockers;
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
        {jobs.map((job) => (
          <li key={job}>
            <Link href={`/jobs/${job}`}>{job}</Link>
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
        {(data?.items ?? []).map(({ uuid, index, model, memoryMiB, free, jobs }) => (
          <li key={uuid}>
            <span style={{ width: 60 }}>GPU {index}</span>
            <span className="quiet small">
              {model}, {spellMiB(memoryMiB)}
            </span>
            <span className="cut" style={{ flex: 1 }}>
              {jobs.map((job) => (
                <Link key={job} href={`/jobs/${job}`}>
                  {job}{" "}
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
  return (
    <Card title="Events" className="span-6">
      {events === undefined ? (
        <Skeleton />
      ) : events.length === 0 ? (
        <p className="quiet">Nothing has happened to this node.</p>
      ) : (
        <ul className="list">
          {events.map(({ at, text }) => (
            <li key={`${at} ${text}`}>
              <span className="quiet small" style={{ width: 90 }}>
                <Time at={at} />
              </span>
              {text}
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}
