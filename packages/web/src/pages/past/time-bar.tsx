import { useEffect, useState } from "react";
import { wordsOf } from "../../api/call.ts";
import { useMay } from "../../api/me.tsx";
import { Chip } from "../../design/chip.tsx";
import { Button, Notice } from "../../design/parts.tsx";
import { useTick } from "../../design/tick.ts";
import { spellDay, spellSpan } from "../../format/times.ts";
import { zoneName } from "../../format/zone.ts";
import { useAddress } from "../../frame/address.ts";
import type { ShownMoment } from "./use-moment.ts";

const minute = 60_000;
const hour = 60 * minute;
/** The moment is read once the bar has rested this long. */
const settleMs = 200;
/** The bar's part to the right of now: a third of the left one, but at least this. */
const aheadMin = hour;
/** Until the server has said how far back the past is kept. */
const usualSpan = 24 * hour;

/** Shares of the bar that the left label takes, and half of a short label. */
const labelShare = 0.25;
const edgeShare = 0.03;

/** A pointer cannot set finer ones. */
const stepsOfBar = 2_000;

const steps = [
  ["−1 h", -hour],
  ["−10 min", -10 * minute],
  ["+10 min", 10 * minute],
  ["+1 h", hour],
] as const;

/** The buttons that lead into the past, and to what is planned. */
export function LookElsewhere() {
  const may = useMay();
  const [, set] = useAddress();
  if (!may("job.read")) return null;
  const go = (ms: number) => set({ at: new Date(Date.now() + ms).toISOString() }, { push: true });
  return (
    <>
      <Button onClick={() => go(-hour)}>Look back</Button>
      <Button onClick={() => go(hour)}>Look ahead</Button>
    </>
  );
}

/** A slider from the earliest kept moment to the last planned one. Its value is the moment that the page shows. */
export function TimeBar({ then: { asked = "", moment, isReading, error } }: { then: ShownMoment }) {
  useTick(5_000);
  const [, set] = useAddress();
  const now = Date.now();
  const oldest = moment === undefined ? now - usualSpan : Date.parse(moment.oldest);
  const aheadMax = moment === undefined ? usualSpan : Date.parse(moment.latest) - now - minute;
  /** The value while the slider is being moved. */
  const [hand, setHand] = useState<number>();
  // An address may say `2h`, which only the server reads.
  const at = hand ?? (Date.parse(asked) || (moment === undefined ? now : Date.parse(moment.at)));
  const aheadMs = Math.max(Math.min(aheadMax, Math.max(aheadMin, (now - oldest) / 3)), Math.min(aheadMax, at - now));
  const end = now + aheadMs;
  const nowAt = (now - oldest) / (end - oldest);
  const within = (moment: number, most = now + aheadMax) => Math.min(most, Math.max(oldest, moment));
  useEffect(() => {
    if (hand === undefined) return;
    const settled = setTimeout(() => {
      set({ at: new Date(hand).toISOString() }, { push: true });
      setHand(undefined);
    }, settleMs);
    return () => clearTimeout(settled);
  }, [hand, set]);
  return (
    <section className="card time-bar" aria-label="Moment">
      <div className="row wrap">
        <strong>{spellDay(at)}</strong>
        <span className="quiet small">
          {moment === undefined || isReading
            ? "is being read"
            : moment.planned === undefined
              ? `row ${moment.row} of the journal`
              : `in ${spellSpan(at - now)}`}
          , {zoneName()}
        </span>
        {moment?.planned !== undefined && <Chip shape="square">planned, as of now</Chip>}
        <span className="grow" />
        {steps.map(([label, ms]) => (
          <Button key={label} small onClick={() => setHand(within(at + ms))}>
            {label}
          </Button>
        ))}
        <Button small kind="primary" onClick={() => set({ at: undefined }, { push: true })}>
          Now
        </Button>
      </div>
      <input
        type="range"
        aria-label="Moment"
        aria-valuetext={spellDay(at)}
        min={oldest}
        max={end}
        step={Math.max(1_000, Math.round((end - oldest) / stepsOfBar))}
        value={within(at, end)}
        onChange={(event) => setHand(Number(event.target.value))}
      />
      <div className="ends quiet small">
        {/* Close together, the two labels would overlap. */}
        <span>{nowAt > labelShare ? spellDay(oldest) : ""}</span>
        <span style={{ left: `${100 * Math.max(nowAt, edgeShare)}%` }}>now</span>
        <span>planned</span>
      </div>
      {moment?.planned !== undefined && (
        <p className="small">
          Running jobs end when they are expected to, and waiting ones start where that is planned. What is submitted,
          fails or ends early until then is not known, so more may be free here than there will be.
        </p>
      )}
      {error !== null && <Notice kind="warn">{wordsOf(error)}</Notice>}
    </section>
  );
}
