import {
  holdersOf,
  type Instant,
  type Invoice,
  isRefusal,
  type Period,
  type ReadonlyState,
  shareOut,
} from "@tessera/core";
import type { RatedPeriod } from "./bill.ts";
import { periodNamed } from "./periods.ts";

/** A month of one tenant: where its name had another one in the same month, the part in which the name was its own. */
export interface TenantMonth {
  /** Which of the tenants that had the name, counted from 1. */
  readonly no: number;
  readonly isFormer: boolean;
  readonly mode: Invoice["mode"];
  /** What was recorded under the name before is of another tenant. */
  readonly sinceAt: Instant;
  /** The month itself, or the part, which has a label of its own if another part follows: `2026-11~1`. */
  readonly period: Period;
}

/** A month by the tenants that had a name in it, in order of time; nearly always there is one. */
export function tenantMonths(state: ReadonlyState, tenant: string, month: Period): TenantMonth[] {
  const all = holdersOf(state, tenant);
  const there = all.filter(({ fromAt, toAt }) => fromAt < month.toAt && toAt > month.fromAt);
  return there.map(({ no, mode, fromAt, toAt }, i) => {
    const label = i === there.length - 1 ? month.label : `${month.label}~${no}`;
    const part = { fromAt: Math.max(month.fromAt, fromAt), toAt: Math.min(month.toAt, toAt), zone: month.zone };
    const period = there.length === 1 ? month : { label, ...part };
    return { no, isFormer: no < all.length, mode, sinceAt: fromAt, period };
  });
}

/** The month that an invoice is of, or of a part of which. */
export function monthOf(period: Period): Period {
  const month = periodNamed(monthLabel(period.label), period.zone);
  return isRefusal(month) ? period : month;
}

/** `2026-11` of `2026-11~1`. */
export function monthLabel(label: string): string {
  return label.replace(/~\d+$/, "");
}

/** The same, rated. `whole` is the month as it is rated for all tenants; parts of it are rated by `rate`. */
export async function ratedMonths<Rated extends RatedPeriod>(
  state: ReadonlyState,
  tenant: string,
  month: Period,
  whole: Rated,
  rate: (period: Period) => Promise<Rated>,
): Promise<(TenantMonth & { readonly rated: Rated })[]> {
  const parts = tenantMonths(state, tenant, month);
  if (parts.length === 1) return [{ ...parts[0]!, rated: whole }];
  const rated: Rated[] = [];
  for (const { period } of parts) rated.push(await rate(period));
  const shared = withIdleOf(whole, tenant, rated);
  return parts.map((part, i) => ({ ...part, rated: { ...rated[i]!, shared: shared[i]! } }));
}

type SharedLines = RatedPeriod["shared"];

/**
 * Idle GPUs are shared among tenants for a month as a whole. So that what all tenants pay still adds up to it, the share
 * of a name is divided by what its parts alone would come to.
 */
function withIdleOf(whole: RatedPeriod, tenant: string, parts: readonly RatedPeriod[]): SharedLines[] {
  const isOwn = ({ kind, tenant: of }: SharedLines[number]) => kind === "idle" && of === tenant;
  const found = parts.map(({ shared }) => shared.filter((each) => !isOwn(each)));
  for (const share of whole.shared.filter(isOwn)) {
    const inPart = ({ shared }: RatedPeriod) =>
      shared.find((each) => isOwn(each) && each.model === share.model && each.version === share.version);
    const micros = shareOut(
      share.micros ?? 0n,
      parts.map((part) => inPart(part)?.micros ?? 0n),
    );
    for (const [i, lines] of found.entries()) if (micros[i] !== 0n) lines.push({ ...share, micros: micros[i]! });
  }
  return found;
}
