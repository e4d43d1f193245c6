import type { Job, JobCost } from "@tessera/wire";
import { codeText } from "@tessera/wire/code";
import { Link } from "wouter";
import { Act } from "../../design/act.tsx";
import { Chip, ReasonChip, StateChip } from "../../design/chip.tsx";
import { mayDo } from "../../design/may-do.ts";
import { ButtonLink, Time } from "../../design/parts.tsx";
import { useTick } from "../../design/tick.ts";
import { spellMoney } from "../../format/money.ts";
import { count, spellGpus } from "../../format/numbers.ts";
import { inZone, spellDay, spellSpan } from "../../format/times.ts";
import { copyText } from "../../frame/copy.ts";
import { useOpen } from "../../frame/open.ts";
import { compareAddress } from "../compare/address.ts";
import { AskCancel } from "./ask-cancel.tsx";
import { AskLeave } from "./ask-leave.tsx";
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
          {where.length > 0 && ` on ${spellNodes(where)}`} · submitted <Time at={job.submittedAt} />
          {job.startedAt !== undefined && job.endedAt === undefined && <RunsFor since={job.startedAt} />}
          {job.endedAt !== undefined && (
            <>
              {" "}
              · ended <Time at={job.endedAt} />
            </>
          )}
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
          {job.cost !== undefined && <span>{costText(job.cost)}</span>}
          {code !== undefined && <span>code: {code}</span>}
          <JobLabels job={job} mayChange={live && mayDo("editJob", job)} />
        </div>
        {job.detail !== undefined && <p>{inZone(job.detail)}</p>}
      </div>
      <div className="row wrap">
        <OpenPage job={job} />
        <RunAgain job={job} />
        {job.array === undefined && <ButtonLink href={compareAddress(undefined, job.id)}>Compare</ButtonLink>}
        {job.state === "waiting" && !job.held && (
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

function RunsFor({ since }: { since: string }) {
  useTick(1_000);
  return <> · runs for {spellSpan(Date.now() - Date.parse(since))}</>;
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

function costText({ currency, micros, perHourMicros, atEndMicros }: JobCost): string {
  const parts = [`${spellMoney(micros, currency)} so far`];
  if (BigInt(perHourMicros) > 0n) parts.push(`${spellMoney(perHourMicros, currency)} an hour`);
  if (atEndMicros !== undefined) parts.push(`${spellMoney(atEndMicros, currency)} at its end`);
  return parts.join(", ");
}
