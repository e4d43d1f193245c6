import { setTimeout as sleep } from "node:timers/promises";
import type { QueryOf, TopRow, TopView } from "@tessera/wire";
import { type Command, Option } from "commander";
import { Failure } from "../../failure.ts";
import { examples } from "../../help.ts";
import type { Column } from "../../output/column.ts";
import { checkNames, emitList, emitObject, type ListOptions, type ListView, listText } from "../../output/emit.ts";
import { memoryText, numberText } from "../../output/gpus.ts";
import type { Session } from "../../session.ts";
import { clearScreen, type Paint, redraws, type Style } from "../../terminal.ts";
import { parseLimit } from "../../verbs/list.ts";

const redrawMs = 2_000;
const notMeasured = "not measured";

interface TopFlags extends ListOptions {
  readonly by: NonNullable<QueryOf<"readTop">["by"]>;
  readonly sort?: NonNullable<QueryOf<"readTop">["sort"]>;
  readonly account?: string;
  readonly limit?: string;
  readonly once?: boolean;
}

export function define(command: Command, session: Session): void {
  command
    .description(
      "Shows what holds GPUs now and how busy it keeps them, by job, user, account or GPU. On a terminal it is drawn\n" +
        "again every two seconds until Ctrl-C; for programs and pipes it is shown once.",
    )
    .addOption(new Option("--by <what>", "what to add up by").choices(["job", "user", "account", "gpu"]).default("job"))
    .addOption(
      new Option("--sort <what>", "what has most of it comes first").choices([
        "gpus",
        "activity",
        "idle",
        "memory",
        "power",
      ]),
    )
    .option("--account <account>", "only this account and below")
    .option("--limit <count>", "show at most this many (usually as many as fit; up to 1000)")
    .option("--columns <names>", "show these columns or fields, separated by commas")
    .option("--no-headers", "leave the header line out")
    .option("--once", "show it once and end");
  examples(command, ["tess top", "tess top --by account", "tess top --sort idle --once", "tess top --by gpu -o json"]);
  command.action((flags: TopFlags) => top(session, flags));
}

async function top(session: Session, flags: TopFlags): Promise<void> {
  await checkNames(viewOf(flags.by), flags);
  const live = flags.once !== true && session.readable && redraws(session.terminal.stdout, session.terminal.env);
  if (!live) return show(session, flags, await ask(session, flags, flags.limit === undefined ? 100 : undefined));
  const left = new AbortController();
  const release = session.terminal.onInterrupt(() => left.abort());
  try {
    for (;;) {
      const rows = session.terminal.stdout.rows ?? 24;
      const view = await ask(session, flags, Math.max(1, rows - 4));
      await session.print(clearScreen + topText(session, view, flags));
      await sleep(redrawMs, undefined, { signal: left.signal });
    }
  } catch (error) {
    if (!left.signal.aborted || error instanceof Failure) throw error;
  } finally {
    release();
  }
}

async function ask(session: Session, flags: TopFlags, usual: number | undefined): Promise<TopView> {
  const { by, sort, account } = flags;
  const limit = flags.limit === undefined ? usual : parseLimit(flags.limit);
  const query = {
    by,
    ...(sort !== undefined && { sort }),
    ...(account !== undefined && { account }),
    ...(limit !== undefined && { limit }),
  };
  return (await session.api()).call("readTop", { query });
}

async function show(session: Session, flags: TopFlags, view: TopView): Promise<void> {
  if (session.format === "csv" || session.format === "name")
    return emitList(session, { items: view.rows }, viewOf(view.by), flags);
  await emitObject(session, view, view.by, () => topText(session, view, flags));
}

/** The line of all, then the table. */
function topText(session: Session, view: TopView, flags: ListOptions): string {
  const { paint } = session;
  if (view.rows.length === 0) return `${summary(view, paint)}\nNothing holds a GPU.\n`;
  const table = listText(session, view.rows, viewOf(view.by), flags);
  const more = view.leftOut === 0 ? "" : paint("dim", `… and ${view.leftOut} more (--limit)\n`);
  return `${summary(view, paint)}\n${table}${more}`;
}

