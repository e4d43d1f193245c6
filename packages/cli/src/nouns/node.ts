import type { GpuShape, NodeShape } from "@tessera/wire";
import { Option } from "commander";
import { fieldsText } from "../output/fields.ts";
import { bar, memoryText, numberText } from "../output/gpus.ts";
import { sharesSentence, sharesText } from "../output/sharing.ts";
import { instantText } from "../output/time.ts";
import type { Paint, Style } from "../terminal.ts";
import { pairsText } from "./engine.ts";
import { loadFromList, type Noun } from "./noun.ts";

const modeStyles: Readonly<Record<string, Style>> = {
  up: "green",
  cordoned: "yellow",
  draining: "yellow",
  maintenance: "magenta",
  down: "red",
  unknown: "magentaBright",
};

export function modeStyle(mode: string): Style {
  return modeStyles[mode] ?? "reset";
}

export const node: Noun<NodeShape> = {
  name: "node",
  plural: "nodes",
  watch: "listNodes",
  nameOf: ({ name }) => name,
  keyOf: ({ name }) => name,
  sorts: { name: "name", mode: "mode", model: "model", free: "free", rack: "rack" },
  examples: [
    "tess node get",
    "tess get node n0 -o json",
    "tess get node east/n0",
    "tess node get --model H100 -w",
    "tess node get --sort-by -free --limit 10",
  ],
  columns: [
    { name: "name", text: ({ name }) => name },
    { name: "mode", text: ({ mode }) => mode, style: ({ mode }) => modeStyle(mode) },
    { name: "model", text: (each) => each.model + (each.virtual ? " (virtual)" : "") },
    { name: "gpus", text: ({ gpus }) => String(gpus), raw: ({ gpus }) => gpus, right: true },
    { name: "free", text: ({ gpusFree }) => numberText(gpusFree), raw: ({ gpusFree }) => gpusFree, right: true },
    { name: "shares", text: ({ sharing }) => sharesText(sharing), hidesEmpty: true, right: true },
    { name: "cpus", text: (each) => `${numberText(each.cpusFree)}/${numberText(each.cpus)}`, right: true },
    {
      name: "memory",
      text: (each) => `${memoryText(each.memoryFreeMiB)}/${memoryText(each.memoryMiB)}`,
      raw: ({ memoryMiB }) => memoryMiB,
      right: true,
    },
    { name: "engine", text: ({ engine }) => engine, wide: true },
    { name: "region", text: ({ region }) => region ?? "", wide: true, hidesEmpty: true },
    { name: "zone", text: ({ zone }) => zone, wide: true },
    { name: "block", text: ({ block }) => block, wide: true },
    { name: "rack", text: ({ rack }) => rack, wide: true },
    { name: "nvlink", text: ({ nvlink }) => nvlink, wide: true },
    { name: "pool", text: ({ pool }) => pool ?? "", wide: true, hidesEmpty: true },
    { name: "reason", text: reasonText, shrinks: true },
    { name: "labels", text: ({ labels }) => pairsText(labels), wide: true, hidesEmpty: true, shrinks: true },
  ],
  addFilters(command) {
    command
      .option("--text <text>", "only nodes with this in their name, model, zone, block, rack or reason")
      .option("--model <model>", "only nodes with this GPU model")
      .addOption(new Option("--mode <mode>", "only nodes in this mode").choices(Object.keys(modeStyles)));
  },
  queryOf: async ({ text, model, mode }) => ({
    ...(text !== undefined && { text }),
    ...(model !== undefined && { model }),
    ...(mode !== undefined && { mode }),
  }),
  page: (api, query) => api.call("listNodes", { query }),
  load: async (session, name) => (await session.api()).call("getNode", { at: { node: name } }),
  describe: describeNode,
};

function reasonText(each: NodeShape): string {
  const until = each.drainUntil === undefined ? "" : ` until ${instantText(each.drainUntil)}`;
  return each.mode === "draining" ? `${each.reason}${until}${blockersText(each)}`.trim() : each.reason;
}

