import type { WhatIfAsk, WhatIfShape } from "@tessera/wire";
import { type FormEvent, useState } from "react";
import { useLocation, useSearchParams } from "wouter";
import { isMissing, Refused, wordsOf } from "../../api/call.ts";
import { useMay } from "../../api/me.tsx";
import { useAct, useCall } from "../../api/use-call.ts";
import { CommandLine, TextField } from "../../design/inputs.tsx";
import { Missing } from "../../design/missing.tsx";
import { Button, Card, Notice, Skeleton } from "../../design/parts.tsx";
import { spellShare } from "../../format/numbers.ts";
import { FleetTabs } from "../fleet/fleet-tabs.tsx";
import { AddChange } from "./add-change.tsx";
import { askOf, type ChangeDraft, changesOf, commandOf, isSince, paramsOf } from "./question.ts";
import { Report } from "./report.tsx";

const lookEveryMs = 1_000;

/** What would have been under another quota, policy or fleet. The question and its run are in the address. */
export default function WhatIfPage() {
  const may = useMay();
  if (!may("policy.write"))
    return (
      <Missing title="Not for your role" why="It needs the role of the platform owner." href="/fleet" go="The fleet" />
    );
  return <Question />;
}

function Question() {
  const [params] = useSearchParams();
  const [, go] = useLocation();
  const ask = askOf(params);
  const run = params.get("run") ?? undefined;
  const start = useAct("startWhatIf");
  const to = (next: WhatIfAsk, of?: string) => go(`/fleet/what-if?${paramsOf(next, of)}`, { replace: true });
  const change = (next: WhatIfAsk) => {
    start.reset();
    to(next);
  };
  const changes = changesOf(ask);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    start.mutate({ body: ask }, { onSuccess: ({ id }) => to(ask, id) });
  };
  const running =
    start.error instanceof Refused && start.error.problem.field === "run"
      ? String(start.error.problem.value)
      : undefined;
  return (
    <div className="page">
      <div className="head">
        <h1>Fleet</h1>
      </div>
      <FleetTabs here="What if" />
      <Card title="What if it had been otherwise?">
        <form className="stack" onSubmit={submit}>
          <p>
            The recorded past is replayed twice beside the server: as it was, and with your changes. Nothing is changed
            here.
          </p>
          <TextField
            label="Since"
            hint="how long before now, such as 1d or 7d, or a day such as 2026-11-01"
            wrong={isSince(ask.from) ? undefined : `${ask.from || "It"} is neither a duration such as 7d nor a day.`}
            value={ask.from}
            onChange={(from) => change({ ...ask, from })}
          />
          <AddChange onAdd={(kind, text) => change(withChange(ask, kind, text))} />
          <label className="row">
            <input
              type="checkbox"
              checked={ask.hardQuotas ?? false}
              onChange={({ target: { checked } }) => {
                const { hardQuotas: _, ...rest } = ask;
                change(checked ? { ...rest, hardQuotas: true } : rest);
              }}
            />
            Hard quotas: each account only its own guarantee, nothing lent (what sharing saved)
          </label>
          <Changes ask={ask} onChange={change} />
          {start.error !== null && (
            <Notice
              kind="bad"
              action={running !== undefined && <Button onClick={() => to(ask, running)}>Show the one that runs</Button>}
            >
              {wordsOf(start.error)}
            </Notice>
          )}
          <div className="row wrap">
            <Button
              kind="primary"
              type="submit"
              disabled={changes.length === 0 || !isSince(ask.from) || start.isPending || start.isError}
            >
              Replay it
            </Button>
            <CommandLine>{commandOf(ask)}</CommandLine>
          </div>
        </form>
      </Card>
      {run !== undefined && <Run key={run} id={run} />}
    </div>
  );
}

function withChange(ask: WhatIfAsk, kind: ChangeDraft["kind"], text: string): WhatIfAsk {
  const list = { quota: "sets", policy: "policies", nodes: "nodes" } as const;
  return { ...ask, [list[kind]]: [...(ask[list[kind]] ?? []), text] };
}

function Changes({ ask, onChange }: { ask: WhatIfAsk; onChange: (ask: WhatIfAsk) => void }) {
  const lists = ["sets", "policies", "nodes"] as const;
  if (lists.every((name) => (ask[name] ?? []).length === 0)) return null;
  return (
    <ul className="list" aria-label="Changes">
      {lists.flatMap((name) =>
        (ask[name] ?? []).map((text, i) => (
          <li key={`${name} ${text}`} className="row apart">
            <code className="break">{name === "nodes" ? `nodes ${text}` : text}</code>
            <Button
              small
              kind="plain"
              aria-label={`Remove ${text}`}
              onClick={() => onChange({ ...ask, [name]: ask[name]!.filter((_, at) => at !== i) })}
            >
              Remove
            </Button>
          </li>
        )),
      )}
    </ul>
  );
}

/** A run until it has ended, then what came of it. */
function Run({ id }: { id: string }) {
  const [over, setOver] = useState(false);
  const { data, error } = useCall("getWhatIf", { at: { run: id } }, over ? {} : { everyMs: lookEveryMs });
  const cancel = useAct("cancelWhatIf", () => "The replay was ended.");
  if (data !== undefined && data.state !== "running" && !over) setOver(true);
  if (isMissing(error)) return <Notice>This replay is not kept any more. Replay it again.</Notice>;
  if (data === undefined) return <Skeleton lines={4} />;
  if (data.state === "running")
    return <Progress run={data} busy={cancel.isPending} onCancel={() => cancel.mutate({ at: { run: id } })} />;
  if (data.report !== undefined) return <Report report={data.report} />;
  return data.state === "cancelled" ? (
    <Notice>The replay was ended.</Notice>
  ) : (
    <Notice kind="bad">{data.failure ?? "The replay failed."}</Notice>
  );
}

function Progress({ run, busy, onCancel }: { run: WhatIfShape; busy: boolean; onCancel: () => void }) {
  const done = run.done ?? 0;
  return (
    <Card
      title="Replaying"
      beside={
        <Button disabled={busy} onClick={onCancel}>
          Cancel
        </Button>
      }
    >
      <div className="stack tight">
        <div
          className="bar"
          role="progressbar"
          aria-label="Replay"
          aria-valuenow={Math.round(100 * done)}
          aria-valuemin={0}
          aria-valuemax={100}
        >
          <div className="part used" style={{ left: 0, width: `${100 * done}%` }} />
        </div>
        <p className="quiet">
          {spellShare(done, 1)}: {run.step ?? "begins"}
        </p>
      </div>
    </Card>
  );
}
