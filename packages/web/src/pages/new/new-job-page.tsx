import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { DryRun, Estimate } from "@tessera/wire";
import { lazy, Suspense, useEffect, useMemo, useState } from "react";
import { useLocation, useSearchParams } from "wouter";
import { stringify } from "yaml";
import { call, isForbidden, isMissing, Refused, wordsOf } from "../../api/call.ts";
import { useDraft } from "../../api/draft.ts";
import { useMay, useMe } from "../../api/me.tsx";
import { useCall } from "../../api/use-call.ts";
import { Missing } from "../../design/missing.tsx";
import { Button, Card, Field, Notice, Skeleton } from "../../design/parts.tsx";
import { count } from "../../format/numbers.ts";
import { toast } from "../../frame/toasts.tsx";
import { DryRunResult } from "./dry-run-result.tsx";
import type { FieldHelp, Mark } from "./editor.tsx";
import { EngineField } from "./engine-field.tsx";
import { gpusOf, jobsIn, lineOf, partsOfGpus, readFile, withField } from "./job-file.ts";

const Editor = lazy(() => import("./editor.tsx"));

const typingMs = 350;

type Outcome = { readonly answer: DryRun; readonly estimate?: Estimate } | { readonly refused: Refused };

/** A job by form and as a file, side by side, with a dry run while it is being written. */
export default function NewJobPage() {
  const me = useMe();
  const [params] = useSearchParams();
  const from = params.get("from");
  const source = useCall("getJob", { at: { job: from ?? "" } }, { on: from !== null });
  const first = useMemo(() => {
    if (source.data !== undefined && from !== null)
      return stringify({ ...source.data.spec, project: source.data.project });
    const project = me.defaultProject === undefined ? "" : `project: ${me.defaultProject}\n`;
    return `name: my-job\n${project}gpus: 1\nrun: |\n  echo hello\n`;
  }, [source.data, from, me.defaultProject]);
  if (from !== null && source.data === undefined) {
    return isMissing(source.error) ? (
      <Missing title={`There is no job ${from} to start from`} why={wordsOf(source.error)} href="/new" go="New job" />
    ) : (
      <div className="page">
        <Skeleton lines={6} />
      </div>
    );
  }
  return <Writing key={from ?? ""} from={from ?? ""} first={first} />;
}

function Writing({ from, first }: { from: string; first: string }) {
  const [, go] = useLocation();
  const [text, setText, drop] = useDraft(`job ${from}`, first);
  const [busy, setBusy] = useState(false);
  const jobs = jobsIn(text);
  const outcome = useDryRun(jobs[0]!.text);
  const fields = useFields();
  const file = readFile(text);
  const mark = markOf(text, file.fault, outcome);
  const submit = async () => {
    setBusy(true);
    try {
      let last = "";
      for (const [at, job] of jobs.entries()) {
        const made = await call("submitJob", { yaml: job.text });
        toast("good", `${made.name} was submitted.`);
        last = made.id;
        // What was submitted is taken out of the text, so that nothing is submitted twice.
        setText(
          jobs
            .slice(at + 1)
            .map((each) => each.text)
            .join("---\n"),
        );
      }
      drop();
      go(jobs.length === 1 ? `/jobs/${last}` : "/jobs");
    } catch (error) {
      toast("bad", wordsOf(error));
      setBusy(false);
    }
  };
  const wrong = outcome !== undefined && "refused" in outcome ? outcome.refused.problem : undefined;
  return (
    <div className="page">
      <div className="head">
        <h1>New job</h1>
        <div className="row">
          {text !== first && (
            <Button
              kind="plain"
              onClick={() => {
                setText(first);
                drop();
              }}
            >
              Start over
            </Button>
          )}
          <Button kind="primary" disabled={busy || file.fault !== undefined} onClick={() => void submit()}>
            {jobs.length === 1 ? "Submit" : `Submit ${count(jobs.length, "job")}`}
          </Button>
        </div>
      </div>
      <div className="grid">
        <div className="span-5 stack">
          <Card title="Form">
            <Form fields={file.fields} wrong={wrong} set={(field, value) => setText(withField(text, field, value))} />
          </Card>
        </div>
        <div className="span-7 stack">
          <Card title="Job file" beside={<span className="quiet small">Ctrl+Space shows the fields</span>} flush>
            <Suspense fallback={<div className="editor" />}>
              <Editor text={text} onChange={setText} fields={fields} mark={mark} />
            </Suspense>
          </Card>
          {jobs.length > 1 && (
            <Notice>
              The file holds {count(jobs.length, "job")}. The form and what is said below are of the first; all of them
              are submitted, in this order.
            </Notice>
          )}
          <DryRunResult
            outcome={outcome}
            fault={file.fault?.message}
            onUse={(field, value) => setText(withField(text, field, value))}
          />
        </div>
      </div>
    </div>
  );
}

