import type { Moment } from "@tessera/wire";
import { useEffect, useState } from "react";
import { wordsOf } from "../../api/call.ts";
import { Button, Notice } from "../../design/parts.tsx";
import { useTick } from "../../design/tick.ts";
import { spellDay } from "../../format/times.ts";
import { zoneName } from "../../format/zone.ts";
import { useAddress } from "../../frame/address.ts";

const minute = 60_000;
const hour = 60 * minute;
/** A hand that moves the bar stops for as long before the moment is read. */
const settleMs = 200;
/** Until the server has said how far back the past is kept. */
const usualSpan = 24 * hour;

/** Finer ones a hand cannot set. */
const stepsOfBar = 2_000;

const steps = [
  ["−1 h", -hour],
  ["−10 min", -10 * minute],
  ["+10 min", 10 * minute],
  ["+1 h", hour],
] as const;

/** The button that leads into the past. */
export function LookBack() {
  const [, set] = useAddress();
  return <Button onClick={() => set({ at: new Date(Date.now() - hour).toISOString() })}>Look back</Button>;
}

interface TimeBarProps {
  readonly asked: string;
  readonly moment: Moment | undefined;
  readonly error: Error | null;
}

/** A bar from the earliest moment that is kept until now; what it stands at is what the page shows. */
export function TimeBar({ asked, moment, error }: TimeBarProps) {
  useTick(5_000);
  const [, set] = useAddress();
  const now = Date.now();
  const oldest = moment === undefined ? now - usualSpan : Date.parse(moment.oldest);
  const within = (at: number) => Math.min(now, Math.max(oldest, at));
  const [at, setAt] = useState(() => Date.parse(asked) || now);
  useEffect(() => setAt(Date.parse(asked) || Date.now()), [asked]);
  useEffect(() => {
    if (at === Date.parse(asked)) return;
    const settled = setTimeout(() => set({ at: new Date(at).toISOString() }), settleMs);
    return () => clearTimeout(settled);
  }, [at, asked, set]);
  return (
    <section className="card time-bar" aria-label="Moment">
      <div className="row wrap">
        <strong>{spellDay(at)}</strong>
        <span className="quiet small">
          {moment === undefined || moment.at !== asked ? "is being read" : `row ${moment.row} of the journal`},{" "}
          {zoneName()}
        </span>
        <span className="grow" />
        {steps.map(([label, ms]) => (
          <Button key={label} small onClick={() => setAt(within(at + ms))}>
            {label}
          </Button>
        ))}
        <Button small kind="primary" onClick={() => set({ at: undefined })}>
          Now
        </Button>
      </div>
      <input
        type="range"
        aria-label="Moment"
        aria-valuetext={spellDay(at)}
        min={oldest}
        max={now}
        step={Math.max(1_000, Math.round((now - oldest) / stepsOfBar))}
        value={within(at)}
        onChange={(event) => setAt(Number(event.target.value))}
      />
      <div className="row apart quiet small">
        <span>{spellDay(oldest)}</span>
        <span>now</span>
      </div>
      {error !== null && <Notice kind="warn">{wordsOf(error)}</Notice>}
    </section>
  );
}
