import { type FormEvent, useState } from "react";
import { Choice } from "../design/choice.tsx";
import { TimeField } from "../design/inputs.tsx";
import { Button } from "../design/parts.tsx";
import { spellClock } from "../format/times.ts";
import { lengthOf, moved, type Range, type RangeName, rangeBetween, rangeNames, useRange } from "./range.ts";

/** Chooses the time that all charts of the page show. */
export function RangeBar({ usual = "1d" }: { usual?: RangeName }) {
  const { range, choose, compares, compare } = useRange(usual);
  const [typing, setTyping] = useState(false);
  const name = "name" in range ? range.name : undefined;
  const chooseTyped = (next: Range) => {
    choose(next);
    setTyping(false);
  };
  return (
    <fieldset className="range-bar" aria-label="Time shown">
      <Button small aria-label="Earlier" onClick={() => choose(moved(range, -1))}>
        ←
      </Button>
      <Choice of={rangeNames} chosen={name} onChoose={(each) => choose({ name: each })} />
      <button
        type="button"
        className="chip"
        aria-pressed={name === undefined}
        aria-expanded={typing}
        onClick={() => setTyping(!typing)}
      >
        custom
      </button>
      <Button small aria-label="Later" disabled={name !== undefined} onClick={() => choose(moved(range, 1))}>
        →
      </Button>
      {"from" in range && (
        <span className="small quiet">
          {spellClock(new Date(range.from).toISOString())} to {spellClock(new Date(range.to).toISOString())}
        </span>
      )}
      <label className="row small">
        <input type="checkbox" checked={compares} onChange={(event) => compare(event.target.checked)} />
        period before
      </label>
      {typing && <Typed range={range} onChoose={chooseTyped} onClose={() => setTyping(false)} />}
    </fieldset>
  );
}

/** The range as two times that are typed. It begins with the one that is shown. */
function Typed(props: { range: Range; onChoose: (range: Range) => void; onClose: () => void }) {
  const { range, onChoose, onClose } = props;
  const shown = "name" in range ? { from: Date.now() - lengthOf(range), to: Date.now() } : range;
  const [from, setFrom] = useState(new Date(shown.from).toISOString());
  const [to, setTo] = useState(new Date(shown.to).toISOString());
  const [asked, setAsked] = useState(false);
  const typed = rangeBetween(from, to, Date.now());
  const wrong = asked && "why" in typed ? typed : undefined;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setAsked(true);
    if (!("why" in typed)) onChoose(typed);
  };
  return (
    <form className="typed-range" noValidate onSubmit={submit}>
      <TimeField label="From" value={from} onChange={setFrom} wrong={wrong?.end === "from" ? wrong.why : undefined} />
      <TimeField label="To" value={to} onChange={setTo} wrong={wrong?.end === "to" ? wrong.why : undefined} />
      <Button type="submit" small kind="primary">
        Show
      </Button>
      <Button small onClick={onClose}>
        Close
      </Button>
    </form>
  );
}
