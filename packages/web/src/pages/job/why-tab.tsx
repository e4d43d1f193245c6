import type { Alternative, Displacement, Explanation, Job } from "@tessera/wire";
import { waitingReasons } from "@tessera/wire/reasons";
import { useState } from "react";
import { useLocation } from "wouter";
import { call, wordsOf } from "../../api/call.ts";
import { useMay } from "../../api/me.tsx";
import { useCall } from "../../api/use-call.ts";
import { Chip } from "../../design/chip.tsx";
import { Dialog } from "../../design/dialog.tsx";
import { Button, Card, Notice, Skeleton } from "../../design/parts.tsx";
import { count, spellGpus, spellNumber } from "../../format/numbers.ts";
import { spellClock, spellStart } from "../../format/times.ts";
import { toast } from "../../frame/toasts.tsx";
import { changed, spellChange, startSpan, waterfall } from "./why.ts";

/** Why the job waits: the checks as a waterfall, its start on a time axis, and the changes that would start it sooner. */
export function WhyTab({ job }: { job: Job }) {
  const { data: why, isError } = useCall("explainJob", { at: { job: job.id } }, { everyMs: 5_000 });
  if (isError) return <Notice>The job no longer waits.</Notice>;
  if (why === undefined) return <Skeleton lines={6} />;
  return (
    <div className="grid">
      <div className="span-7 stack">
        <Card title={why.reason?.detail ?? "Nothing prevents its start"}>
          <Waterfall why={why} />
        </Card>
        <Card title={spellStart(why.start)}>
          <StartLine why={why} />
        </Card>
      </div>
      <div className="span-5 stack">
        <Card
          title="What would help"
          beside={<span className="quiet small">each was planned on the present fleet</span>}
        >
          <Alternatives job={job} alternatives={why.alternatives ?? []} />
        </Card>
      </div>
    </div>
  );
}

function Waterfall({ why }: { why: Explanation }) {
  const { reason } = why;
  const most = Math.max(reason?.needed ?? 0, reason?.free ?? 0, 1);
  return (
    <ol className="waterfall">
      {waterfall(reason).map(({ kind, result, text }) => (
        <li key={kind} className={result}>
          <span className="sign" aria-hidden="true">
            {result === "passed" ? "✓" : result === "failing" ? "✗" : "·"}
          </span>
          <span className="kind">{waitingReasons[kind].title}</span>
          <span className="text">
            {result === "open" ? <span className="hidden-text">not checked yet</span> : text}
            {result === "failing" && reason?.needed !== undefined && reason.free !== undefined && (
              <span className="asked">
                <span>
                  needed <i style={{ width: `${(100 * reason.needed) / most}%` }} className="needed" />{" "}
                  {spellNumber(reason.needed)}
                </span>
                <span>
                  free <i style={{ width: `${(100 * reason.free) / most}%` }} className="free" />{" "}
                  {spellNumber(reason.free)}
                </span>
              </span>
            )}
          </span>
        </li>
      ))}
    </ol>
  );
}

const bases: Readonly<Record<string, string>> = {
  plan: "from the time limits of running jobs",
  "run-times": "from past run times of such jobs",
  "wait-times": "from past waits of jobs of this name",
  eviction: "from the time that evicted jobs have to leave",
};

