import type { EngineShape } from "@tessera/wire";
import { abilitiesOf } from "@tessera/wire/engine-state";
import { Link } from "wouter";
import { useDraft } from "../../api/draft.ts";
import { useLive } from "../../api/live.ts";
import { useMay } from "../../api/me.tsx";
import { useAct } from "../../api/use-call.ts";
import { Act } from "../../design/act.tsx";
import { Confirm } from "../../design/confirm.tsx";
import { Dialog } from "../../design/dialog.tsx";
import { CommandLine } from "../../design/inputs.tsx";
import { Button, Card, Empty, Field, Notice, Skeleton, Time } from "../../design/parts.tsx";
import { count, spellNumber } from "../../format/numbers.ts";
import { spellClock } from "../../format/times.ts";
import { useOpen } from "../../frame/open.ts";
import { EngineChip } from "./engine-chip.tsx";
import { EngineDialog } from "./engine-dialog.tsx";
import { FleetTabs } from "./fleet-tabs.tsx";

/** What runs jobs: whether it can be reached, what it has, and what keeps work away from it. */
export default function EnginesPage() {
  const may = useMay();
  const engines = useLive("listEngines");
  const [adding, open] = useOpen("new engine");
  return (
    <div className="page">
      <div className="head">
        <h1>Fleet</h1>
        {may("engine.write") && (
          <Button kind="primary" onClick={() => open("")}>
            Add an engine
          </Button>
        )}
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
      {adding !== undefined && may("engine.write") && <EngineDialog onClose={() => open(undefined)} />}
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
  const [asking, setAsking] = useOpen(`engine ${engine.name}`);
  const up = useAct("upEngine", () => `${engine.name} takes work again.`);
  const close = () => setAsking(undefined);
  return (
    <div className="row wrap">
      {engine.cordoned === undefined && !engine.leaving ? (
        <Act act="cordonEngine" of={engine} at="" onClick={() => setAsking("cordon")}>
          Cordon
        </Act>
      ) : (
        <Act act="upEngine" of={engine} at="" onClick={() => up.mutate({ at: { engine: engine.name }, body: {} })}>
          Take work again
        </Act>
      )}
      {engine.fromStart ? (
        <span className="quiet small">Given when the server was started: it is changed and removed there.</span>
      ) : (
        !engine.leaving && (
          <>
            <Act act="editEngine" of={engine} at="" onClick={() => setAsking("edit")}>
              Change
            </Act>
            <Act act="deleteEngine" of={engine} at="" onClick={() => setAsking("delete")}>
              Remove
            </Act>
          </>
        )
      )}
      {asking === "cordon" && <AskCordon name={engine.name} onClose={close} />}
      {asking === "edit" && <EngineDialog engine={engine} onClose={close} />}
      {asking === "delete" && <AskDelete engine={engine} onClose={close} />}
    </div>
  );
}

function AskDelete({ engine: { name, nodes, gpusHeld }, onClose }: { engine: EngineShape; onClose: () => void }) {
  const remove = useAct("deleteEngine", () => `${name} is being emptied.`);
  return (
    <Confirm
      title={`Remove ${name}?`}
      act="Empty and remove it"
      busy={remove.isPending}
      onAct={() => remove.mutate({ at: { engine: name } }, { onSuccess: onClose })}
      onClose={onClose}
    >
      <p>
        Nothing new starts on its {count(nodes, "node")}.{" "}
        {gpusHeld > 0
          ? `Jobs hold ${count(gpusHeld, "GPU")} there: they run to their end, and then the engine is deleted. To end that sooner, drain its nodes.`
          : "Nothing runs there: it is deleted at once, with its credentials."}
      </p>
      <p>Until it is deleted, Take work again takes the removal back.</p>
      <CommandLine>{`tess engine delete ${name}`}</CommandLine>
    </Confirm>
  );
}

function AskCordon({ name, onClose }: { name: string; onClose: () => void }) {
  const [reason, setReason, drop] = useDraft(`cordon engine ${name}`, "");
  const cordon = useAct("cordonEngine", () => `${name} is cordoned.`);
  const act = () => {
    cordon.mutate({ at: { engine: name }, body: reason === "" ? {} : { reason } }, { onSuccess: close });
  };
  const close = () => {
    drop();
    onClose();
  };
  return (
    <Dialog
      title={`Cordon ${name}`}
      onClose={close}
      footer={
        <>
          <Button onClick={close}>Cancel</Button>
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
