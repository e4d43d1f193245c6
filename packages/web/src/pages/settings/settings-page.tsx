import type { PolicyPut, PolicyShape } from "@tessera/wire";
import { type FormEvent, useState } from "react";
import { useMay } from "../../api/me.tsx";
import { useAct, useCall } from "../../api/use-call.ts";
import { Button, Card, Field, Skeleton } from "../../design/parts.tsx";
import { Anchors } from "./anchors.tsx";
import { PriceBook } from "./price-book.tsx";
import { Providers } from "./providers.tsx";

/** The owner's policy for the whole fleet; every user may read it. */
export default function SettingsPage() {
  const { data } = useCall("getPolicy");
  return (
    <div className="page">
      <div className="head">
        <h1>Settings</h1>
      </div>
      <div className="grid">
        <Card title="Eviction and planning" className="span-7">
          {data === undefined ? <Skeleton /> : <PolicyForm key={data.revision} policy={data} />}
        </Card>
        <div className="span-5 stack">
          <PriceBook />
          <Providers />
          <Anchors />
          <Card title="API">
            <ul className="list">
              <li>
                <a href="/openapi.json">OpenAPI document</a>
              </li>
              <li>
                <a href="/v1/schemas/job.json">Schema of the job file</a>
              </li>
              <li>
                <a href="/metrics">Metrics</a>
              </li>
            </ul>
          </Card>
        </div>
      </div>
    </div>
  );
}

const rebalanceWords = {
  on: "any borrowed job",
  checkpointed: "only jobs with a checkpoint",
  off: "no job",
} as const;

function PolicyForm({ policy }: { policy: PolicyShape }) {
  const may = useMay();
  const [draft, setDraft] = useState(policy);
  const save = useAct("setPolicy", () => "The policy was changed.");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const { revision, ...body } = draft;
    save.mutate({ body: body as PolicyPut, ifMatch: revision });
  };
  const locked = { disabled: !may("policy.write") };
  return (
    <form className="stack tight" onSubmit={submit}>
      <Field label="Evict for a fair share of the surplus">
        {(props) => (
          <select
            {...props}
            {...locked}
            className="input"
            value={draft.rebalance}
            onChange={(event) => setDraft({ ...draft, rebalance: event.target.value as PolicyShape["rebalance"] })}
          >
            {Object.entries(rebalanceWords).map(([value, words]) => (
              <option key={value} value={value}>
                {words}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field label="Do not evict a job that started less than this ago" hint="the owner of borrowed GPUs still may">
        {(props) => (
          <input
            {...props}
            {...locked}
            className="input"
            value={draft.minRuntime}
            onChange={(event) => setDraft({ ...draft, minRuntime: event.target.value })}
          />
        )}
      </Field>
      <Field label="Grace period of jobs without a checkpoint">
        {(props) => (
          <input
            {...props}
            {...locked}
            className="input"
            value={draft.grace}
            onChange={(event) => setDraft({ ...draft, grace: event.target.value })}
          />
        )}
      </Field>
      <Field label="Moves per hour, at most" hint="Jobs that may be moved to make room for another on one node">
        {(props) => (
          <input
            {...props}
            {...locked}
            className="input"
            inputMode="numeric"
            value={draft.movesPerHourMax ?? ""}
            placeholder="60"
            onChange={(event) => setDraft(withMoves(draft, event.target.value))}
          />
        )}
      </Field>
      <label className="row">
        <input
          type="checkbox"
          {...locked}
          checked={draft.backfill}
          onChange={(event) => setDraft({ ...draft, backfill: event.target.checked })}
        />
        Plan jobs that cannot start yet, and start others only where that delays no planned job
      </label>
      <label className="row">
        <input
          type="checkbox"
          {...locked}
          checked={draft.passwords === "off"}
          onChange={(event) => setDraft({ ...draft, passwords: event.target.checked ? "off" : "on" })}
        />
        Passwords are off: once there is a provider, people sign in with it
      </label>
      <Field label="Longest life of new tokens" hint="Such as 90d; off: no limit">
        {(props) => (
          <input
            {...props}
            {...locked}
            className="input"
            value={draft.tokenLife ?? "off"}
            onChange={(event) => setDraft({ ...draft, tokenLife: event.target.value })}
          />
        )}
      </Field>
      {may("policy.write") && (
        <div className="row">
          <Button kind="primary" type="submit" disabled={save.isPending}>
            Save
          </Button>
        </div>
      )}
    </form>
  );
}

function withMoves({ movesPerHourMax: _, ...rest }: PolicyShape, text: string): PolicyShape {
  return text === "" ? rest : { ...rest, movesPerHourMax: Number(text) };
}