/** Makes a dry run of the job, a moment after the last key. */
function useDryRun(text: string): Outcome | undefined {
  const may = useMay();
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), typingMs);
    return () => clearTimeout(timer);
  }, [text]);
  const hasPrices = (useCall("readPrices").data?.versions.length ?? 0) > 0;
  const { data, isPlaceholderData } = useQuery({
    queryKey: ["dry-run", settled, hasPrices],
    enabled: settled.trim() !== "" && readFile(settled).fault === undefined,
    placeholderData: keepPreviousData,
    refetchInterval: 10_000,
    throwOnError: isForbidden,
    queryFn: async ({ signal }): Promise<Outcome> => {
      try {
        const answer = await call("dryRunJob", { yaml: settled, signal });
        const estimate = hasPrices ? await call("estimateJob", { yaml: settled, signal }) : undefined;
        return { answer, ...(estimate && { estimate }) };
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        // Without the right to submit anywhere there is nothing to write here.
        if (isForbidden(error) && !may("job.submit")) throw error;
        return { refused: error };
      }
    },
  });
  // What was refused of another text says nothing of this one.
  return data !== undefined && "refused" in data && (isPlaceholderData || settled !== text) ? undefined : data;
}

function markOf(text: string, fault: Mark | undefined, outcome: Outcome | undefined): Mark | undefined {
  if (fault !== undefined) return fault;
  if (outcome === undefined || !("refused" in outcome)) return undefined;
  const { problem } = outcome.refused;
  const line = problem.field === undefined ? undefined : lineOf(text, problem.field);
  return line === undefined ? undefined : { line, message: wordsOf(outcome.refused) };
}

/** The fields of the job file, from the schema that checks it. */
function useFields(): readonly FieldHelp[] {
  const { data } = useQuery({
    queryKey: ["job-schema"],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async () =>
      (await fetch("/v1/schemas/job.json")).json() as Promise<{ properties: Record<string, Schema> }>,
  });
  return useMemo(
    () =>
      Object.entries(data?.properties ?? {})
        .filter(([, schema]) => !schema.description?.includes("refused, never ignored"))
        .map(([name, schema]) => ({ name, about: schema.description ?? "", values: valuesOf(schema) })),
    [data],
  );
}

interface Schema {
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly type?: string;
}

function valuesOf(schema: Schema): string[] {
  if (schema.type === "boolean") return ["true", "false"];
  return [...(schema.enum ?? []), ...(schema.anyOf ?? []).flatMap((each) => each.enum ?? [])].map(String);
}

interface FormProps {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly wrong: { readonly field?: string; readonly detail: string } | undefined;
  readonly set: (field: string, value: unknown) => void;
}

