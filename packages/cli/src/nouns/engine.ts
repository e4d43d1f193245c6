import type { EngineShape } from "@tessera/wire";
import { abilitiesOf, type EngineState, engineState } from "@tessera/wire/engine-state";
import { fieldsText } from "../output/fields.ts";
import { bar, numberText } from "../output/gpus.ts";
import { ageText, instantText } from "../output/time.ts";
import type { Paint, Style } from "../terminal.ts";
import type { Noun } from "./noun.ts";

const stateStyles: Readonly<Record<EngineState, Style>> = {
  reachable: "green",
  connecting: "cyan",
  unreachable: "red",
  leaving: "yellow",
  cordoned: "yellow",
};

export function engineStyle(each: EngineShape): Style {
  return stateStyles[engineState(each)];
}

export const engine: Noun<EngineShape> = {
  name: "engine",
  plural: "engines",
  watch: "listEngines",
  nameOf: ({ name }) => name,
  keyOf: ({ name }) => name,
  examples: ["tess engine get", "tess engine get east -o json", "tess engine get -w"],
  columns: [
    { name: "name", text: ({ name }) => name },
    { name: "kind", text: ({ kind }) => kind },
    { name: "state", text: engineState, style: engineStyle },
    {
      name: "since",
      text: ({ since }, now) => ageText(since, now),
      raw: ({ since }) => since,
      right: true,
      hidesEmpty: true,
    },
    { name: "nodes", text: ({ nodes }) => String(nodes), raw: ({ nodes }) => nodes, right: true },
    { name: "gpus", text: ({ gpus }) => String(gpus), raw: ({ gpus }) => gpus, right: true },
    { name: "free", text: ({ gpusFree }) => numberText(gpusFree), raw: ({ gpusFree }) => gpusFree, right: true },
    { name: "version", text: ({ version }) => version ?? "", hidesEmpty: true },
    { name: "lost-after", text: ({ lostAfter }) => lostAfter ?? "never", wide: true },
    { name: "credentials", text: ({ credentials }) => credentials, wide: true },
    { name: "detail", text: detailText, shrinks: true, hidesEmpty: true },
  ],
  queryOf: async () => ({}),
  page: (api, query) => api.call("listEngines", { query }),
  load: async (session, name) => (await session.api()).call("getEngine", { at: { engine: name } }),
  describe: describeEngine,
};

/** What stands in the way of new work there. */
function detailText(each: EngineShape): string {
  const parts = [
    each.error,
    each.lostAt === undefined ? undefined : `its jobs count as lost at ${instantText(each.lostAt)}`,
    each.leaving ? "is deleted when it is empty" : undefined,
    each.cordoned === undefined ? undefined : `cordoned${each.cordoned === "" ? "" : `: ${each.cordoned}`}`,
    each.credentials === "missing" ? "its credentials are missing: tess engine edit NAME --kubeconfig FILE" : undefined,
  ];
  return parts.filter((part) => part !== undefined && part !== "").join("; ");
}

function describeEngine(each: EngineShape, paint: Paint, now: number): string {
  const title = `${paint("bold", each.name)}  ${paint(engineStyle(each), engineState(each))}\n`;
  const can = each.capabilities === undefined ? undefined : abilitiesOf(each.capabilities);
  const picture = bar([{ amount: each.gpusHeld, style: "green" }], each.gpus, 16, paint);
  return `${title}  ${picture} ${numberText(each.gpusFree)} of ${each.gpus} GPUs free, ${numberText(each.gpusHeld)} held by jobs\n${fieldsText(
    [
      ["Kind", each.kind],
      ["Version", each.version],
      [
        each.reach === "reachable" ? "Reachable" : "Out of reach",
        each.since === undefined ? undefined : `since ${instantText(each.since)} (${ageText(each.since, now)})`,
      ],
      ["Jobs lost", each.lostAt === undefined ? undefined : `at ${instantText(each.lostAt)} unless it is back`],
      [each.reach === "reachable" ? "Last error" : "Error", each.error],
      ["Cordoned", each.cordoned === "" ? "yes" : each.cordoned],
      ["Leaving", each.leaving ? "takes nothing new, and is deleted when it is empty" : undefined],
      ["Nodes", String(each.nodes)],
      ["Lost after", each.lostAfter ?? "never: its jobs are waited for"],
      ["Runs", can?.runs],
      ["Lacks", can?.lacks],
      ["Settings", pairsText(each.settings)],
      ["Credentials", credentialsText(each.credentials)],
      ["From", each.fromStart ? "the start of the server; change it there" : undefined],
      ["Created", instantText(each.createdAt)],
    ],
    paint,
    "  ",
  )}`;
}

function credentialsText(credentials: EngineShape["credentials"]): string | undefined {
  switch (credentials) {
    case "none":
      return undefined;
    case "kept":
      return "kept, sealed";
    case "start-file":
      return "from the file that the server was started with";
    case "missing":
      return "missing; give them again: tess engine edit NAME --kubeconfig FILE";
  }
}

/** `a=b, c=d` */
export function pairsText(pairs: Readonly<Record<string, string>> | undefined): string {
  return Object.entries(pairs ?? {})
    .map(([name, value]) => `${name}=${value}`)
    .join(", ");
}
