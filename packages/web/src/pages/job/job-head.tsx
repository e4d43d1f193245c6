import type { Job } from "@tessera/wire";
import { codeText } from "@tessera/wire/code";
import { Link } from "wouter";
import { Act } from "../../design/act.tsx";
import { Chip, ReasonChip, StateChip } from "../../design/chip.tsx";
import { mayDo } from "../../design/may-do.ts";
import { ButtonLink, Time } from "../../design/parts.tsx";
import { useTick } from "../../design/tick.ts";
import { count, spellGpus } from "../../format/numbers.ts";
import { inZone, spellDay, spellSpan } from "../../format/times.ts";
import { copyText } from "../../frame/copy.ts";
import { useOpen } from "../../frame/open.ts";
import { compareAddress } from "../compare/address.ts";
import { AskCancel } from "./ask-cancel.tsx";
import { AskLeave } from "./ask-leave.tsx";
import { costText } from "./cost-text.ts";
import { EditJob } from "./edit-job.tsx";
import { useHoldJob, useReleaseJob } from "./job-acts.ts";
import { JobLabels } from "./job-labels.tsx";
import { OpenPage } from "./open-page.tsx";
import { RunAgain } from "./run-again.tsx";

/** The nodes by name where they are few; a gang is on one engine, which the names begin with where there are several. */
function spellNodes(names: readonly string[]): string {
  if (names.length <= 3) return names.join(", ");
  const [engine, ...rest] = names[0]!.split("/");
  return `${count(names.length, "node")}${rest.length === 0 ? "" : ` of ${engine}`}`;
}

/** What the job is, what it costs, and what can be done with it. */
export function JobHead({ job }: { job: Job }) {
  const [dialog, open] = useOpen(`job ${job.id}`);
  const close = () => open(undefined);
  const hold = useHoldJob();
  const release = useReleaseJob();
  const at = { job: job.id };
  const live = job.state !== "ended";
  const waits = job.elements === undefined ? job.state === "waiting" : job.elements.waiting > 0;
  const code = codeText(job.spec.workdir);
  const where = [...new Set(job.members.map(({ node }) => node))];
  return (
    <div className="head">
      <div className="stack tight" style={{ minWidth: 0 }}>
        <div className="row wrap">
          <h1>{job.name}</h1>
          {job.elements === undefined ? <StateChip job={job} /> : <Chip>{elementsText(job.elements)}</Chip>}
          {job.state === "waiting" && <ReasonChip reason={job.reason} />}
        </div>
        <p className="quiet small">
          <Link href={`/quota/${job.project}`}>{job.project}</Link> · {job.userName ?? job.user} · {spellGpus(job.gpus)}{" "}
          {job.gpuModel === "*" ? "" : job.gpuModel}
          {job.elements !== undefined && " each"}
          {where.length > 0 && ` on ${spellNodes(where)}`} · <Times job={job} />
        </p>
        <div className="quiet small row wrap">
          <Copied text={job.id} />
          {job.array !== undefined && (
            <Link href={`/jobs/${job.array.id}`}>
              element {job.array.index} of {job.array.id}
            </Link>
          )}
          {job.attempt > 1 && <span>attempt {job.attempt}</span>}
          {typeof job.spec.deadline === "string" && <span>deadline {spellDay(Date.parse(job.spec.deadline))}</span>}
          {job.cost !== undefined && <span>{costText({ cost: job.cost, state: job.state })}</span>}
          {code !== undefined && <span>code: {code}</span>}
          <JobLabels job={job} mayChange={live && mayDo("editJob", job)} />
        </div>
        {job.detail !== undefined && <p>{inZone(job.detail)}</p>}
      </div>
      <div className="row wrap">
        <OpenPage job={job} />
        <RunAgain job={job} />
        {job.array === undefined && <ButtonLink href={compareAddress(undefined, job.id)}>Compare</ButtonLink>}
        {waits && !job.held && (
          <Act act="holdJob" of={job} at={job.project} onClick={() => hold.mutate({ at, body: {} })}>
            Hold
          </Act>
        )}
        {live && job.held && (
          <Act act="releaseJob" of={job} at={job.project} onClick={() => release.mutate({ at, body: {} })}>
            Release
          </Act>
        )}
        {job.state === "waiting" && job.elements === undefined && (
          <Act act="editJob" of={job} at={job.project} onClick={() => open("edit")}>
            Change
          </Act>
        )}
        {job.state === "running" && job.elements === undefined && (
          <>
            <Act act="suspendJob" of={job} at={job.project} onClick={() => open("suspend")}>
              Suspend
            </Act>
            <Act act="requeueJob" of={job} at={job.project} onClick={() => open("requeue")}>
              Requeue
            </Act>
          </>
        )}
        {live && (
          <Act act="cancelJob" of={job} at={job.project} kind="danger" onClick={() => open("cancel")}>
            Cancel
          </Act>
        )}
      </div>
      {dialog === "cancel" && live && <AskCancel job={job} onClose={close} />}
      {dialog === "edit" && <EditJob job={job} onClose={close} />}
      {(dialog === "suspend" || dialog === "requeue") && <AskLeave job={job} how={dialog} onClose={close} />}
    </div>
  );
}

/** Since when it is what it is: all of them tick together, so that none contradicts another. */
function Times({ job: { submittedAt, startedAt, endedAt } }: { job: Job }) {
  useTick(1_000);
  return (
    <>
      submitted <Time at={submittedAt} />
      {startedAt !== undefined && endedAt === undefined && (
        <> · runs for {spellSpan(Date.now() - Date.parse(startedAt))}</>
      )}
      {endedAt !== undefined && (
        <>
          {" "}
          · ended <Time at={endedAt} />
        </>
      )}
    </>
  );
}

/** An id that a click copies. */
function Copied({ text }: { text: string }) {
  return (
    <button type="button" className="chip" title="Copy" onClick={() => void copyText(text, `${text} is copied.`)}>
      {text}
    </button>
  );
}

function elementsText({ size, waiting, active }: NonNullable<Job["elements"]>): string {
  return `${size - waiting - active} of ${size} ended, ${active} active`;
}
