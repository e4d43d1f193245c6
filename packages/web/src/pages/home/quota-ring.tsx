import type { Account } from "@tessera/wire";
import { Link } from "wouter";
import { spellGpus, spellNumber } from "../../format/numbers.ts";
import { amountOf } from "../quota/amounts.ts";

const size = 72;
const radius = 28;
const round = 2 * Math.PI * radius;

/** The used part of the guarantee of the user's account, and what it borrows. */
export function QuotaRing({ account: mine }: { account: Account }) {
  const guarantee = amountOf(mine.guarantee);
  const { gpus, borrowed } = mine.used;
  const whole = Math.max(guarantee, gpus, 1);
  const used = gpus - borrowed;
  return (
    <div className="card figure" style={{ flexDirection: "row", alignItems: "center", gap: 16 }}>
      <svg
        width={size}
        height={size}
        viewBox={`0 0 ${size} ${size}`}
        role="img"
        aria-label={`${spellGpus(used)} of ${spellGpus(guarantee)} guaranteed are used, ${spellGpus(borrowed)} are borrowed`}
      >
        <g fill="none" strokeWidth="9" transform={`rotate(-90 ${size / 2} ${size / 2})`}>
          <circle cx={size / 2} cy={size / 2} r={radius} stroke="var(--sunken)" />
          <circle
            cx={size / 2}
            cy={size / 2}
            r={radius}
            stroke="var(--guaranteed)"
            strokeDasharray={`${(round * used) / whole} ${round}`}
          />
          <circle
            cx={size / 2}
            cy={size / 2}
            r={radius}
            stroke="var(--burst)"
            strokeDasharray={`${(round * borrowed) / whole} ${round}`}
            strokeDashoffset={`${(-round * used) / whole}`}
          />
        </g>
      </svg>
      <div>
        <span className="label">
          Quota of <Link href={`/quota/${mine.path}`}>{mine.path}</Link>
        </span>
        <div style={{ fontSize: 20, fontWeight: 600 }}>
          {spellNumber(used)} of {spellGpus(guarantee)}
        </div>
        <span className="beside">
          {borrowed > 0 ? `and ${spellGpus(borrowed)} borrowed, can be reclaimed` : "guaranteed; none borrowed"}
        </span>
      </div>
    </div>
  );
}
