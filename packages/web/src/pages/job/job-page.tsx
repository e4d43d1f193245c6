import { useQueryClient } from "@tanstack/react-query";
import type { Job } from "@tessera/wire";
import { codeText } from "@tessera/wire/code";
import { lazy, type ReactNode, Suspense, useEffect, useState } from "react";
import { Link, useParams } from "wouter";
import { wordsOf } from "../../api/call.ts";
import { useLive } from "../../api/live.ts";
import { useMay, useMe } from "../../api/me.tsx";
import { useAct, useCall } from "../../api/use-call.ts";
import { ReasonChip, StateChip } from "../../design/chip.tsx";
import { Dialog } from "../../design/dialog.tsx";
import { Missing } from "../../design/missing.tsx";
import { Button, ButtonLink, Empty, Notice, Skeleton, Tabs, Time } from "../../design/parts.tsx";
import { count, spellGpus } from "../../format/numbers.ts";
import { spellSpan } from "../../format/times.ts";
import { ActivityTab } from "./activity-tab.tsx";
import { Elements } from "./elements.tsx";
import { EventsTab } from "./events-tab.tsx";
import { LogsTab } from "./logs-tab.tsx";
import { OpenPage } from "./open-page.tsx";
import { PhaseBar } from "./phase-bar.tsx";
import { PlacementTab } from "./placement-tab.tsx";
import { UsageTab } from "./usage-tab.tsx";
import { WhyTab } from "./why-tab.tsx";

const SpecTab = lazy(() => import("./spec-tab.tsx"));

/** One job: its state, log, waiting reason, placement, usage and job file. */
export function JobPage() {
  const { id = "", tab } = useParams<{ id: string; tab?: string }>();
  const { data: job, error } = useCall("getJob", { at: { job: id } });
  useRefresh(id, job?.id);
  if (job === undefined) {
    return error !== null ? (
      <Missing title="No such job" why={wordsOf(error)} href="/jobs" go="All jobs" />
    ) : (
      <div className="page">
        <Skeleton lines={6} />
      </div>
    );
  }
  const chosen = tab ?? (job.state === "waiting" && job.elements === undefined ? "why" : "logs");
  return (
    <div className="page">
      <Head job={job} />
      <IdleNotice job={job} />
      <PhaseBar job={job} />
      <Tabs
        label="About this job"
        tabs={tabsOf(job).map((each) => ({ href: `/jobs/${id}/${each}`, label: words[each]!, here: each === chosen }))}
      />
      <Tab job={job} tab={chosen} />
    </div>
  );
}

/** What its user was warned of; it goes away as soon as the job works again. */
function IdleNotice({ job: { idle } }: { job: Job }) {
  if (idle === undefined) return null;
  return (
    <Notice kind="warn">
      Its GPUs are below {idle.below} %, first seen <Time at={idle.since} /> (measured at most {idle.activity} %).
      {idle.does !== "notify" && (
        <>
          {" "}
          It is {idle.does === "stop" ? "stopped" : "suspended"} <Time at={idle.actsAt} /> unless it works again.
        </>
      )}
    </Notice>
  );
}

const words: Readonly<Record<string, string>> = {
  logs: "Logs",
  why: "Why",
  activity: "Activity",
  placement: "Placement",
  usage: "Usage",
  spec: "Spec",
  events: "Events",
};

function tabsOf(job: Job): string[] {
  return ["logs", ...(job.state === "waiting" ? ["why"] : []), "activity", "placement", "usage", "spec", "events"];
}

function Tab({ job, tab }: { job: Job; tab: string }): ReactNode {
  switch (tab) {
    case "why":
      return <WhyTab job={job} />;
    case "activity":
      return <ActivityTab job={job} />;
    case "placement":
      return <PlacementTab job={job} />;
    case "usage":
      return <UsageTab job={job} />;
    case "events":
      return <EventsTab job={job} />;
    case "spec":
      return (
        <Suspense fallback={<Skeleton />}>
          <SpecTab job={job} />
        </Suspense>
      );
    default:
      return job.elements === undefined ? <Logs job={job} /> : <Elements job={job} />;
  }
}

