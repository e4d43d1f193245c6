import type { Explanation } from "@tessera/wire";
import { count, spellNumber } from "../../format/numbers.ts";
import { spellClock, spellStart } from "../../format/times.ts";
import { startSpan } from "./why.ts";

const bases: Readonly<Record<NonNullable<NonNullable<Explanation["start"]>["basis"]>, string>> = {
  plan: "from the time limits of running jobs",
  "run-times": "from past run times of such jobs",
  "wait-times": "from past waits of jobs of this name",
  eviction: "from the time that evicted jobs have to leave",
  price: "from the time at which its price is low enough",
  period: "from the next period of its budget or of its GPU hours",
};

/** What stands behind the planned start, on a time axis; the start itself, or why it is not known, is said above. */
export function StartLine({ why }: { why: Explanation }) {
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
      {start?.basis !== undefined && (
        <p className="quiet small">
          {`Estimated ${bases[start.basis]}${start.samples === undefined ? "" : ` (${count(start.samples, "job")})`}. `}
          {start.nodes !== undefined &&
            start.nodes.length > 0 &&
            `Planned on ${start.nodes.slice(0, 4).join(", ")}${start.nodes.length > 4 ? " …" : ""}. `}
        </p>
      )}
      {start?.missesDeadline !== undefined && (
        <p className="wrong-text small">
          It would miss its deadline, {spellClock(start.missesDeadline)}, and is given up then.
        </p>
      )}
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
