import type { BusyReport, QueryOf, UsageReport } from "@tessera/wire";
import { type Command, Option } from "commander";
import { examples } from "../../help.ts";
import { type Column, chooseColumns, sortItems } from "../../output/column.ts";
import { checkNames, emitList, emitObject, type ListOptions } from "../../output/emit.ts";
import { renderTable } from "../../output/table.ts";
import { instantText } from "../../output/time.ts";
import type { Session } from "../../session.ts";
import type { Paint } from "../../terminal.ts";
import { addListFlags, parseLimit } from "../../verbs/list.ts";
import { busyColumns } from "./busy.ts";
import { type SpanFlags, spanOf } from "./span.ts";
import { usageEvents } from "./usage-events.ts";

interface UsageFlags extends ListOptions, SpanFlags {
  readonly by: NonNullable<QueryOf<"readUsage">["by"]>;
  readonly limit?: string;
  readonly busy?: boolean;
  readonly events?: boolean;
  readonly after?: string;
  readonly follow?: boolean;
}

type Row = UsageReport["rows"][number];

/** Of the last row, which adds up the others. */
const totalKey = "total";

export function define(command: Command, session: Session): void {
  command
    .description(
      "Shows GPU time by account, user, job, GPU or node, exact to the millisecond in -o json (21,000 units are one GPU),\n" +
        "and whether the books of the whole fleet balance.",
    )
    .addOption(
      new Option("--by <what>", "what to add up by")
        .choices(["account", "user", "job", "gpu", "node"])
        .default("account"),
    )
    .option("--from <time>", "ISO 8601, or back from now such as 7d")
    .option("--to <time>", "ISO 8601, or back from now such as 1h")
    .option("--account <account>", "only this account and below")
    .option("--busy", "also how much of it was measured, and how much of that the GPUs were at work")
    .option("--events", "every metered interval as a CloudEvent, one per line, oldest first")
    .option("--after <cursor>", "with --events: only those after the event with this cursor")
    .option("-f, --follow", "with --events: keep running and show new ones");
  addListFlags(command);
  examples(command, [
    "tess usage",
    "tess usage --by user --from 7d",
    "tess usage --by job --busy --from 24h",
    "tess usage --by gpu --from 2026-09-01 --to 2026-10-01 -o json",
    "tess usage --events --follow > usage.jsonl",
  ]);
  command.action((flags: UsageFlags) => (flags.events === true ? usageEvents(session, flags) : usage(session, flags)));
}

async function usage(session: Session, flags: UsageFlags): Promise<void> {
  const { by } = flags;
  const query = { by, ...spanOf(flags) };
  const api = await session.api();
  const report = await api.call("readUsage", { query });
  // The same span to the millisecond: what is asked for may be "since 7d".
  const span = { ...query, from: report.from, to: report.to };
  const measured = flags.busy === true ? await api.call("readBusy", { query: span }) : undefined;
  const columns = columnsOf(report, measured);
  const view = { columns, nameOf: ({ key }: Row) => key };
  const limited = flags.limit === undefined ? report.rows : report.rows.slice(0, parseLimit(flags.limit));
  await checkNames(view, flags, limited);
  if (session.format === "csv" || session.format === "name") return emitList(session, { items: limited }, view, flags);
  const shown = measured === undefined ? report : { ...report, measured: measured.rows };
  await emitObject(session, shown, by, () =>
    reportText(session, report, columns, sortItems(limited, columns, flags.sortBy), flags),
  );
}

function columnsOf(report: UsageReport, measured: BusyReport | undefined): readonly Column<Row>[] {
  const states = [...new Set(report.rows.flatMap(({ byState }) => Object.keys(byState)))].toSorted();
  return [
    {
      name: report.by,
      text: ({ key, name }) => name ?? (key === "" ? "(platform)" : key),
      raw: ({ key }) => key,
      shrinks: true,
    },
    ...(report.by === "job"
      ? [{ name: "id", text: ({ key }: Row) => (key === totalKey ? "" : key), drops: true }]
      : []),
    {
      name: "gpu-hours",
      text: ({ unitMs }) => hoursText(unitMs),
      raw: ({ gpuHours }) => Number(gpuHours),
      right: true,
    },
    { name: "share", text: ({ unitMs }) => shareText(unitMs, report.total), right: true },
    ...(measured === undefined ? [] : busyColumns(report, measured, totalKey)),
    ...states.map((state) => ({
      name: state,
      text: ({ byState }: Row) => hoursText(byState[state] ?? "0"),
      raw: ({ byState }: Row) => byState[state] ?? "0",
      wide: true as const,
      right: true as const,
    })),
    { name: "unit-ms", text: ({ unitMs }) => unitMs, wide: true, right: true },
  ];
}

function reportText(
  session: Session,
  report: UsageReport,
  all: readonly Column<Row>[],
  rows: readonly Row[],
  { columns: asked, headers = true }: UsageFlags,
): string {
  const { paint, format } = session;
  const total: Row = {
    key: totalKey,
    unitMs: report.total,
    byState: totalsByState(report),
    gpuHours: hoursText(report.total),
  };
  const columns = chooseColumns(all, asked, format === "wide").map((column) => ({
    ...column,
    style: (row: Row) => (row === total ? ("bold" as const) : column.style?.(row)),
  }));
  const width = session.terminal.stdout.columns;
  const table = renderTable(columns, [...rows, total], { headers, paint, now: session.now(), width });
  const span = paint("dim", `${instantText(report.from)} to ${instantText(report.to)}\n`);
  return span + table + fleetLine(report.fleet, paint);
}

/** Capacity and where it went; the one line that says whether the books balance. */
export function fleetLine(fleet: UsageReport["fleet"], paint: Paint): string {
  if (fleet === undefined) return "";
  const { capacity, balanced, differenceUnitMs, ...states } = fleet;
  const rare = ["dedicated", "scrub", "reshape", "stranded", "held"] as const;
  const shown = (["leased", ...rare, "idle", "down", "maintenance"] as const).filter(
    (state) => !(rare as readonly string[]).includes(state) || states[state] !== "0",
  );
  const sum = shown.map((state) => `${hoursText(states[state])} ${state}`).join(" + ");
  const verdict = balanced
    ? paint("green", "balanced")
    : paint("red", `NOT balanced: ${differenceUnitMs} unit-ms apart`);
  return `\nFleet: ${hoursText(capacity)} GPU-hours = ${sum}  ${verdict}\n`;
}

function totalsByState({ rows }: UsageReport): Record<string, string> {
  const totals: Record<string, bigint> = {};
  for (const { byState } of rows) {
    for (const [state, unitMs] of Object.entries(byState)) totals[state] = (totals[state] ?? 0n) + BigInt(unitMs);
  }
  return Object.fromEntries(Object.entries(totals).map(([state, unitMs]) => [state, String(unitMs)]));
}

const unitMsPerGpuHour = 21_000n * 3_600_000n;

/** GPU-hours with two digits; four for what would otherwise look like nothing. */
export function hoursText(unitMs: string): string {
  const amount = BigInt(unitMs);
  const digits = amount > 0n && amount * 100n < unitMsPerGpuHour ? 4 : 2;
  const scale = 10n ** BigInt(digits);
  const rounded = (amount * scale + unitMsPerGpuHour / 2n) / unitMsPerGpuHour;
  return `${rounded / scale}.${String(rounded % scale).padStart(digits, "0")}`;
}

export function shareText(unitMs: string, total: string): string {
  if (BigInt(total) === 0n) return "";
  return `${Number((BigInt(unitMs) * 1_000n + BigInt(total) / 2n) / BigInt(total)) / 10}%`;
}
