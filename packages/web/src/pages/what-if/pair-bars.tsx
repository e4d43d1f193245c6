import { Card } from "../../design/parts.tsx";
import type { PairRow } from "./report-view.ts";

interface PairBarsProps {
  readonly title: string;
  readonly rows: readonly PairRow[];
  readonly spell: (value: number) => string;
}

/** Two bars for each row, as it was above as it would have been, all on one scale; the numbers stand beside them. */
export function PairBars({ title, rows, spell }: PairBarsProps) {
  const widest = Math.max(1e-9, ...rows.flatMap(({ before, after }) => [before, after]));
  const width = (value: number) => `${(100 * value) / widest}%`;
  return (
    <Card className="span-6" title={title}>
      {rows.length === 0 ? (
        <p className="quiet">None in this time, with or without the change.</p>
      ) : (
        <ul className="pair-bars">
          {rows.map(({ label, before, after }) => (
            <li key={label}>
              <span className="cut" title={label}>
                {label}
              </span>
              <span className="stack">
                <span className="row">
                  <span className="bar" aria-hidden="true">
                    <span className="part before" style={{ left: 0, width: width(before) }} />
                  </span>
                  <span className="small nowrap">
                    <span className="hidden-text">as it was </span>
                    {spell(before)}
                  </span>
                </span>
                <span className="row">
                  <span className="bar" aria-hidden="true">
                    <span className="part used" style={{ left: 0, width: width(after) }} />
                  </span>
                  <span className="small nowrap">
                    <span className="hidden-text">changed </span>
                    <strong>{spell(after)}</strong>
                  </span>
                </span>
              </span>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}
