import { type Account, type ReadonlyState, rootAccount } from "@tessera/core";
import {
  type GangLevel,
  type JournalMetric,
  journalMetrics,
  type SeriesGroup,
  type SeriesView,
  seriesMetrics,
} from "@tessera/wire";
import { formerKey, othersKey } from "@tessera/wire/others";
import { Outage } from "../../flow/control.ts";
import type { LineName } from "../../flow/series/lines.ts";
import type { AccountGroup, RollUpAnswer, RollUpQuery } from "../../flow/series/query.ts";
import { linesMax, type SeriesSpan } from "../../flow/telemetry/series.ts";
import { type Denial, deny } from "../answer/problem.ts";
import { denialOfWork } from "../away/away.ts";
import type { Api, Call } from "../context.ts";

/** Under which name something is rolled up, and which of its keys are meant: absent = all. */
interface Line {
  readonly name: LineName;
  readonly key?: string;
}

interface Metric extends Line {
  readonly kind: RollUpQuery["kind"];
  /** Whether accounts have a part of what the one above has: what is in that itself is then the rest. */
  readonly hasParts: boolean;
  /** Where another line is read for a split, because the keys of the usual one are not its parts. */
  readonly split?: { readonly [By in SeriesGroup]?: Line };
}

/** The largest gang inside one place of a level: of each model, or of the one that has most. */
function gangLine(by: SeriesGroup, level: GangLevel): Line {
  return by === "model" ? { name: `largest.${level}` } : { name: "largest.level", key: level };
}

const gauge = { kind: "gauge", hasParts: true } as const;
const counter = { kind: "counter", hasParts: true } as const;

/** What each metric is made of. */
const metrics: Readonly<Record<JournalMetric, Metric>> = {
  capacity: { name: "capacity", ...gauge },
  reserved: { name: "reserved", ...gauge },
  idle: { name: "idle", ...gauge },
  down: { name: "down", ...gauge },
  largest_gang: {
    ...{ ...gangLine("none", "fleet"), kind: "last", hasParts: false },
    split: { model: gangLine("model", "fleet"), level: { name: "largest.level" } },
  },
  fragmentation: { name: "fragmentation", kind: "quotient", hasParts: false },
  allocated: { name: "allocated", ...gauge, split: { model: { name: "allocated.model" } } },
  burst: { name: "allocated", key: "burst", ...gauge },
  waiting: { name: "waiting", ...gauge },
  guarantee: { name: "guarantee", ...gauge },
  // A limit below another one is within it, and `*` is that of all models.
  max: { name: "max", key: "*", kind: "quotient", hasParts: false, split: { model: { name: "max" } } },
  lent: { name: "lent", kind: "gauge", hasParts: false },
  wait_p50: { name: "waits", kind: { quantile: 0.5 }, hasParts: true },
  wait_p90: { name: "waits", kind: { quantile: 0.9 }, hasParts: true },
  starts: { name: "starts", ...counter },
  ends: { name: "ends", ...counter },
  preemptions: { name: "preemptions", ...counter },
};

interface Asked extends SeriesSpan {
  readonly metric: JournalMetric;
  readonly by: SeriesGroup;
}

/** What the journal says of the accounts that the caller may see, and of the fleet. */
export async function readJournalSeries(
  api: Api,
  { query, target, principal }: Call<"readSeries">,
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
  const { kind, hasParts, split, ...usual } = metrics[metric];
  const line = query.level === undefined ? (split?.[by] ?? usual) : gangLine(by, query.level);
  const shown = ofFleet
    ? fleetGroup(state)
    : by === "account" || by === "team"
      ? accountGroups(state, by === "team" ? tenantsOf(state, target) : target, hasParts)
      : oneGroup(target);
  const byKey = by !== "none" && by !== "account" && by !== "team";
  const ask = {
    ...line,
    ...{ kind, groups: shown.map(({ group }) => group), byKey, ...span, linesMax },
  };
  const reading = api.series?.read(ask, principal.user.id) ?? Promise.resolve(nothing(span));
  const answer = await reading.catch((error: Error) => {
    if (error instanceof Outage) return error;
    throw error;
  });
  if (answer instanceof Outage)
    return denialOfWork(answer) ?? deny("unavailable", answer.message, "try again in a while");
  const { stepMs, times, lines, leftOut, knownTo } = answer;
  const hasFormer = lines.some(({ key }) => key === formerKey);
  const labels = new Map(shown.map(({ group, root, label }) => [group.key, hasFormer ? (root ?? label) : label]));
  const series = lines.map(({ key, values }) => ({
    key,
    label: key === othersKey ? "others" : ((byKey ? key : labels.get(key)) ?? key),
    values: [...values],
  }));
  const { from, to } = span;
  const stillReading = knownTo === undefined ? {} : { knownTo };
  return {
    metric,
    unit: seriesMetrics[metric],
    by,
    from,
    to,
    stepMs,
    times: [...times],
    series,
    leftOut,
    ...stillReading,
  };
}

interface Shown {
  readonly group: AccountGroup;
  readonly label: string;
  /** Of an account itself: what it is called beside lines of accounts that were below it. */
  readonly root?: string;
}

function fleetGroup({ accounts }: ReadonlyState): Shown[] {
  return [{ group: { key: "", plus: [accounts[rootAccount]?.id ?? ""], minus: [] }, label: "all" }];
}

/** Accounts count what is below them, so those at the top are enough. */
function oneGroup(roots: readonly Account[]): Shown[] {
  return [{ group: { key: "", plus: roots.map(({ id }) => id), minus: [] }, label: "all" }];
}

/** The tenants, where the platform is among the accounts: what is below them are teams. */
function tenantsOf(state: ReadonlyState, roots: readonly Account[]): Account[] {
  return roots.flatMap((root) =>
    root.no === rootAccount ? [...root.children].flatMap((no) => state.accounts[no] ?? []) : root,
  );
}

/**
 * A line for each account right below the ones asked for, one for those that were below them and are deleted, and one
 * for what is in those themselves, if that is a rest.
 */
function accountGroups(state: ReadonlyState, roots: readonly Account[], hasParts: boolean): Shown[] {
  const found = roots.flatMap((root): Shown[] => {
    const below = [...root.children].flatMap((no) => state.accounts[no] ?? []);
    const ofBelow = below.map(({ id, path }) => ({ group: { key: id, plus: [id], minus: [] }, label: path }));
    if (!hasParts && below.length > 0) return ofBelow;
    const ids = below.map(({ id }) => id);
    const own = { key: root.id, plus: [root.id], minus: ids, ...(hasParts && { minusFormerOf: [root.id] }) };
    const label = ownLabel(root.path, below.length > 0);
    return [...ofBelow, { group: own, label, root: ownLabel(root.path, true) }];
  });
  if (!hasParts) return found;
  const former = { key: formerKey, plus: [], minus: [], plusFormerOf: roots.map(({ id }) => id) };
  return [...found, { group: former, label: "former accounts" }];
}

/** What an account has that is in none of those below it. */
export function ownLabel(path: string, hasBelow: boolean): string {
  if (path === "") return "the platform itself";
  return hasBelow ? `${path} itself` : path;
}

function nothing({ stepMs }: SeriesSpan): RollUpAnswer {
  return { stepMs, times: [], lines: [], leftOut: 0 };
}
