import type { Job } from "@tessera/wire";
import { Fragment } from "react";
import { useTick } from "../../design/tick.ts";
import { spellSpan } from "../../format/times.ts";
import { phaseNames } from "../job/phase-bar.tsx";
import { phasesOf } from "../job/phases.ts";

/** The phases of runs below each other, on one axis that begins when each was submitted. */
export function PhasesTogether({ jobs }: { jobs: readonly Job[] }) {
  useTick(1_000);
  const now = Date.now();
  const rows = jobs.map((job) => ({ job, begun: Date.parse(job.submittedAt), phases: phasesOf(job, now) }));
  const longest = Math.max(1, ...rows.map(({ begun, phases }) => (phases.at(-1)?.to ?? begun) - begun));
  return (
    <div className="phases-together">
      {rows.map(({ job, begun, phases }, no) => (
        <Fragment key={job.id}>
          <strong>{no === 0 ? "A" : "B"}</strong>
          <ol className="phases at" aria-label={`Phases of run ${no === 0 ? "A" : "B"}`}>
            {phases.map(({ kind, from, to, label }) => (
              <li
                key={`${kind} ${from}`}
                className={kind}
                style={{ left: `${(100 * (from - begun)) / longest}%`, width: `${(100 * (to - from)) / longest}%` }}
                title={`${label}: ${spellSpan(to - from)}`}
              >
                <span>
                  {phaseNames[kind]} {spellSpan(to - from)}
                </span>
              </li>
            ))}
          </ol>
        </Fragment>
      ))}
      <div className="row apart quiet small">
        <span>submitted</span>
        <span>{spellSpan(longest)} later</span>
      </div>
    </div>
  );
}
