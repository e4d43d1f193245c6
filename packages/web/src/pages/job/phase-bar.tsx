import type { Job } from "@tessera/wire";
import { useTick } from "../../design/tick.ts";
import { spellClock, spellSpan } from "../../format/times.ts";
import { type PhaseKind, phasesOf } from "./phases.ts";

const names: Readonly<Record<PhaseKind, string>> = { queue: "waited", start: "started", run: "ran", stop: "stopping" };

/** Queue, start, run, reclaimed, queue, run … on one time axis. */
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
                {names[kind]} {spellSpan(to - from)}
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
