import { Choice } from "../design/choice.tsx";
import { Button } from "../design/parts.tsx";
import { spellClock } from "../format/times.ts";
import { moved, type RangeName, rangeNames, useRange } from "./range.ts";

/** Chooses the time that all charts of the page show. */
export function RangeBar({ usual = "1d" }: { usual?: RangeName }) {
  const { range, choose, compares, compare } = useRange(usual);
  const name = "name" in range ? range.name : undefined;
  return (
    <fieldset className="range-bar" aria-label="Time shown">
      <Button small aria-label="Earlier" onClick={() => choose(moved(range, -1))}>
        ←
      </Button>
      <Choice of={rangeNames} chosen={name} onChoose={(each) => choose({ name: each })} />
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
    </fieldset>
  );
}
