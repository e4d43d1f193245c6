import type { Job } from "@tessera/wire";
import { wordsOf } from "../../api/call.ts";
import { useCall } from "../../api/use-call.ts";
import { Card, Notice, Skeleton } from "../../design/parts.tsx";
import { inZone, spellStart } from "../../format/times.ts";
import { Alternatives } from "./alternatives.tsx";
import { Remedies, WhatEnds } from "./remedies.tsx";
import { StartLine } from "./start-line.tsx";
import { Waterfall } from "./waterfall.tsx";

/** Why the job waits: the checks as a waterfall, its start on a time axis, and what would start it sooner. */
export function WhyTab({ job }: { job: Job }) {
  const { data: why, error } = useCall("explainJob", { at: { job: job.id } }, { everyMs: 5_000 });
  if (error !== null) return <Notice kind="bad">{wordsOf(error)}</Notice>;
  if (why === undefined) return <Skeleton lines={6} />;
  if (why.state !== "waiting") return <Notice>The job no longer waits: it is {why.state}.</Notice>;
  const { remedies = [], alternatives = [] } = why;
  return (
    <div className="grid">
      <div className="span-7 stack">
        <Card title={inZone(why.reason?.detail ?? "Nothing prevents its start")}>
          <Waterfall reason={why.reason} />
        </Card>
        <Card title={spellStart(why.start)}>
          <StartLine why={why} />
        </Card>
      </div>
      <div className="span-5 stack">
        <Card
          title="What would help"
          beside={<span className="quiet small">each change was planned on the present fleet</span>}
        >
          <div className="stack tight">
            {why.reason !== undefined && <WhatEnds reason={why.reason} job={job} remedies={remedies} />}
            <Remedies remedies={remedies} />
            <Alternatives job={job} alternatives={alternatives} start={why.start} />
            {remedies.length + alternatives.length === 0 && (
              <p className="quiet">No single change of the job would start it sooner.</p>
            )}
          </div>
        </Card>
      </div>
    </div>
  );
}
