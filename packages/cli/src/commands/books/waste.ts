import { type QueryOf, type WasteClassName, type WasteReport, type WasteRow, wasteWords } from "@tessera/wire";
import { moneyText } from "@tessera/wire/money";
import { type Command, Option } from "commander";
import { examples } from "../../help.ts";
import { type Column, chooseColumns, sortItems } from "../../output/column.ts";
import { checkNames, emitList, emitObject, type ListOptions } from "../../output/emit.ts";
import { bar, memoryText, numberText } from "../../output/gpus.ts";
import { renderTable } from "../../output/table.ts";
import { instantText } from "../../output/time.ts";
import type { Session } from "../../session.ts";
import type { Style } from "../../terminal.ts";
import { addListFlags, parseLimit } from "../../verbs/list.ts";
import { type SpanFlags, spanOf } from "./span.ts";
import { hoursText, shareText } from "./usage.ts";

interface WasteFlags extends ListOptions, SpanFlags {
  readonly by: NonNullable<QueryOf<"readWaste">["by"]>;
  readonly limit?: string;
}

/** A report of a large fleet takes long; the server gives it up after a minute and says so. */
const answerMsMax = 90_000;

const names = Object.keys(wasteWords) as WasteClassName[];

/** What a class is drawn in: used, wasted by its holders, wasted without a holder, out of service. */
const styles: { readonly [name in WasteClassName]: Style } = {
  busy: "green",
  allocated_partly: "cyan",
  allocated_idle: "yellow",
  allocated_unmeasured: "dim",
  dedicated: "yellow",
  setup: "yellow",
  handover: "yellow",
  lost_preemption: "red",
  lost_fault: "red",
  fragmented: "yellow",
  unallocated_idle: "yellow",
  maintenance: "dim",
  down: "red",
};

export function define(command: Command, session: Session): void {
  command
    .description(
      "Shows where the capacity of the fleet went: busy, allocated and idle, fragmented, lost, not allocated, in GPU-hours\n" +
        "and money. The parts add up to capacity exactly. A team sees its own part.",
    )
    .addOption(
      new Option("--by <what>", "what to add up by")
        .choices(["account", "user", "job", "node", "model"])
        .default("account"),
    )
    .option("--from <time>", "ISO 8601, or back from now such as 7d (the default)")
    .option("--to <time>", "ISO 8601, or back from now such as 1h")
    .option("--account <account>", "only this account and below");
  addListFlags(command);
  examples(command, ["tess waste", "tess waste --from 1d --by job --limit 20", "tess waste --from 30d -o json"]);
  command.action((flags: WasteFlags) => waste(session, flags));
}

async function waste(session: Session, flags: WasteFlags): Promise<void> {
  const { by } = flags;
  const query = { by, ...spanOf(flags) };
  const report = await (await session.api()).call("readWaste", { query, timeoutMs: answerMsMax });
  const columns = columnsOf(report);
  const view = { columns, nameOf: ({ key }: WasteRow) => key };
  const limited = flags.limit === undefined ? report.rows : report.rows.slice(0, parseLimit(flags.limit));
  await checkNames(view, flags, limited);
  if (session.format === "csv" || session.format === "name") return emitList(session, { items: limited }, view, flags);
  await emitObject(session, report, by, () =>
    [
      spanText(session, report),
      classesText(session, report),
      rowsText(session, report, sortItems(limited, columns, flags.sortBy), flags),
      oversizedText(session, report),
      unfitText(session, report),
      capacityText(session, report),
    ]
      .filter((part) => part !== "")
      .join("\n"),
  );
}

function spanText({ paint }: Session, { from, to }: WasteReport): string {
  return paint("dim", `${instantText(from)} to ${instantText(to)}\n`);
}

const barCells = 30;

/** Each class of all that is seen, with its share. */
function classesText(session: Session, { total, currency }: WasteReport): string {
  const { paint } = session;
  const present = names.filter((name) => total.classes[name] !== undefined);
  const largest = Math.max(0, ...present.map((name) => Number(total.classes[name]!.unitMs)));
  const columns: Column<WasteClassName>[] = [
    { name: "class", text: (name) => wasteWords[name], style: (name) => styles[name] },
    { name: "gpu-hours", text: (name) => hoursText(total.classes[name]!.unitMs), right: true },
    { name: "share", text: (name) => shareText(total.classes[name]!.unitMs, total.unitMs), right: true },
    { name: "worth", text: (name) => moneyText(total.classes[name]!.micros, currency), right: true },
    {
      name: "",
      text: (name) =>
        bar([{ amount: Number(total.classes[name]!.unitMs), style: styles[name] }], largest, barCells, paint),
      drops: true,
    },
  ];
  return renderTable(columns, present, {
    headers: true,
    paint,
    now: session.now(),
    width: session.terminal.stdout.columns,
  });
}

