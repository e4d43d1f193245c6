import { useQueryClient } from "@tanstack/react-query";
import type { Job } from "@tessera/wire";
import { type ReactNode, useEffect, useState } from "react";
import { useParams } from "wouter";
import { wordsOf } from "../../api/call.ts";
import { useLive } from "../../api/live.ts";
import { useCall } from "../../api/use-call.ts";
import { mayDo } from "../../design/may-do.ts";
import { Missing } from "../../design/missing.tsx";
import { onDemand } from "../../design/on-demand.tsx";
import { Empty, Notice, Skeleton, Tabs, Time } from "../../design/parts.tsx";
import { useCarried } from "../../frame/carried.ts";
import { ThisIsNow } from "../past/this-is-now.tsx";
import { Elements } from "./elements.tsx";
import { EventsTab } from "./events-tab.tsx";
import { JobHead } from "./job-head.tsx";
import { LogsTab } from "./logs-tab.tsx";
import { PhaseBar } from "./phase-bar.tsx";
import { PlacementTab } from "./placement-tab.tsx";
import { UsageTab } from "./usage-tab.tsx";
import { WhyTab } from "./why-tab.tsx";

const ActivityTab = onDemand(() => import("./activity-tab.tsx"), <Skeleton />);
const FilesTab = onDemand(() => import("./files-tab.tsx"), <Skeleton />);
const SpecTab = onDemand(() => import("./spec-tab.tsx"), <Skeleton />);

const everyMs = 10_000;

/** One job: its state, log, waiting reason, placement, usage and job file. */
export function JobPage() {
  const { id = "", tab } = useParams<{ id: string; tab?: string }>();
  const carry = useCarried();
  const [isOver, setOver] = useState(false);
  // Its cost and the reason why it waits change without an event.
  const { data: job, error } = useCall("getJob", { at: { job: id } }, isOver ? {} : { everyMs });
  useEffect(() => setOver(job?.state === "ended"), [job?.state]);
  useRefresh(id, job?.id);
  useEffect(() => {
    document.title = `${job?.name ?? "Job"} · Tessera`;
  }, [job?.name]);
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
      <ThisIsNow what="job" back={`/queue?job=${job.id}`} />
      <JobHead key={job.id} job={job} />
      <IdleNotice job={job} />
      <PhaseBar job={job} />
      <Tabs
        label="About this job"
        tabs={tabsOf(job).map((each) => ({
          href: carry(`/jobs/${id}/${each}`),
          label: words[each]!,
          here: each === chosen,
        }))}
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
  files: "Files",
  spec: "Spec",
  events: "Events",
};

function tabsOf(job: Job): string[] {
  const files = job.elements === undefined && mayDo("readLogs", job) ? ["files"] : [];
  const why = job.state === "waiting" ? ["why"] : [];
  return ["logs", ...why, "activity", "placement", "usage", ...files, "spec", "events"];
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
    case "files":
      return <Files job={job} />;
    case "spec":
      return <SpecTab job={job} />;
    default:
      return job.elements === undefined ? <Logs job={job} /> : <Elements job={job} />;
  }
}

/** Members read the logs of their own jobs, administrators those of their accounts. */
function Logs({ job }: { job: Job }) {
  if (mayDo("readLogs", job)) return <LogsTab job={job} />;
  return <Empty title="Only its user and administrators of its account may read the log" />;
}

/** For the same people; an array has no folders of its own. */
function Files({ job }: { job: Job }) {
  if (job.elements !== undefined) return <Empty title="Each element has files of its own" />;
  if (mayDo("readLogs", job)) return <FilesTab job={job} />;
  return <Empty title="Only its user and administrators of its account may read its files" />;
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
