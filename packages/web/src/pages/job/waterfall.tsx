import type { WaitReason } from "@tessera/wire";
import { waitingReasons } from "@tessera/wire/reasons";
import { Fragment } from "react";
import { Link } from "wouter";
import { Time } from "../../design/parts.tsx";
import { isNear, spellClock } from "../../format/times.ts";
import { amountsOf, waterfall } from "./why.ts";

/** The checks in the order in which they are made, down to the one that keeps the job waiting. */
export function Waterfall({ reason }: { reason: WaitReason | undefined }) {
  return (
    <ol className="waterfall">
      {waterfall(reason).map(({ kind, result, text }) => (
        <li key={kind} className={result}>
          <span className="sign" aria-hidden="true">
            {result === "passed" ? "✓" : result === "failing" ? "✗" : "·"}
          </span>
          <span className="kind">{waitingReasons[kind].check}</span>
          <span className="text">
            {result === "open" ? <span className="hidden-text">not checked yet</span> : text}
            {result === "failing" && <Particulars reason={reason!} />}
          </span>
        </li>
      ))}
    </ol>
  );
}

/** The amounts beside each other, when it ends, and which jobs it waits for. */
function Particulars({ reason }: { reason: WaitReason }) {
  const amounts = amountsOf(reason);
  const most = Math.max(1, ...amounts.map(({ value }) => value));
  const { until, waitsFor = [] } = reason;
  return (
    <>
      {amounts.length > 1 && (
        <span className="asked">
          {amounts.map(({ label, value, text, tone }) => (
            <span key={label}>
              {label} <i style={{ width: `${(100 * value) / most}%` }} className={tone} /> {text}
            </span>
          ))}
        </span>
      )}
      {until !== undefined && (
        <span className="particular">
          until {spellClock(until)}
          {isNear(until) && (
            <>
              {" "}
              (<Time at={until} />)
            </>
          )}
        </span>
      )}
      {waitsFor.length > 0 && (
        <span className="particular">
          {waitsFor.map(({ id, name, state }, i) => (
            <Fragment key={id}>
              {i > 0 && ", "}
              <Link href={`/jobs/${id}`}>{name}</Link> <span className="quiet">({state})</span>
            </Fragment>
          ))}
        </span>
      )}
    </>
  );
}