function Form({ fields, wrong, set }: FormProps) {
  const accounts = useCall("listAccounts", { query: { limit: 1000 } });
  const models = useCall("readSummary").data?.fleet.byModel.map(({ model }) => model) ?? [];
  const text = (field: string) => (fields[field] === undefined ? "" : String(fields[field]));
  const wrongAt = (field: string) => (wrong?.field?.split(".")[0] === field ? wrong.detail : undefined);
  const gpus = partsOfGpus(fields.gpus);
  const whole = (value: string) => (/^\d+$/.test(value) ? Number(value) : value);
  return (
    <div className="stack tight">
      <Field label="Name" wrong={wrongAt("name")}>
        {(props) => (
          <input
            {...props}
            className="input"
            value={text("name")}
            onChange={(event) => set("name", event.target.value)}
          />
        )}
      </Field>
      <Field label="Account" wrong={wrongAt("project")}>
        {(props) => (
          <select
            {...props}
            className="input"
            value={text("project")}
            onChange={(event) => set("project", event.target.value)}
          >
            <option value="">default</option>
            {(accounts.data?.items ?? [])
              .filter(({ path }) => path !== "")
              .map(({ path }) => (
                <option key={path} value={path}>
                  {path}
                </option>
              ))}
          </select>
        )}
      </Field>
      <Field label="Command" wrong={wrongAt("run")} hint="Shell command; runs once per member">
        {(props) => (
          <textarea
            {...props}
            className="input"
            rows={4}
            value={text("run")}
            onChange={(event) => set("run", event.target.value)}
          />
        )}
      </Field>
      <div className="fields">
        <Field label="GPUs" wrong={wrongAt("gpus")} hint="per member; 0.25 is a part of a GPU">
          {(props) => (
            <input
              {...props}
              className="input"
              inputMode="decimal"
              value={gpus.count}
              onChange={(event) => set("gpus", gpusOf(gpus.model, event.target.value))}
            />
          )}
        </Field>
        <Field label="Model">
          {(props) => (
            <select
              {...props}
              className="input"
              value={gpus.model}
              onChange={(event) => set("gpus", gpusOf(event.target.value, gpus.count || "1"))}
            >
              <option value="">any</option>
              {models.map((model) => (
                <option key={model}>{model}</option>
              ))}
            </select>
          )}
        </Field>
        <Field label="Nodes" wrong={wrongAt("nodes")} hint="4, or 4..8">
          {(props) => (
            <input
              {...props}
              className="input"
              placeholder="1"
              value={text("nodes")}
              onChange={(event) => set("nodes", whole(event.target.value))}
            />
          )}
        </Field>
      </div>
      <div className="fields">
        <Field label="All members in one" wrong={wrongAt("topology")}>
          {(props) => (
            <select
              {...props}
              className="input"
              value={text("topology")}
              onChange={(event) => set("topology", event.target.value)}
            >
              <option value="">anywhere</option>
              {["node", "nvlink", "rack", "block", "zone", "region"].flatMap((level) => [
                <option key={level} value={level}>
                  {level}
                </option>,
                <option key={`${level}?`} value={`${level}?`}>
                  {level}, if possible
                </option>,
              ])}
            </select>
          )}
        </Field>
        <Field label="Priority" wrong={wrongAt("priority")}>
          {(props) => (
            <select
              {...props}
              className="input"
              value={text("priority")}
              onChange={(event) => set("priority", event.target.value)}
            >
              <option value="">normal</option>
              <option>low</option>
              {!["", "normal", "low", "high"].includes(text("priority")) && <option>{text("priority")}</option>}
              <option>high</option>
            </select>
          )}
        </Field>
        <Field label="Time limit" wrong={wrongAt("max_time")} hint="such as 2h30m">
          {(props) => (
            <input
              {...props}
              className="input"
              value={text("max_time")}
              onChange={(event) => set("max_time", event.target.value)}
            />
          )}
        </Field>
      </div>
      <EngineField engine={text("engine")} wrong={wrongAt("engine")} onChoose={(engine) => set("engine", engine)} />
      {wrong !== undefined && <p className="wrong-text small">{wrong.detail}</p>}
    </div>
  );
}
