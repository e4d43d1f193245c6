import type { Account } from "@tessera/wire";
import { Link } from "wouter";
import { spellGpus } from "../../format/numbers.ts";
import { amountOf } from "../quota/amounts.ts";
import { guarantorOf, useGuarantors, wordsOfQuota } from "./guarantor.ts";

const size = 72;
const radius = 28;
const round = 2 * Math.PI * radius;

interface RingProps {
  readonly account: Account;
  /** The GPUs that it and all below it hold, by class. */
  readonly held: { readonly guaranteed: number; readonly burst: number };
}

/** What the user's account holds: the part that is guaranteed, and the part that can be taken back. */
export function QuotaRing({ account: mine, held: { guaranteed, burst } }: RingProps) {
  const guarantors = useGuarantors(mine);
  const within = amountOf(guarantorOf(guarantors, guaranteed)?.guarantee);
  const whole = Math.max(within, guaranteed + burst, 1);
  const { title, about } = wordsOfQuota(guarantors, guaranteed, burst);
  return (
    <div className="card figure" style={{ flexDirection: "row", alignItems: "center", gap: 16 }}>
      <svg
        width={size}
        height={size}
        viewBox={`0 0 ${size} ${size}`}
        role="img"
        aria-label={`${spellGpus(guaranteed)} guaranteed, ${spellGpus(burst)} burst`}
      >
        <g fill="none" strokeWidth="9" transform={`rotate(-90 ${size / 2} ${size / 2})`}>
          <circle cx={size / 2} cy={size / 2} r={radius} stroke="var(--sunken)" />
          <circle
            cx={size / 2}
            cy={size / 2}
            r={radius}
            stroke="var(--guaranteed)"
            strokeDasharray={`${(round * guaranteed) / whole} ${round}`}
          />
          <circle
            cx={size / 2}
            cy={size / 2}
            r={radius}
            stroke="var(--burst)"
            strokeDasharray={`${(round * burst) / whole} ${round}`}
            strokeDashoffset={`${(-round * guaranteed) / whole}`}
          />
        </g>
      </svg>
      <div>
        <span className="label">
          Quota of <Link href={`/quota/${mine.path}`}>{mine.path}</Link>
        </span>
        <div style={{ fontSize: 20, fontWeight: 600 }}>{title}</div>
        <span className="beside">{about}</span>
      </div>
    </div>
  );
}
