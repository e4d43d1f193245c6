import { type Account, type ReadonlyState, rootAccount } from "@tessera/core";
import { type JournalMetric, journalMetrics, type SeriesGroup, type SeriesView, seriesMetrics } from "@tessera/wire";
import { Outage } from "../../flow/control.ts";
import type { LineName } from "../../flow/series/lines.ts";
import type { AccountGroup, RollUpAnswer, RollUpQuery } from "../../flow/series/query.ts";
import { linesMax, type SeriesSpan } from "../../flow/telemetry/series.ts";
import { type Denial, deny } from "../answer/problem.ts";
import type { Api, Call } from "../context.ts";

type Kind = RollUpQuery["kind"];

/** Under which name each metric is rolled up, and what its values are. */
const kept: Readonly<Record<JournalMetric, { readonly name: LineName; readonly kind: Kind; readonly key?: string }>> = {
  capacity: { name: "capacity", kind: "gauge" },
  reserved: { name: "reserved", kind: "gauge" },
  idle: { name: "idle", kind: "gauge" },
  down: { name: "down", kind: "gauge" },
  largest_gang: { name: "largest", kind: "gauge" },
  fragmentation: { name: "fragmentation", kind: "gauge" },
  allocated: { name: "allocated", kind: "gauge" },
  borrowed: { name: "allocated", kind: "gauge", key: "burst" },
  waiting: { name: "waiting", kind: "gauge" },
  guarantee: { name: "guarantee", kind: "gauge" },
  max: { name: "max", kind: "gauge" },
  lent: { name: "lent", kind: "gauge" },
  wait_p50: { name: "waits", kind: { quantile: 0.5 } },
  wait_p90: { name: "waits", kind: { quantile: 0.9 } },
  starts: { name: "starts", kind: "counter" },
  ends: { name: "ends", kind: "counter" },
  preemptions: { name: "preemptions", kind: "counter" },
};

interface Asked extends SeriesSpan {
  readonly metric: JournalMetric;
  readonly by: SeriesGroup;
}

/** What the journal says of the accounts that the caller may see, and of the fleet. */
export async function readJournalSeries(
  api: Api,
  { query, target }: Call<"readSeries">,
  { metric, by, ...span }: Asked,
): Promise<SeriesView | Denial> {
  const { by: groups, ofFleet } = journalMetrics[metric];
  const known: readonly SeriesGroup[] = groups;
  if (!known.includes(by))
    return deny("invalid", `does not split ${metric}`, `give one of ${known.join(", ")}`, "by", by);
  for (const field of ["job", "node", "gpu"] as const)
    if (query[field] !== undefined)
      return deny(
        "invalid",
        `does not narrow ${metric}`,
        "leave it out: the journal counts by account",
        field,
        query[field],
      );
  if (ofFleet && query.account !== undefined)
    return deny(
      "invalid",
      `does not narrow ${metric}`,
      "leave it out: this is of the whole fleet",
      "account",
      query.account,
    );
  const { state } = api.control;
  const shown = ofFleet ? fleetGroup(state) : by === "account" ? accountGroups(state, target) : oneGroup(target);
  const byKey = by !== "none" && by !== "account";
  const ask = {
    ...keptAs(metric, by),
    ...{ groups: shown.map(({ group }) => group), byKey, ...span, linesMax },
  };
  const answer = await (api.series?.read(ask) ?? Promise.resolve(nothing(span))).catch((error: Error) => {
    if (error instanceof Outage) return error;
    throw error;
  });
  if (answer instanceof Outage) return deny("unavailable", answer.message, "try again in a while", "metric", metric);
  const labels = new Map(shown.map(({ group, label }) => [group.key, label]));
  const { stepMs, times, lines, leftOut } = answer;
  const series = lines.map(({ key, values }) => ({
    key,
    label: (byKey ? key : labels.get(key)) ?? key,
    values: [...values],
  }));
  const { from, to } = span;
  return { metric, unit: seriesMetrics[metric], by, from, to, stepMs, times: [...times], series, leftOut };
}

/** Splits by model and level are rolled up by themselves where they are no parts of a sum. */
function keptAs(metric: JournalMetric, by: SeriesGroup): (typeof kept)[JournalMetric] {
  if (metric === "allocated" && by === "model") return { name: "allocated.model", kind: "gauge" };
  if (metric === "fragmentation" && by === "model") return { name: "fragmentation.model", kind: "gauge" };
  if (metric !== "largest_gang" || by === "none") return kept[metric];
  return { name: by === "model" ? "largest.model" : "largest.level", kind: "gauge" };
}

interface Shown {
  readonly group: AccountGroup;
  readonly label: string;
}

function fleetGroup({ accounts }: ReadonlyState): Shown[] {
  return [{ group: { key: "", plus: [accounts[rootAccount]?.id ?? ""], minus: [] }, label: "all" }];
}

/** Accounts count what is below them, so those at the top are enough. */
function oneGroup(roots: readonly Account[]): Shown[] {
  return [{ group: { key: "", plus: roots.map(({ id }) => id), minus: [] }, label: "all" }];
}

/** A line for each account right below the ones asked for, and one for what is in those themselves. */
function accountGroups(state: ReadonlyState, roots: readonly Account[]): Shown[] {
  return roots.flatMap((root) => {
    const below = [...root.children].flatMap((no) => state.accounts[no] ?? []);
    const own = { key: root.id, plus: [root.id], minus: below.map(({ id }) => id) };
    return [
      ...below.map(({ id, path }) => ({ group: { key: id, plus: [id], minus: [] }, label: path })),
      { group: own, label: root.path === "" ? "the platform itself" : root.path },
    ];
  });
}

function nothing({ stepMs }: SeriesSpan): RollUpAnswer {
  return { stepMs, times: [], lines: [], leftOut: 0 };
}
