import type { CostReport, QueryOf } from "@tessera/wire";
import { moneyText } from "@tessera/wire/money";
import { type Command, Option } from "commander";
import { examples } from "../../help.ts";
import { type Column, chooseColumns, sortItems } from "../../output/column.ts";
import { checkNames, emitList, emitObject, type ListOptions } from "../../output/emit.ts";
import { bar } from "../../output/gpus.ts";
import { renderTable } from "../../output/table.ts";
import { instantText } from "../../output/time.ts";
import type { Session } from "../../session.ts";
import { addListFlags, parseLimit } from "../../verbs/list.ts";
import { type SpanFlags, spanOf } from "./span.ts";

interface CostFlags extends ListOptions, SpanFlags {
  readonly by: NonNullable<QueryOf<"readCosts">["by"]>;
  readonly compare?: boolean;
  readonly limit?: string;
}

type Row = CostReport["rows"][number];

const barCells = 24;

export function define(command: Command, session: Session): void {
  command
    .description(
      "Shows what GPU time has cost by account, user, job, model, class or day, and where the month will end.",
    )
    .addOption(
      new Option("--by <what>", "what to add up by")
        .choices(["account", "user", "job", "model", "class", "day"])
        .default("account"),
    )
    .option("--from <time>", "ISO 8601, or back from now such as 7d")
    .option("--to <time>", "ISO 8601, or back from now such as 1h")
    .option("--compare", "beside the same length of time before")
    .option("--account <account>", "only this account and below");
  addListFlags(command);
  examples(command, ["tess cost", "tess cost --by day --from 30d", "tess cost --by model --from 7d --compare -o json"]);
  command.action((flags: CostFlags) => cost(session, flags));
}

async function cost(session: Session, flags: CostFlags): Promise<void> {
  const { by, compare } = flags;
  const query = { by, ...spanOf(flags), ...(compare && { compare }) };
  const report = await (await session.api()).call("readCosts", { query });
  const columns = columnsOf(session, report);
  const rows = flags.limit === undefined ? report.rows : report.rows.slice(0, parseLimit(flags.limit));
  const view = { columns, nameOf: ({ key }: Row) => key };
  await checkNames(view, flags, rows);
  if (session.format === "csv" || session.format === "name") return emitList(session, { items: rows }, view, flags);
  await emitObject(session, report, by, () =>
    reportText(session, report, sortItems(rows, columns, flags.sortBy), flags),
  );
}

function columnsOf(session: Session, report: CostReport): readonly Column<Row>[] {
  const { by, currency } = report;
  const largest = report.rows.reduce((most, { micros }) => Math.max(most, Number(micros)), 0);
  const kinds = [...new Set(report.rows.flatMap(({ byKind }) => Object.keys(byKind)))].toSorted();
  const compared = report.beforeMicros !== undefined && by !== "day";
  return [
    { name: by, text: ({ key }) => (key === "" ? "(shared)" : key), shrinks: true },
    {
      name: "cost",
      text: ({ micros }) => moneyText(micros, currency),
      raw: ({ micros }) => Number(micros),
      right: true,
    },
    ...(compared
      ? [
          {
            name: "before",
            text: ({ beforeMicros }: Row) => moneyText(beforeMicros ?? "0", currency),
            right: true as const,
          },
          { name: "change", text: changeText, right: true as const },
        ]
      : []),
    // Not the hours of `tess usage`: a guarantee is billed whether it is used or not.
    { name: "billed-hours", text: ({ gpuHours }) => gpuHours, raw: ({ gpuHours }) => Number(gpuHours), right: true },
    {
      name: "share",
      text: ({ micros }) =>
        bar([{ amount: Math.max(0, Number(micros)), style: "cyan" }], largest, barCells, session.paint),
      raw: ({ micros }) => Number(micros),
      drops: true,
    },
    ...kinds.map((kind) => ({
      name: kind,
      text: ({ byKind }: Row) => moneyText(byKind[kind] ?? "0", currency),
      raw: ({ byKind }: Row) => Number(byKind[kind] ?? "0"),
      wide: true as const,
      right: true as const,
    })),
  ];
}

function changeText({ micros, beforeMicros = "0" }: Row): string {
  const [now, before] = [Number(micros), Number(beforeMicros)];
  if (before === 0) return now === 0 ? "0 %" : "new";
  const change = Math.round(((now - before) / before) * 100);
  return `${change > 0 ? "+" : ""}${change} %`;
}

function reportText(
  session: Session,
  report: CostReport,
  rows: readonly Row[],
  { columns: asked, headers = true }: CostFlags,
): string {
  const { paint, format } = session;
  const { currency, totalMicros, beforeMicros, forecastMicros } = report;
  const span = paint("dim", `${instantText(report.from)} to ${instantText(report.to)}\n`);
  const columns = chooseColumns(columnsOf(session, report), asked, format === "wide");
  const width = session.terminal.stdout.columns;
  const table = rows.length === 0 ? "" : renderTable(columns, rows, { headers, paint, now: session.now(), width });
  const before = beforeMicros === undefined ? "" : `, before it ${moneyText(beforeMicros, currency)}`;
  const forecast =
    forecastMicros === undefined ? "" : `; at this rate the month ends at ${moneyText(forecastMicros, currency)}`;
  const reserved = rows.some(({ byKind }) => "reserved" in byKind);
  const why = reserved
    ? paint("dim", "billed-hours include guarantees, used or not; tess usage shows the GPU-hours that jobs held\n")
    : "";
  return `${span}${table}${why}\n${paint("bold", `Total ${moneyText(totalMicros, currency)}`)}${before}${forecast}\n`;
}
