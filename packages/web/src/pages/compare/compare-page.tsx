import type { Job } from "@tessera/wire";
import { useEffect } from "react";
import { wordsOf } from "../../api/call.ts";
import { useCall } from "../../api/use-call.ts";
import { Missing } from "../../design/missing.tsx";
import { Card, Skeleton } from "../../design/parts.tsx";
import { useAddress } from "../../frame/address.ts";
import type { Column } from "../../table/column.ts";
import { Table } from "../../table/table.tsx";
import { jobTimeOf } from "../job/job-time.ts";
import { useRunsBefore } from "../job/run-before.ts";
import { SpecDiff } from "../job/spec-diff.tsx";
import { figureRows } from "./figures.ts";
import { LogsCompared } from "./logs-compared.tsx";
import { PhasesTogether } from "./phases-together.tsx";
import { RunChoice } from "./run-choice.tsx";

const everyMs = 10_000;

/** Two runs beside each other: what was asked, how long each phase took, what it cost, and where their logs part. */
export default function ComparePage() {
  const [params, set] = useAddress();
  const [a, b] = [params.get("a") ?? "", params.get("b") ?? ""];
  const first = useJob(a);
  const second = useJob(b);
  const [before, isAlone] = useRunBefore(second.data, a === "");
  useEffect(() => {
    if (before !== undefined) set({ a: before });
  }, [before, set]);
  useEffect(() => {
    document.title = "Compare runs · Tessera";
  }, []);
  if (b === "")
    return <Missing title="Which runs?" why="Open a job and press Compare." href="/jobs?state=all" go="All jobs" />;
  if (isAlone)
    return (
      <Missing
        title={`There is no run of ${second.data?.name} before it`}
        why="Jobs of one name in one account are runs of each other."
        href={`/jobs/${b}`}
        go="Back to the job"
      />
    );
  const wrong = first.error ?? second.error;
  if (wrong !== null && (first.data === undefined || second.data === undefined))
    return <Missing title="No such job" why={wordsOf(wrong)} href="/jobs" go="All jobs" />;
  if (first.data === undefined || second.data === undefined)
    return (
      <div className="page">
        <Skeleton lines={6} />
      </div>
    );
  return <Compared a={first.data} b={second.data} onChoose={set} />;
}

interface ComparedProps {
  readonly a: Job;
  readonly b: Job;
  readonly onChoose: (runs: Readonly<Record<string, string>>) => void;
}

function Compared({ a, b, onChoose }: ComparedProps) {
  return (
    <div className="page">
      <div className="head">
        <h1>Compare runs</h1>
      </div>
      <div className="grid">
        <div className="span-6">
          <RunChoice name="A" job={a} other={b} onChoose={(id) => onChoose({ a: id })} />
        </div>
        <div className="span-6">
          <RunChoice name="B" job={b} other={a} onChoose={(id) => onChoose({ b: id })} />
        </div>
        <Card title="Phases" className="span-12">
          <PhasesTogether jobs={[a, b]} />
        </Card>
        <Figures a={a} b={b} />
        <Card title="What was asked" className="span-6" beside={<span className="quiet small">− A, + B</span>}>
          <SpecDiff before={a} job={b} />
        </Card>
        <LogsCompared a={a} b={b} />
      </div>
    </div>
  );
}

/** The run before a job, where none is named, and whether there is none. */
function useRunBefore(job: Job | undefined, on: boolean): readonly [string | undefined, boolean] {
  const runs = useRunsBefore(job, on);
  return on && job !== undefined && runs !== undefined ? [runs[0]?.id, runs.length === 0] : [undefined, false];
}

function useJob(id: string) {
  return useCall("getJob", { at: { job: id } }, { on: id !== "", everyMs });
}

const measures: readonly Column<ReturnType<typeof figureRows>[number]>[] = [
  { label: "Measure", show: ({ label }) => label },
  { label: "A", show: ({ a }) => a },
  { label: "B", show: ({ b }) => b },
  { label: "B against A", show: ({ difference }) => <span className="quiet">{difference}</span> },
];

function Figures({ a, b }: { a: Job; b: Job }) {
  const [of, and] = [useActivity(a), useActivity(b)];
  const rows = figureRows({ job: a, activity: of }, { job: b, activity: and }, Date.now());
  return (
    <Card flush title="Measures" className="span-6">
      <Table label="Measures of both runs" items={rows} columns={measures} keyOf={({ label }) => label} />
    </Card>
  );
}

/** The mean activity of the GPUs of a job while it ran, where it was measured. */
function useActivity(job: Job): number | undefined {
  const time = jobTimeOf(job);
  const query = {
    ...{ metric: "activity" as const, job: job.id, by: "none" as const, from: time?.from ?? "" },
    ...(time?.to !== undefined && { to: time.to }),
  };
  const { data } = useCall("readSeries", { query }, { on: time !== undefined && job.gpus > 0, mayFail: true });
  const known = (data?.series[0]?.values ?? []).filter((value) => value !== null);
  if (known.length === 0) return undefined;
  return Math.round(known.reduce((sum, value) => sum + value, 0) / known.length);
}
