import { type Account, currencyOf, day, isRefusal, type ReadonlyState } from "@tessera/core";
import { type SeriesGroup, type SeriesView, seriesMetrics, spendGroups } from "@tessera/wire";
import { othersKey } from "@tessera/wire/others";
import { may } from "../../access/policy.ts";
import { costOfJobBy } from "../../flow/bill/job-cost.ts";
import { spendByDay } from "../../flow/bill/spend.ts";
import { findJob } from "../../flow/find/find-job.ts";
import { reportSpan } from "../../flow/meter/usage.ts";
import { linesMax, seriesSpan } from "../../flow/telemetry/series.ts";
import { isWithin } from "../../store/paths.ts";
import { type Denial, deny, forbidden, notFound } from "../answer/problem.ts";
import type { Api, Call } from "../context.ts";
import { checkScope } from "../guard/authorise.ts";
import { ownLabel } from "./journal-series.ts";

/** Money by day of the accounts whose costs the caller may see, or of one job over its time. */
export async function readSpendSeries(api: Api, call: Call<"readSeries">, by: SeriesGroup) {
  return call.query.job === undefined ? ofAccounts(api, call, by) : ofJob(api, call, call.query.job, by);
}

async function ofAccounts(
  { control }: Api,
  { query, target, principal }: Call<"readSeries">,
  by: SeriesGroup,
): Promise<SeriesView | Denial> {
  const { state } = control;
  const group = spendGroups.find((each) => each === by);
  if (group === undefined)
    return deny("invalid", "does not split spend", `give one of ${spendGroups.join(", ")}`, "by", by);
  const field = narrowed(query);
  if (field !== undefined)
    return deny("invalid", "does not narrow spend", "leave it out: money is of accounts", field, query[field]);
  const outside = checkScope(principal, { action: "cost.read" });
  if (outside !== undefined) return outside;
  const seen = target.filter(({ no }) => may(state, principal.user, "cost.read", no));
  if (seen.length === 0) return forbidden("cost.read");
  const now = control.now();
  const asked = reportSpan(query.from, query.to, now, state.policy, "day");
  if (isRefusal(asked)) return asked;
  // Days are rated as a whole.
  const span = { from: Math.floor(asked.from / day) * day, to: asked.to };
  const account = accountIn(seen.map(({ path }) => path));
  const keyOf = { none: () => "", model: modelOf, class: kindOf, account }[group];
  const { times, lines } = await spendByDay(control, { ...span, accounts: seen, keyOf }, now);
  const series = within(lines).map(({ key, micros }) => ({
    ...labelled(state, seen, group, key),
    values: micros.map(Number),
  }));
  const about = { metric: "spend", unit: seriesMetrics.spend, by, currency: currencyOf(state.books.versions) } as const;
  return { ...about, ...span, stepMs: day, times: [...times], series, leftOut: 0 };
}

function narrowed(query: Call<"readSeries">["query"]): "node" | "gpu" | undefined {
  return (["node", "gpu"] as const).find((field) => query[field] !== undefined);
}

/** Each step reads all that the job used. */
const jobSteps = 120;

/** What a job cost in each step, by the class it had, as its page says: steps add up to what it has cost. */
async function ofJob(
  api: Api,
  { query, principal }: Call<"readSeries">,
  name: string,
  by: SeriesGroup,
): Promise<SeriesView | Denial> {
  if (by !== "none") return deny("invalid", "does not split the spend of a job", "leave it out", "by", by);
  const field = narrowed(query);
  if (field !== undefined)
    return deny("invalid", "does not narrow the spend of a job", "leave it out", field, query[field]);
  // The cost of a job is told with the job.
  const outside = checkScope(principal, { action: "job.read" });
  if (outside !== undefined) return outside;
  const found = await findJob(api, principal.user, name);
  if (found === undefined) return notFound("job", name, "See: tess ps --all");
  if ("several" in found)
    return deny("ambiguous", "is the name of several live jobs", "name one of them by its id", "job", name);
  const { state, reader } = api.control;
  const now = api.control.now();
  const { from: since, to: until, step } = query;
  const asked = { ...(since && { from: since }), ...(until && { to: until }), ...(step && { step }) };
  const span = seriesSpan(asked, now);
  if (isRefusal(span)) return span;
  const { from, to } = span;
  const stepMs = Math.max(span.stepMs, Math.ceil((to - from) / jobSteps));
  const times = Array.from({ length: Math.ceil((to - from) / stepMs) }, (_, no) => from + no * stepMs);
  const live = "live" in found && !("size" in found.live) ? found.live : undefined;
  const id = "live" in found ? found.live.id : found.ended.id;
  const costed = { id, account: found.account.path, ...(live && { live }) };
  const sums = await costOfJobBy(reader, state, costed, [from, ...times.map((at) => Math.min(to, at + stepMs))], now);
  const values = times.map((_, no) => Number((sums[no + 1] ?? 0n) - (sums[no] ?? 0n)));
  const about = { metric: "spend", unit: seriesMetrics.spend, by, currency: currencyOf(state.books.versions) } as const;
  const series = sums.length === 0 ? [] : [{ key: "", label: "all", values }];
  return { ...about, from, to, stepMs, times, series, leftOut: 0 };
}

interface SpendLine {
  readonly key: string;
  readonly micros: readonly bigint[];
}

/** Money must add up: what is beyond the most lines is one line. */
function within(lines: readonly SpendLine[]): readonly SpendLine[] {
  if (lines.length <= linesMax) return lines;
  const rest = lines.slice(linesMax - 1);
  const micros = rest[0]!.micros.map((_, at) => rest.reduce((sum, line) => sum + line.micros[at]!, 0n));
  return [...lines.slice(0, linesMax - 1), { key: othersKey, micros }];
}

function labelled(
  state: ReadonlyState,
  roots: readonly Account[],
  group: (typeof spendGroups)[number],
  key: string,
): { readonly key: string; readonly label: string } {
  if (group === "none") return { key: "", label: "all" };
  if (group === "account" && key !== othersKey) {
    const account = state.accountByPath.get(key);
    const hasBelow = account !== undefined && account.children.length > 0 && roots.includes(account);
    return { key: account?.id ?? key, label: ownLabel(key, hasBelow) };
  }
  if (key === othersKey) return { key, label: "others" };
  return { key, label: key === "" ? "no GPU" : group === "model" && key === "*" ? "any model" : key };
}

function modelOf({ model }: { readonly model: string }): string {
  return model;
}

function kindOf({ kind }: { readonly kind: string }): string {
  return kind;
}

/** The account right below one of these, or the one itself. */
function accountIn(roots: readonly string[]): (line: { readonly account: string }) => string {
  return ({ account }) => {
    const root = roots.find((path) => isWithin(account, path)) ?? "";
    if (account === root) return root;
    const begin = root === "" ? 0 : root.length + 1;
    const end = account.indexOf("/", begin);
    return end < 0 ? account : account.slice(0, end);
  };
}