/** The nodes by name where they are few; a gang is on one engine, which the names begin with where there are several. */
function spellNodes(names: readonly string[]): string {
  if (names.length <= 3) return names.join(", ");
  const [engine, ...rest] = names[0]!.split("/");
  return `${count(names.length, "node")}${rest.length === 0 ? "" : ` of ${engine}`}`;
}

/** Members read the logs of their own jobs, administrators those of their accounts; the server decides, this only asks less. */
function Logs({ job }: { job: Job }) {
  const me = useMe();
  const may = useMay();
  if (may("job.logs") && (job.user === me.user || may("account.write"))) return <LogsTab job={job} />;
  return <Empty title="Only its user and administrators of its account may read the log" />;
}

/** Reads the job again after each of its events, which are few. */
function useRefresh(asked: string, id: string | undefined): void {
  const queries = useQueryClient();
  const events = useLive("listEvents", { job: id ?? asked, limit: 200 }, id !== undefined);
  const newest = events?.length ?? 0;
  useEffect(() => {
    if (newest === 0) return;
    void queries.invalidateQueries({ queryKey: ["getJob"] });
    void queries.invalidateQueries({ queryKey: ["explainJob"] });
  }, [newest, queries]);
}

function Head({ job }: { job: Job }) {
  const me = useMe();
  const may = useMay();
  const [asking, setAsking] = useState(false);
  const cancel = useAct("cancelJob", () => `${job.name} is cancelled.`);
  const hold = useAct("holdJob", () => `${job.name} is held.`);
  const release = useAct("releaseJob", () => `${job.name} may start.`);
  const at = { job: job.id };
  const live = job.state !== "ended";
  const code = codeText(job.spec.workdir);
  const where = [...new Set(job.members.map(({ node }) => node))];
  return (
    <div className="head">
      <div className="stack tight" style={{ minWidth: 0 }}>
        <div className="row wrap">
          <h1>{job.name}</h1>
          <StateChip job={job} />
          {job.state === "waiting" && <ReasonChip reason={job.reason} />}
        </div>
        <p className="quiet small">
          <Link href={`/quota/${job.project}`}>{job.project}</Link> · {job.userName ?? job.user} · {spellGpus(job.gpus)}{" "}
          {job.gpuModel === "*" ? "" : job.gpuModel}
          {where.length > 0 && ` on ${spellNodes(where)}`} · submitted <Time at={job.submittedAt} />
          {job.startedAt !== undefined &&
            job.endedAt === undefined &&
            ` · runs for ${spellSpan(Date.now() - Date.parse(job.startedAt))}`}
          {job.endedAt !== undefined && (
            <>
              {" "}
              · ended <Time at={job.endedAt} />
            </>
          )}
        </p>
        {code !== undefined && <p className="quiet small">Code: {code}</p>}
        {job.detail !== undefined && <p>{job.detail}</p>}
      </div>
      <div className="row wrap">
        <OpenPage job={job} />
        {may("job.submit") && <ButtonLink href={`/new?from=${job.id}`}>Run again</ButtonLink>}
        {live && may("job.control") && job.state === "waiting" && !job.held && (
          <Button onClick={() => hold.mutate({ at, body: {} })}>Hold</Button>
        )}
        {live && may("job.control") && job.held && (
          <Button onClick={() => release.mutate({ at, body: {} })}>Release</Button>
        )}
        {live && (may("job.control") || job.user === me.user) && (
          <Button kind="danger" onClick={() => setAsking(true)}>
            Cancel
          </Button>
        )}
      </div>
      {asking && (
        <Dialog
          title={`Cancel ${job.name}?`}
          onClose={() => setAsking(false)}
          footer={
            <>
              <Button onClick={() => setAsking(false)}>Keep it</Button>
              <Button
                kind="danger"
                disabled={cancel.isPending}
                onClick={() => cancel.mutate({ at, body: {} }, { onSuccess: () => setAsking(false) })}
              >
                Cancel the job
              </Button>
            </>
          }
        >
          <p>
            {job.state === "waiting"
              ? "The job has not started and will not start."
              : `The job stops and releases ${spellGpus(job.gpus)}.`}{" "}
            This cannot be undone, but the job can be submitted again.
          </p>
        </Dialog>
      )}
    </div>
  );
}
