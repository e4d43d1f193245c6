import type { Job } from "@tessera/wire";
import { useTick } from "../../design/tick.ts";
import { spellClock, spellSpan } from "../../format/times.ts";
import { type PhaseKind, phasesOf } from "./phases.ts";

/** What each phase is called in its bar. */
export const phaseNames: Readonly<Record<PhaseKind, string>> = {
  queue: "waited",
  start: "started",
  run: "ran",
  stop: "stopping",
};

/** The phases from an instant on, on the same axis as the charts below. */
export function PhasesOnAxis({ job, from, to }: { job: Job; from: number; to: number | undefined }) {
  useTick(5_000);
  const all = phasesOf(job, Date.now());
  const end = to ?? all.at(-1)?.to ?? from;
  const phases = all.filter((phase) => phase.to > from && phase.from < end);
  const share = (at: number) => (100 * (Math.min(end, Math.max(from, at)) - from)) / Math.max(1, end - from);
  const clock = (at: number) => spellClock(new Date(at).toISOString());
  return (
    <div className="on-axis">
      <ol className="phases at" aria-label="Phases on the axis of the charts">
        {phases.map((phase) => (
          <li
            key={`${phase.kind} ${phase.from}`}
            className={phase.kind}
            style={{ left: `${share(phase.from)}%`, width: `${share(phase.to) - share(phase.from)}%` }}
            title={`${phase.label}: ${clock(phase.from)} to ${clock(phase.to)}`}
          >
            <span>
              {phaseNames[phase.kind]} {spellSpan(phase.to - phase.from)}
            </span>
          </li>
        ))}
      </ol>
      <div className="row apart quiet small">
        <span>{clock(from)}</span>
        <span>{to !== undefined || job.state === "ended" ? clock(end) : "now"}</span>
      </div>
    </div>
  );
}

/** Queue, start, run, reclaimed, queue, run … from the submit on. */
export function PhaseBar({ job }: { job: Job }) {
  useTick(1_000);
  const phases = phasesOf(job, Date.now());
  const first = phases[0];
  const last = phases.at(-1);
  if (first === undefined || last === undefined) return null;
  const whole = Math.max(1, last.to - first.from);
  const clock = (at: number) => spellClock(new Date(at).toISOString());
  return (
    <div className="card">
      <div className="body">
        <ol className="phases" aria-label="Phases">
          {phases.map(({ kind, from, to, label }) => (
            <li
              key={`${kind} ${from}`}
              className={kind}
              style={{ flexGrow: Math.max((to - from) / whole, 0.02) }}
              title={`${label}: ${clock(from)} to ${clock(to)}`}
            >
              <span>
                {phaseNames[kind]} {spellSpan(to - from)}
              </span>
            </li>
          ))}
        </ol>
        <div className="row apart quiet small">
          <span>{clock(first.from)}</span>
          <span>{job.state === "ended" ? clock(last.to) : "now"}</span>
        </div>
      </div>
    </div>
  );
}
