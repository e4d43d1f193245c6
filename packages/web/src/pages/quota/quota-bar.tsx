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
  const place = (gpus: number) => `${Math.min(100, (100 * gpus) / widest)}%`;
  const own = used - borrowed;
  const label = `${spellGpus(own)} of ${spellGpus(guarantee)} guaranteed used, ${spellGpus(borrowed)} borrowed${max === undefined ? "" : `, at most ${spellGpus(max)}`}`;
  return (
    <div className="bar" role="img" aria-label={label} title={label}>
      <div className="part used" style={{ left: 0, width: place(own) }} />
      <div
        className="part borrowed"
        style={{ left: place(Math.max(own, Math.min(guarantee, own))), width: place(borrowed) }}
      />
      {guarantee > 0 && <div className="part floor" style={{ left: 0, width: place(guarantee) }} />}
      {max !== undefined && <div className="part tick" style={{ left: `calc(${place(max)} - 2px)` }} />}
    </div>
  );
}
