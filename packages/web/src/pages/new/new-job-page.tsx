import { useQuery } from "@tanstack/react-query";
import type { JobCreated } from "@tessera/wire";
import { useMemo, useState } from "react";
import { Link, useLocation, useSearchParams } from "wouter";
import { call, isMissing, wordsOf } from "../../api/call.ts";
import { useDraft } from "../../api/draft.ts";
import { useMe } from "../../api/me.tsx";
import { useCall } from "../../api/use-call.ts";
import { Missing } from "../../design/missing.tsx";
import { onDemand } from "../../design/on-demand.tsx";
import { Button, Card, Notice, Skeleton } from "../../design/parts.tsx";
import { count } from "../../format/numbers.ts";
import { writeYaml } from "../../format/yaml.ts";
import { toast } from "../../frame/toasts.tsx";
import { Differs } from "./differs.tsx";
import { Documents } from "./documents.tsx";
import { joinDocuments, textOfFiles } from "./dropped.ts";
import { DryRunResult } from "./dry-run-result.tsx";
import type { Mark } from "./editor.tsx";
import { DropPlace, OpenFiles } from "./files.tsx";
import { Form } from "./form.tsx";
import { type Document, documentsIn, lineOf, translated, withField } from "./job-file.ts";
import { differencesOf, type Fields, type Origin, rerunFields, withoutDefaults } from "./rerun.ts";
import { SizeChoice } from "./size-choice.tsx";
import { isRefusedForGood, type Outcome, useDryRuns } from "./use-dry-runs.ts";
import { useFields } from "./use-fields.ts";

const Editor = onDemand(() => import("./editor.tsx"), <div className="editor" />);

const noFields: Fields = {};
/** A job by form and as a file, side by side, with a dry run while it is being written. */
export default function NewJobPage() {
  const me = useMe();
  const [params] = useSearchParams();
  const from = params.get("from");
  const source = useCall("getJob", { at: { job: from ?? "" } }, { on: from !== null });
  const defaults = useDefaults(source.data?.project);
  const job = from === null ? undefined : source.data;
  const origin = useMemo(
    () =>
      job === undefined || defaults === undefined ? undefined : { job, defaults, fields: rerunFields(job, Date.now()) },
    [job, defaults],
  );
  if (from !== null && origin === undefined) {
    return isMissing(source.error) ? (
      <Missing title={`There is no job ${from} to start from`} why={wordsOf(source.error)} href="/new" go="New job" />
    ) : (
      <div className="page">
        <Skeleton lines={6} />
      </div>
    );
  }
  return <Writing key={from ?? ""} origin={origin} first={firstText(origin, me.defaultProject)} />;
}

function firstText(origin: Origin | undefined, usual: string | undefined): string {
  const project = usual === undefined ? "" : `project: ${usual}\n`;
  if (origin === undefined) return `name: my-job\n${project}gpus: 1\nrun: |\n  echo hello\n`;
  const { name, project: account, ...rest } = withoutDefaults(origin.fields, origin.defaults);
  return writeYaml({ name: name ?? origin.job.name, project: account, ...rest });
}

/** What a job of this account has without saying so, from the server itself; nothing where it does not tell. */
function useDefaults(project: string | undefined): Fields | undefined {
  const { data, isError } = useQuery({
    queryKey: ["job-defaults", project],
    enabled: project !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
    queryFn: async () => {
      const { run: _, ...spec } = (await call("dryRunJob", { yaml: writeYaml({ project, run: "true" }) })).spec;
      return spec as Fields;
    },
  });
  return isError ? noFields : data;
}