function summary({ total, at }: TopView, paint: Paint): string {
  const { gpus, measuredGpus, activity, memoryUsedMiB, memoryMiB, powerWatts, simulated } = total;
  const unmeasured = gpus - measuredGpus;
  const parts = [
    `${numberText(gpus)} GPUs held`,
    activity === undefined ? notMeasured : `${activity} % busy`,
    ...(unmeasured > 0 && activity !== undefined ? [`${numberText(unmeasured)} ${notMeasured}`] : []),
    ...(memoryUsedMiB === undefined ? [] : [`${memoryText(memoryUsedMiB)} of ${memoryText(memoryMiB ?? 0)}`]),
    ...(powerWatts === undefined ? [] : [powerText(powerWatts)]),
  ];
  const mark = simulated ? paint("yellow", "  simulated (no hardware)") : "";
  return `${paint("bold", parts.join(", "))}  ${paint("dim", at.slice(11, 19))}${mark}\n`;
}

const stateStyles: Readonly<Record<TopRow["state"], Style>> = {
  busy: "green",
  idle: "yellow",
  unmeasured: "dim",
  unleased: "red",
};

function viewOf(by: TopView["by"]): ListView<TopRow> {
  return {
    columns: columnsOf(by),
    nameOf: ({ key }) => key,
    fields: async () => Object.keys((await import("@tessera/wire")).TopRow.properties),
  };
}

function columnsOf(by: TopView["by"]): readonly Column<TopRow>[] {
  const named: readonly Column<TopRow>[] = [
    { name: by, text: ({ key, name }) => (by === "gpu" ? key : (name ?? key)), raw: ({ key }) => key, shrinks: true },
  ];
  const id: readonly Column<TopRow>[] = [{ name: "id", text: ({ key }) => key, wide: true }];
  const inJob: readonly Column<TopRow>[] = [
    { name: "account", text: ({ account = "" }) => account, shrinks: true },
    { name: "user", text: ({ user = "" }) => user, shrinks: true },
  ];
  const ofGpu: readonly Column<TopRow>[] = [
    { name: "node", text: ({ node = "" }) => node },
    { name: "model", text: ({ model = "" }) => model, wide: true },
    { name: "job", text: ({ name, job = "" }) => name ?? job, raw: ({ job }) => job, shrinks: true },
  ];
  return [
    ...named,
    ...(by === "job" || by === "user" ? id : []),
    ...(by === "gpu" ? ofGpu : []),
    ...(by === "job" || by === "gpu" ? inJob : []),
    { name: "gpus", text: ({ gpus }) => numberText(gpus), raw: ({ gpus }) => gpus, right: true },
    { name: "share", text: ({ share }) => percent(share), raw: ({ share }) => share, right: true, drops: true },
    {
      name: "activity",
      text: ({ activity }) => (activity === undefined ? notMeasured : `${meter(activity)} ${percent(activity)}`),
      raw: ({ activity }) => activity,
      style: ({ state }) => stateStyles[state],
      right: true,
    },
    { name: "measured", text: measuredText, raw: ({ measuredGpus }) => measuredGpus, right: true, drops: true },
    {
      name: "memory",
      text: ({ memoryUsedMiB, memoryMiB = 0 }) =>
        memoryUsedMiB === undefined ? "-" : `${memoryText(memoryUsedMiB)} / ${memoryText(memoryMiB)}`,
      raw: ({ memoryUsedMiB }) => memoryUsedMiB,
      right: true,
    },
    {
      name: "power",
      text: ({ powerWatts }) => (powerWatts === undefined ? "-" : powerText(powerWatts)),
      raw: ({ powerWatts }) => powerWatts,
      right: true,
    },
    { name: "note", text: noteText, style: ({ state }) => (state === "unleased" ? "red" : "dim"), hidesEmpty: true },
  ];
}

function measuredText({ gpus, measuredGpus }: TopRow): string {
  return measuredGpus === gpus ? "all" : `${numberText(measuredGpus)} of ${numberText(gpus)}`;
}

function noteText({ state, simulated }: TopRow): string {
  return [...(state === "unleased" ? ["NO LEASE"] : []), ...(simulated ? ["simulated"] : [])].join(", ");
}

const cells = 10;

/** A bar as wide as ten cells are when it is full. */
function meter(activity: number): string {
  const full = Math.min(cells, Math.round(activity / cells));
  return "█".repeat(full) + "░".repeat(cells - full);
}

function percent(value: number | undefined): string {
  return value === undefined ? "" : `${value.toFixed(1)}%`;
}

function powerText(watts: number): string {
  return watts >= 10_000 ? `${numberText(Math.round(watts / 100) / 10)} kW` : `${Math.round(watts)} W`;
}
