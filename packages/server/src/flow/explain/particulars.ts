import {
  currencyOf,
  type Instant,
  type Job,
  type ReadonlyState,
  type Reason,
  type ReasonValues,
  type User,
} from "@tessera/core";
import type { WaitReason } from "@tessera/wire";
import { may } from "../../access/policy.ts";
import { timestamp } from "../../render/quantities.ts";
import { budgetStandings } from "../bill/budget.ts";
import { creditStandings } from "../bill/credit.ts";
import type { ControlPlane } from "../control.ts";

/** What only the explanation of one job tells of its reason: amounts of money, and which jobs leave for it. */
export async function particularsOf(
  control: ControlPlane,
  user: User,
  job: Job,
  reason: Reason,
): Promise<Pick<WaitReason, "money" | "until" | "waitsFor">> {
  switch (reason.kind) {
    case "budget":
      return reason.values.of === "budget"
        ? budgetOf(control, user, reason.values.account, control.now())
        : creditOf(control, user, reason.values.account, control.now());
    case "price":
      return priceOf(reason.values);
    case "evicting":
      return { waitsFor: leavingFor(control.state, user, job) };
    default:
      return {};
  }
}

/** What was spent of a budget, and when its next period begins; to callers who may read it. */
async function budgetOf(control: ControlPlane, user: User, path: string, now: Instant) {
  const { state } = control;
  const account = state.accountByPath.get(path);
  const budget = state.books.budgets.get(path);
  if (account === undefined || budget === undefined || !may(state, user, "budget.read", account.no)) return {};
  const [standing] = await budgetStandings(control, [budget], now);
  if (standing === undefined) return {};
  const { spentMicros, limitMicros, toAt } = standing;
  return {
    money: { currency: budget.currency, heldMicros: String(spentMicros), limitMicros: String(limitMicros) },
    ...(budget.every === "month" && { until: timestamp(toAt) }),
  };
}

/** What a tenant owes of its credit limit; to callers who may read its invoices. */
async function creditOf(control: ControlPlane, user: User, path: string, now: Instant) {
  const { state } = control;
  const account = state.accountByPath.get(path);
  const limit = state.books.tenants.get(path)?.creditLimitMicros;
  if (account === undefined || limit === undefined || !may(state, user, "invoice.read", account.no)) return {};
  const [standing] = await creditStandings(control, [path], now);
  if (standing === undefined) return {};
  const held = standing.owedMicros + standing.openMicros;
  return {
    money: { currency: currencyOf(state.books.versions), heldMicros: String(held), limitMicros: String(limit) },
  };
}

function priceOf({ currency, hourMicros, maxMicros }: ReasonValues["price"]) {
  if (hourMicros === undefined) return {};
  return { money: { currency, heldMicros: String(hourMicros), limitMicros: String(maxMicros) } };
}

/** How many of the jobs that leave are named. */
const leavingNamed = 3;

/** The first of the jobs that are being evicted for it, as far as the caller may see them. */
function leavingFor(state: ReadonlyState, user: User, { claim }: Job): NonNullable<WaitReason["waitsFor"]> {
  const wanted = new Set<number>(claim?.seats.flatMap(({ gpus }) => gpus) ?? []);
  const leaving = new Map<string, { id: string; name: string; state: string }>();
  for (const lease of state.leases.values()) {
    if (lease.state !== "stopping" || !lease.gpus.some((gpu) => wanted.has(gpu))) continue;
    const other = state.jobs.get(lease.job);
    if (other === undefined || !may(state, user, "job.read", other.account, other.user === user.id)) continue;
    leaving.set(other.id, { id: other.id, name: other.spec.name, state: other.state });
    if (leaving.size === leavingNamed) break;
  }
  return [...leaving.values()];
}
