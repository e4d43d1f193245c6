import type { NodeShape } from "@tessera/wire";
import type { Command } from "commander";
import { examples } from "../../help.ts";
import { gpu, modeStyle, node } from "../../nouns/node.ts";
import type { Filters } from "../../nouns/noun.ts";
import { bar, numberText } from "../../output/gpus.ts";
import { sharesText } from "../../output/sharing.ts";
import { pad, truncate, widthOf } from "../../output/width.ts";
import type { Session } from "../../session.ts";
import { watchList } from "../../sse.ts";
import { clearScreen, type Paint, printable, redraws } from "../../terminal.ts";
import { addListFlags, addWatchFlag, type ListFlags, parseLimit, runList } from "../../verbs/list.ts";
import { fetchPages } from "../../verbs/pages.ts";

const nodesShownMax = 40;
const barCells = 24;

export function define(command: Command, session: Session): void {
  command.description(
    "Shows how many GPUs of each model are free, by engine where there are several, then the nodes.\n" +
      "Other formats list the single GPUs.",
  );
  gpu.addFilters?.(command);
  addWatchFlag(addListFlags(command));
  examples(command, ["tess gpus", "tess gpus --model H100 -w", "tess gpus -o json", "tess gpus -o wide"]);
  command.action((flags: ListFlags & Filters) => gpus(session, flags));
}

async function gpus(session: Session, flags: ListFlags & Filters): Promise<void> {
  if (session.format !== "table") return runList(session, gpu, [], flags);
  const query = { ...(typeof flags.model === "string" && { model: flags.model }) };
  const limit = flags.limit === undefined ? nodesShownMax : parseLimit(flags.limit);
  const wanted = (each: NodeShape) =>
    flags.node === undefined || [each.name, `${each.engine}/${each.name}`].includes(String(flags.node));
  const draw = async (nodes: readonly NodeShape[], clear = "") => {
    await session.print(clear + fleetText(nodes.filter(wanted), session.paint, session.terminal.stdout.columns, limit));
  };
  if (!flags.watch) {
    const { items } = await fetchPages(node, await session.api(), query, undefined);
    if (items.length === 0) await session.note("The fleet has no nodes.");
    return draw(items);
  }
  const leave = new AbortController();
  const release = session.terminal.onInterrupt(() => leave.abort());
  const nodes = new Map<string, NodeShape>();
  const clear = redraws(session.terminal.stdout, session.terminal.env) ? clearScreen : "";
  try {
    for await (const change of watchList(
      await session.api(),
      "listNodes",
      { ...query, limit: 1_000 },
      { signal: leave.signal },
    )) {
      if (change.event === "sync") nodes.clear();
      for (const each of change.event === "sync" ? change.items : change.event === "put" ? [change.item] : [])
        nodes.set(each.name, each);
      if (change.event === "delete") nodes.delete(change.id);
      await draw([...nodes.values()], clear);
    }
  } finally {
    release();
  }
}

/** The fleet by model, of each engine where there are several, then node by node. */
export function fleetText(
  nodes: readonly NodeShape[],
  paint: Paint,
  width: number | undefined,
  shownMax: number,
): string {
  if (nodes.length === 0) return "";
  const several = new Set(nodes.map(({ engine }) => engine)).size > 1;
  const models = Map.groupBy(
    nodes,
    ({ engine, model, virtual }) =>
      `${several ? `${engine}/` : ""}${model === "" ? "no GPU" : model}${virtual ? " (virtual)" : ""}`,
  );
  const names = [...models.keys()].toSorted((one, other) => one.localeCompare(other, "en"));
  const nameWidth = Math.max(...names.map(widthOf), ...nodes.map(({ name }) => widthOf(name)));
  const lines = names.map((name) => modelLine(name, models.get(name)!, nameWidth, paint));
  const shown = nodes.toSorted(byName).slice(0, shownMax);
  lines.push("", ...shown.map((each) => nodeLine(each, nameWidth, paint, width)));
  if (nodes.length > shown.length)
    lines.push(paint("dim", `… and ${nodes.length - shown.length} more nodes (tess node get)`));
  return lines.map((line) => `${line}\n`).join("");
}

function modelLine(name: string, nodes: readonly NodeShape[], nameWidth: number, paint: Paint): string {
  const total = sum(nodes, ({ gpus: count }) => count);
  const usable = nodes.filter(({ mode }) => mode === "up");
  const free = sum(usable, ({ gpusFree }) => gpusFree);
  const used = sum(nodes, ({ gpus: count, gpusFree }) => count - gpusFree);
  const closed = total - used - free;
  const parts = [
    { amount: used, style: "green" as const },
    { amount: closed, style: "red" as const, mark: "▒" },
  ];
  const away = closed > 0 ? paint("red", `, ${numberText(closed)} on nodes that take no work`) : "";
  return `${paint("bold", pad(name, nameWidth))}  ${bar(parts, total, barCells, paint)}  ${numberText(free)}/${total} free${away}`;
}

function nodeLine(each: NodeShape, nameWidth: number, paint: Paint, width: number | undefined): string {
  const used = each.gpus - each.gpusFree;
  const cells = Math.min(Math.max(each.gpus, 1), 8);
  const picture = each.gpus === 0 ? "" : bar([{ amount: used, style: "green", mark: "■" }], each.gpus, cells, paint);
  const mode =
    each.mode === "up"
      ? ""
      : `  ${paint(modeStyle(each.mode), each.mode)}${each.reason === "" ? "" : `: ${printable(each.reason)}`}`;
  const free = `${pad(`${numberText(each.gpusFree)}/${each.gpus} free`, 10)}  `;
  const place = [each.zone, each.rack].filter((part) => part !== "").join("/");
  const head = `${pad(printable(each.name), nameWidth)}  ${picture}${" ".repeat(Math.max(0, 8 - cells))}  ${free}`;
  const shares = sharesText(each.sharing);
  const tail = `${each.model}${shares === "" ? "" : `  ${shares} given out`}${place === "" ? "" : `  ${place}`}`;
  const room = width === undefined ? tail.length : Math.max(0, width - widthOf(head) - widthOf(mode) - 1);
  return `${head}${paint("dim", truncate(tail, room))}${mode}`;
}

function byName(one: NodeShape, other: NodeShape): number {
  return one.name.localeCompare(other.name, "en", { numeric: true });
}

function sum(nodes: readonly NodeShape[], of: (each: NodeShape) => number): number {
  return nodes.reduce((total, each) => total + of(each), 0);
}
