import type { EngineShape } from "@tessera/wire";
import { abilitiesOf } from "@tessera/wire/engine-state";
import { useState } from "react";
import { Link } from "wouter";
import { useLive } from "../../api/live.ts";
import { useMay } from "../../api/me.tsx";
import { useAct } from "../../api/use-call.ts";
import { Dialog } from "../../design/dialog.tsx";
import { Button, Card, Empty, Field, Notice, Skeleton, Time } from "../../design/parts.tsx";
import { count, spellNumber } from "../../format/numbers.ts";
import { spellClock } from "../../format/times.ts";
import { EngineChip } from "./engine-chip.tsx";
import { FleetTabs } from "./fleet-tabs.tsx";

/** What runs jobs: whether it can be reached, what it has, and what keeps work away from it. */
export default function EnginesPage() {
  const engines = useLive("listEngines");
  return (
    <div className="page">
      <div className="head">
        <h1>Fleet</h1>
      </div>
      <FleetTabs here="Engines" />
      {engines === undefined ? (
        <Skeleton lines={6} />
      ) : engines.length === 0 ? (
        <Empty title="No engine runs jobs yet" command="npx tess engine create NAME --kubeconfig FILE" />
      ) : (
        <div className="grid">
          {engines.map((engine) => (
            <EngineCard key={engine.name} engine={engine} />
          ))}
        </div>
      )}
    </div>
  );
}

function EngineCard({ engine }: { engine: EngineShape }) {
  const held = engine.gpusHeld;
  return (
    <Card className="span-6" title={engine.name} beside={<EngineChip engine={engine} />}>
      <div className="stack tight">
        {engine.error !== undefined && (
          <Notice kind={engine.reach === "reachable" ? "plain" : "bad"}>
            {engine.reach === "reachable" ? `Last error: ${engine.error}` : engine.error}
            {engine.lostAt !== undefined && (
              <div>
                Its jobs count as lost <Time at={engine.lostAt} /> unless it is back.
              </div>
            )}
          </Notice>
        )}
        {engine.cordoned !== undefined && (
          <Notice kind="warn">Takes nothing new{engine.cordoned === "" ? "." : `: ${engine.cordoned}`}</Notice>
        )}
        {engine.leaving && <Notice kind="warn">It is being emptied, and is deleted when it is empty.</Notice>}
        <div className="row">
          <div className="bar" style={{ flex: 1 }} role="img" aria-label={`${held} of ${engine.gpus} GPUs held`}>
            <div className="part used" style={{ left: 0, width: `${(100 * held) / Math.max(1, engine.gpus)}%` }} />
          </div>
          <span className="small nowrap">
            {spellNumber(held)} of {count(engine.gpus, "GPU")} held
          </span>
        </div>
        <Facts engine={engine} />
        <Actions engine={engine} />
      </div>
    </Card>
  );
}

function Facts({ engine }: { engine: EngineShape }) {
  const can = engine.capabilities === undefined ? undefined : abilitiesOf(engine.capabilities);
  const settings = Object.entries(engine.settings ?? {});
  return (
    <dl className="facts">
      <dt>Kind</dt>
      <dd>{engine.kind}</dd>
      {engine.version !== undefined && (
        <>
          <dt>Version</dt>
          <dd>{engine.version}</dd>
        </>
      )}
      {engine.since !== undefined && (
        <>
          <dt>{engine.reach === "reachable" ? "Reachable" : "Out of reach"}</dt>
          <dd>
            since {spellClock(engine.since)} (<Time at={engine.since} />)
          </dd>
        </>
      )}
      <dt>Nodes</dt>
      <dd>
        <Link href={`/nodes?engine=${engine.name}`}>{count(engine.nodes, "node")}</Link>
      </dd>
      <dt>Lost after</dt>
      <dd>{engine.lostAfter ?? "never: its jobs are waited for"}</dd>
      {can !== undefined && (
        <>
          <dt>Runs</dt>
          <dd>{can.runs}</dd>
          {can.lacks !== "" && (
            <>
              <dt>Lacks</dt>
              <dd>{can.lacks}</dd>
            </>
          )}
        </>
      )}
      {settings.length > 0 && (
        <>
          <dt>Settings</dt>
          <dd>{settings.map(([name, value]) => `${name}=${value}`).join(", ")}</dd>
        </>
      )}
      {engine.credentials === "missing" && (
        <>
          <dt>Credentials</dt>
          <dd>
            missing; give them again: <code>npx tess engine edit {engine.name} --kubeconfig FILE</code>
          </dd>
        </>
      )}
    </dl>
  );
}

function Actions({ engine }: { engine: EngineShape }) {
  const may = useMay();
  const [asking, setAsking] = useState(false);
  const up = useAct("upEngine", () => `${engine.name} takes work again.`);
  if (!may("engine.write") || engine.leaving) return null;
  return (
    <div className="row wrap">
      {engine.cordoned === undefined ? (
        <Button onClick={() => setAsking(true)}>Cordon</Button>
      ) : (
        <Button onClick={() => up.mutate({ at: { engine: engine.name }, body: {} })}>Take work again</Button>
      )}
      {asking && <AskCordon name={engine.name} onClose={() => setAsking(false)} />}
    </div>
  );
}

function AskCordon({ name, onClose }: { name: string; onClose: () => void }) {
  const [reason, setReason] = useState("");
  const cordon = useAct("cordonEngine", () => `${name} is cordoned.`);
  const act = () => {
    cordon.mutate({ at: { engine: name }, body: reason === "" ? {} : { reason } }, { onSuccess: onClose });
  };
  return (
    <Dialog
      title={`Cordon ${name}`}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" onClick={act}>
            Cordon it
          </Button>
        </>
      }
    >
      <div className="stack tight">
        <p>Nothing new starts there. Running jobs continue.</p>
        <Field label="Reason">
          {(props) => (
            <input {...props} className="input" value={reason} onChange={(event) => setReason(event.target.value)} />
          )}
        </Field>
      </div>
    </Dialog>
  );
}