function Writing({ origin, first }: { origin: Origin | undefined; first: string }) {
  const [, go] = useLocation();
  const [text, setText, drop] = useDraft(`job ${origin?.job.id ?? ""}`, first);
  const [busy, setBusy] = useState(false);
  const [left, setLeft] = useState<ReadonlySet<number>>(new Set());
  const [made, setMade] = useState<readonly JobCreated[]>([]);
  const documents = documentsIn(text);
  const outcomes = useDryRuns(documents);
  const fields = useFields();
  const [one] = documents as [Document];
  const { foreign } = one;
  const several = documents.length > 1;
  const chosen = documents.filter(({ fault }, at) => fault === undefined && !(several && left.has(at)));
  const refused = chosen.find((document) => isRefusedForGood(outcomes[documents.indexOf(document)]));
  const write = (next: string) => {
    setText(next);
    setLeft(new Set());
  };
  const submit = async () => {
    setBusy(true);
    const done: JobCreated[] = [];
    const rest = [...documents];
    try {
      for (const document of chosen) {
        done.push(await call("submitJob", { yaml: document.text }));
        rest.splice(rest.indexOf(document), 1);
      }
    } catch (error) {
      toast("bad", `${chosen[done.length]!.name} was not submitted: ${wordsOf(error)}`);
    }
    setMade((before) => [...before, ...done]);
    if (rest.length === 0) {
      drop();
      for (const { name } of done) toast("good", `${name} was submitted.`);
      go(done.length === 1 ? `/jobs/${done[0]!.id}` : "/jobs?mine=yes");
      return;
    }
    // What was submitted is taken out of the text, so that nothing is submitted twice.
    if (done.length > 0) write(joinDocuments(rest.map((each) => each.text)));
    setBusy(false);
  };
  const take = async (files: readonly File[]) => {
    const read = await textOfFiles(files);
    if ("wrong" in read) return toast("bad", read.wrong);
    write(text === first || text.trim() === "" ? read.text : joinDocuments([text, read.text]));
    toast("good", `${count(files.length, "file")} read.`);
  };
  const outcome = outcomes[0];
  const wrong = outcome !== undefined && "refused" in outcome ? outcome.refused.problem : undefined;
  return (
    <div className="page">
      <div className="head">
        <h1>{origin === undefined ? "New job" : `Run ${origin.job.name} again`}</h1>
        <div className="row wrap">
          <OpenFiles onFiles={(files) => void take(files)} />
          {text !== first && (
            <Button
              kind="plain"
              onClick={() => {
                write(first);
                drop();
              }}
            >
              Start over
            </Button>
          )}
          <Button
            kind="primary"
            disabled={busy || chosen.length === 0 || refused !== undefined}
            {...(refused !== undefined && { title: `${refused.name} would be refused` })}
            onClick={() => void submit()}
          >
            {several ? `Submit ${count(chosen.length, "job")}` : "Submit"}
          </Button>
        </div>
      </div>
      {made.length > 0 && <Made made={made} left={documents.length} />}
      <div className="grid">
        <div className="span-5 stack">
          <Card title={several ? `Form of ${one.name}` : "Form"}>
            <Form fields={one.fields} wrong={wrong} set={(field, value) => setText(withField(text, field, value))} />
          </Card>
        </div>
        <div className="span-7 stack">
          <Card title="Job file" beside={<span className="quiet small">Ctrl+Space shows the fields</span>} flush>
            {origin !== undefined && <SizeChoice text={text} fields={one.fields} origin={origin} onText={setText} />}
            <DropPlace onFiles={(files) => void take(files)}>
              <Editor text={text} onChange={setText} fields={fields} mark={markOf(documents, outcomes)} />
            </DropPlace>
          </Card>
          {origin !== undefined && !several && one.fault === undefined && (
            <Differs run={origin.job} differences={differencesOf(origin.fields, one.fields, origin.defaults)} />
          )}
          {several ? (
            <Documents documents={documents} outcomes={outcomes} left={left} onLeave={setLeft} />
          ) : (
            <DryRunResult
              outcome={outcome}
              fault={one.fault?.message}
              onTranslate={foreign && (() => write(translated(foreign)))}
              onUse={(field, value) => setText(withField(text, field, value))}
            />
          )}
        </div>
      </div>
    </div>
  );
}

/** Which jobs of the file are submitted already, and how many are not. */
function Made({ made, left }: { made: readonly JobCreated[]; left: number }) {
  return (
    <Notice>
      Submitted:{" "}
      {made.map(({ id, name }, at) => (
        <span key={id}>
          {at > 0 && ", "}
          <Link href={`/jobs/${id}`}>{name}</Link>
        </span>
      ))}
      . {count(left, "job")} below {left === 1 ? "is" : "are"} not.
    </Notice>
  );
}

/** The first line of the text with which something is wrong. */
function markOf(documents: readonly Document[], outcomes: readonly (Outcome | undefined)[]): Mark | undefined {
  for (const [at, { text, before, fault, name }] of documents.entries()) {
    const outcome = outcomes[at];
    if (fault !== undefined) return fault;
    if (outcome === undefined || !("refused" in outcome)) continue;
    const { field } = outcome.refused.problem;
    const line = field === undefined ? undefined : lineOf(text, field);
    if (line !== undefined)
      return { line: before + line, message: `${documents.length > 1 ? `${name}: ` : ""}${wordsOf(outcome.refused)}` };
  }
  return undefined;
}