function columnsOf({ by, currency }: WasteReport): readonly Column<WasteRow>[] {
  const hours = (...of: readonly WasteClassName[]) => ({
    text: ({ classes }: WasteRow) =>
      hoursText(String(of.reduce((sum, name) => sum + BigInt(classes[name]?.unitMs ?? 0), 0n))),
    right: true as const,
  });
  return [
    {
      name: by,
      text: ({ key, name }) => name ?? (key === "" ? "(no lease)" : key),
      raw: ({ key }) => key,
      shrinks: true,
    },
    {
      name: "gpu-hours",
      text: ({ unitMs }) => hoursText(unitMs),
      raw: ({ gpuHours }) => Number(gpuHours),
      right: true,
    },
    { name: "busy", ...hours("busy") },
    { name: "idle", ...hours("allocated_idle", "dedicated") },
    { name: "unmeasured", ...hours("allocated_unmeasured") },
    { name: "lost", ...hours("lost_preemption", "lost_fault") },
    { name: "wasted", text: (row) => moneyText(String(wastedMicros(row)), currency), right: true },
    ...names.map((name) => ({
      name: name.replaceAll("_", "-"),
      text: ({ classes }: WasteRow) => hoursText(classes[name]?.unitMs ?? "0"),
      raw: ({ classes }: WasteRow) => classes[name]?.unitMs ?? "0",
      wide: true as const,
      right: true as const,
    })),
  ];
}

/** Everything but what was busy, and what may have been. */
function wastedMicros({ micros, classes }: WasteRow): bigint {
  return BigInt(micros) - BigInt(classes.busy?.micros ?? 0) - BigInt(classes.allocated_unmeasured?.micros ?? 0);
}

function rowsText(
  session: Session,
  report: WasteReport,
  rows: readonly WasteRow[],
  { columns: asked, headers = true }: WasteFlags,
): string {
  if (rows.length === 0) return "";
  const { paint, format } = session;
  const columns = chooseColumns(columnsOf(report), asked, format === "wide");
  return renderTable(columns, rows, { headers, paint, now: session.now(), width: session.terminal.stdout.columns });
}

function oversizedText(session: Session, { oversized, currency }: WasteReport): string {
  if (oversized.length === 0) return "";
  const lines = oversized.map(
    ({ job, name, account, held, memoryHeldMiB, memoryPeakMiB, activity, smaller, savesMicros }) =>
      `  ${name ?? job} (${account}): asked ${held} with ${memoryText(memoryHeldMiB)} each, used ${memoryText(memoryPeakMiB)}` +
      ` and ${numberText(activity)}% of it; ${smaller} would do and save ${moneyText(savesMicros, currency)}`,
  );
  return `${session.paint("bold", "Oversized")} (their time is in the classes above)\n${lines.join("\n")}\n`;
}

function unfitText({ paint }: Session, { unfit, free }: WasteReport): string {
  const pieces = (free ?? []).map(({ model, gpus, nodes }) => {
    const sizes = Object.entries(nodes).sort(([a], [b]) => Number(b) - Number(a));
    const largest = sizes.slice(0, 4).map(([size, count]) => `${count} ${count === 1 ? "node" : "nodes"} with ${size}`);
    return `  ${numberText(gpus)} ${model} free now${largest.length === 0 ? "" : `: ${largest.join(", ")}`}`;
  });
  const shapes = unfit.map(
    ({ shape, jobs, reason }) => `  ${shape} (${jobs} ${jobs === 1 ? "job" : "jobs"}): ${reason}`,
  );
  if (pieces.length + shapes.length === 0) return "";
  const heading = shapes.length === 0 ? "Free" : "Shapes that do not fit what is free";
  return `${paint("bold", heading)}\n${[...shapes, ...pieces].join("\n")}\n`;
}

function capacityText({ paint }: Session, { capacity, total, currency }: WasteReport): string {
  if (capacity === undefined) return paint("bold", `${hoursText(total.unitMs)} GPU-hours\n`);
  const { unitMs, exact, differenceUnitMs, perCentMonthMicros } = capacity;
  const verdict = exact ? paint("green", "exact") : paint("red", `NOT exact: ${differenceUnitMs} unit-ms apart`);
  const month =
    perCentMonthMicros === undefined
      ? ""
      : `One more per cent of it in use is worth ${moneyText(perCentMonthMicros, currency)} a month.\n`;
  return `Capacity: ${hoursText(unitMs)} GPU-hours = the classes above  ${verdict}\n${month}`;
}
