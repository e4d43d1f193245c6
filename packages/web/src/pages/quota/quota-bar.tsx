import { spellGpus } from "../../format/numbers.ts";

interface QuotaBarProps {
  readonly guarantee: number;
  readonly used: number;
  readonly borrowed: number;
  readonly max: number | undefined;
  readonly widest: number;
}

/** The guarantee as an outline, its used part solid, the borrowed part hatched, the max as a tick. */
export function QuotaBar({ guarantee, used, borrowed, max, widest }: QuotaBarProps) {
  const own = used - borrowed;
  const label = `${spellGpus(own)} of ${spellGpus(guarantee)} guaranteed used, ${spellGpus(borrowed)} borrowed${max === undefined ? "" : `, at most ${spellGpus(max)}`}`;
  return <Bar {...{ label, guarantee, solid: own, hatched: borrowed, max, widest }} />;
}

interface ClassBarProps {
  readonly guarantee: number;
  readonly held: number;
  readonly burst: number;
  readonly widest: number;
}

/** What is held by class: the guaranteed part solid, burst hatched, the account's own guarantee as an outline. */
export function ClassBar({ guarantee, held, burst, widest }: ClassBarProps) {
  const own = guarantee > 0 ? spellGpus(guarantee) : "none";
  const label = `${spellGpus(held - burst)} guaranteed, ${spellGpus(burst)} burst; its own guarantee: ${own}`;
  return <Bar {...{ label, guarantee, solid: held - burst, hatched: burst, max: undefined, widest }} />;
}

interface BarProps {
  readonly label: string;
  readonly guarantee: number;
  readonly solid: number;
  readonly hatched: number;
  readonly max: number | undefined;
  readonly widest: number;
}

function Bar({ label, guarantee, solid, hatched, max, widest }: BarProps) {
  const place = (gpus: number) => `${Math.min(100, (100 * gpus) / widest)}%`;
  return (
    <div className="bar" role="img" aria-label={label} title={label}>
      <div className="part used" style={{ left: 0, width: place(solid) }} />
      <div className="part borrowed" style={{ left: place(solid), width: place(hatched) }} />
      {guarantee > 0 && <div className="part floor" style={{ left: 0, width: place(guarantee) }} />}
      {max !== undefined && <div className="part tick" style={{ left: `calc(${place(max)} - 2px)` }} />}
    </div>
  );
}