/** The jobs that a draining node waits for. */
export function blockersText({ blockers }: NodeShape): string {
  if (blockers === undefined || blockers.jobs.length + blockers.hidden === 0) return "";
  const hidden =
    blockers.hidden === 0 ? "" : `${blockers.jobs.length === 0 ? "" : " and "}${blockers.hidden} of others`;
  return `, waits for ${blockers.names.join(", ")}${hidden}`;
}

/** GPUs that are there and are not offered. */
function withheldText({ gpusWithheld = 0 }: NodeShape): string {
  if (gpusWithheld === 0) return "";
  return `${gpusWithheld} GPU${gpusWithheld === 1 ? "" : "s"}: in use by others, or not healthy`;
}

function windowText({ from, to, reason, state }: NonNullable<NodeShape["maintenance"]>[number]): string {
  return `${instantText(from)} to ${instantText(to)}, ${state}${reason === "" ? "" : `: ${reason}`}`;
}

function describeNode(each: NodeShape, paint: Paint): string {
  const title = `${paint("bold", each.name)}  ${paint(modeStyle(each.mode), each.mode)}\n`;
  const used = each.gpus - each.gpusFree;
  const picture = bar([{ amount: used, style: "green" }], each.gpus, 16, paint);
  return `${title}  ${picture} ${numberText(each.gpusFree)} of ${each.gpus} ${each.model} free\n${fieldsText(
    [
      ["Engine", each.engine],
      ["GPUs", `${each.gpus} ${each.model}${each.virtual ? ", virtual: nothing stands behind them" : ""}`],
      ["Sharing", sharesSentence(each.sharing)],
      ["CPUs", `${numberText(each.cpusFree)} of ${numberText(each.cpus)} free`],
      ["Memory", `${memoryText(each.memoryFreeMiB)} of ${memoryText(each.memoryMiB)} free`],
      ["Withheld", withheldText(each)],
      ["Place", [each.region ?? "", each.zone, each.block, each.rack].filter((part) => part !== "").join(" > ")],
      ["NVLink", each.nvlink],
      ["Labels", pairsText(each.labels)],
      ["Pool", each.pool],
      ["Reason", reasonText(each)],
      ...(each.maintenance ?? []).map((window) => ["Maintenance", windowText(window)] as const),
    ],
    paint,
    "  ",
  )}`;
}

const gpuList: Omit<Noun<GpuShape>, "load"> = {
  name: "gpu",
  plural: "GPUs",
  watch: "listGpus",
  nameOf: ({ uuid }) => uuid,
  keyOf: ({ uuid }) => uuid,
  examples: ["tess get gpu", "tess get gpu --node n0 -o csv"],
  columns: [
    { name: "uuid", text: ({ uuid }) => uuid, shrinks: true },
    { name: "node", text: (each) => each.node },
    { name: "index", text: ({ index }) => String(index), raw: ({ index }) => index, right: true },
    { name: "model", text: (each) => each.model + (each.virtual ? " (virtual)" : "") },
    { name: "memory", text: ({ memoryMiB }) => memoryText(memoryMiB), raw: ({ memoryMiB }) => memoryMiB, right: true },
    { name: "mode", text: ({ mode }) => mode, style: ({ mode }) => modeStyle(mode) },
    { name: "free", text: ({ free }) => numberText(free), raw: ({ free }) => free, right: true },
    { name: "shares", text: ({ sharing }) => sharesText(sharing), hidesEmpty: true, right: true },
    { name: "jobs", text: ({ names }) => names.join(", "), raw: ({ jobs }) => jobs.join(" "), shrinks: true },
  ],
  addFilters(command) {
    command.option("--node <node>", "only GPUs of this node").option("--model <model>", "only this GPU model");
  },
  queryOf: async ({ node: on, model }) => ({
    ...(on !== undefined && { node: on }),
    ...(model !== undefined && { model }),
  }),
  page: (api, query) => api.call("listGpus", { query }),
  around: (each) => ({ node: each.node }),
};

export const gpu: Noun<GpuShape> = { ...gpuList, load: loadFromList(gpuList, ({ uuid }, name) => uuid === name) };