function StartLine({ why }: { why: Explanation }) {
  const { start, ahead, aheadBy } = why;
  const now = Date.now();
  const span = startSpan(start, now);
  const place = (at: string) => `${(100 * (Date.parse(at) - now)) / (span!.to - now)}%`;
  return (
    <div className="stack tight">
      {span !== undefined && (
        <div className="start-line" role="img" aria-label={spellStart(start)}>
          {start?.p50 !== undefined && start.p90 !== undefined && (
            <div className="band" style={{ left: place(start.p50), right: `calc(100% - ${place(start.p90)})` }} />
          )}
          {start?.at !== undefined && (
            <div className="planned" style={{ left: place(start.at) }}>
              <span>{spellClock(start.at)}</span>
            </div>
          )}
        </div>
      )}
      <p className="quiet small">
        {start?.basis !== undefined &&
          `Estimated ${bases[start.basis]}${start.samples === undefined ? "" : ` (${count(start.samples, "job")})`}. `}
        {start?.nodes !== undefined &&
          start.nodes.length > 0 &&
          `Planned on ${start.nodes.slice(0, 4).join(", ")}${start.nodes.length > 4 ? " …" : ""}. `}
        {start?.why}
      </p>
      {ahead !== undefined && (
        <p className="quiet small">
          {ahead === 0 ? "Nothing is ahead of it." : `${count(ahead, "job")} ahead`}
          {aheadBy !== undefined &&
            ahead > 0 &&
            `: ${spellNumber(aheadBy.account.guaranteed + aheadBy.account.burst)} in its own account, ${spellNumber(aheadBy.others.guaranteed + aheadBy.others.burst)} in others.`}
        </p>
      )}
    </div>
  );
}

function Alternatives({ job, alternatives }: { job: Job; alternatives: readonly Alternative[] }) {
  const may = useMay();
  const [chosen, setChosen] = useState<Alternative | undefined>();
  if (alternatives.length === 0) {
    return <p className="quiet">No single change would start it sooner.</p>;
  }
  return (
    <ol className="stack tight">
      {alternatives.map((each, i) => (
        <li key={spellChange(each.change)} className={`alternative ${i === 0 ? "first" : ""}`}>
          <div>
            <strong>{spellChange(each.change)}</strong>
            <div className="row wrap small">
              <Effect alternative={each} />
            </div>
            {each.displaces !== undefined && <Displaced displaces={each.displaces} />}
          </div>
          {may("job.submit") && (
            <Button kind={i === 0 ? "primary" : "usual"} small onClick={() => setChosen(each)}>
              Apply
            </Button>
          )}
        </li>
      ))}
      {chosen !== undefined && <Apply job={job} alternative={chosen} onClose={() => setChosen(undefined)} />}
    </ol>
  );
}

function Effect({ alternative: { effect, at, class: as } }: { alternative: Alternative }) {
  return (
    <>
      <span className={effect === "starts now" ? "good-text" : ""}>
        {effect}
        {effect !== "starts now" && at !== undefined && `, ${spellClock(at)}`}
      </span>
      {as !== undefined && <Chip tone={as}>{as}</Chip>}
    </>
  );
}

function Displaced({ displaces }: { displaces: Displacement }) {
  if (displaces.jobs + displaces.members === 0) return null;
  return (
    <p className="quiet small">
      {count(displaces.jobs, "job")} on {spellGpus(displaces.gpus)} would be evicted within {displaces.within}.
    </p>
  );
}

/** Asks first, then submits the changed job and cancels the waiting one. */
function Apply({ job, alternative, onClose }: { job: Job; alternative: Alternative; onClose: () => void }) {
  const [, go] = useLocation();
  const [busy, setBusy] = useState(false);
  const act = async () => {
    setBusy(true);
    try {
      const made = await call("submitJob", { body: changed(job, alternative.change) as never });
      await call("cancelJob", { at: { job: job.id }, body: {} });
      toast("good", `${made.name} was submitted with the change; the previous job is cancelled.`);
      go(`/jobs/${made.id}/${alternative.effect === "starts now" ? "logs" : "why"}`);
    } catch (error) {
      toast("bad", wordsOf(error));
      onClose();
    }
  };
  return (
    <Dialog
      title="Apply this change?"
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Not now</Button>
          <Button kind="primary" disabled={busy} onClick={() => void act()}>
            Apply the change
          </Button>
        </>
      }
    >
      <div className="stack tight">
        <p>
          <strong>{spellChange(alternative.change)}</strong>
        </p>
        <p>
          The job is submitted again with this change and <Effect alternative={alternative} />. The waiting job is
          cancelled and loses its place.
        </p>
        {alternative.displaces !== undefined && <Displaced displaces={alternative.displaces} />}
      </div>
    </Dialog>
  );
}
