import type { FleetNodeShape, GpuShape } from "@tessera/wire";
import { count, spellNumber, spellShare } from "../../format/numbers.ts";
import { wordsBy } from "./colours.ts";

export interface CardWords {
  readonly title: string;
  readonly place: string;
  readonly state: string;
  /** The tenants that hold it, as far as the reader may see them. */
  readonly account: string | undefined;
  readonly jobs: string | undefined;
}

const namesMax = 3;
const stateOf = wordsBy("class", undefined);

/** What there is to say of a node, or of one of its GPUs. `known`: its GPUs with their jobs, once they are read. */
export function cardWords(
  node: FleetNodeShape,
  gpu: number | undefined,
  known: readonly Pick<GpuShape, "index" | "free" | "jobs" | "names">[],
): CardWords {
  const { name, model, region = "", zone, block, rack, mode, tenants = [], holders = [] } = node;
  const places = gpu === undefined ? [...node.cells].map((_, place) => place) : [gpu];
  const held = new Set(places.map((place) => tenants[holders[place] ?? -1]).filter((path) => path !== undefined));
  const own = known.filter(({ index }) => gpu === undefined || index === gpu);
  const part = gpu === undefined ? undefined : own[0]?.free;
  const jobs = new Map(own.flatMap((each) => each.jobs.map((job, no) => [job, each.names[no] ?? job] as const)));
  return {
    title: gpu === undefined ? name : `${name}, GPU ${gpu}`,
    place: [`${gpu === undefined ? `${node.cells.length} × ` : ""}${model}`, region, zone, block, rack]
      .filter((each) => each !== "")
      .join(" / "),
    state: [
      ...(mode === "up" ? [] : [mode]),
      ...statesOf(node, places).filter((word) => word !== mode),
      ...(part !== undefined && part > 0 && part < 1 ? [`${spellShare(part, 1)} free`] : []),
    ].join(", "),
    account: held.size === 0 ? undefined : listed([...held]),
    jobs: jobs.size === 0 ? undefined : listed([...jobs.values()]),
  };
}

/** `burst`; of a whole node with how many GPUs of it are so, the most first. */
function statesOf(node: FleetNodeShape, places: readonly number[]): string[] {
  const many = Map.groupBy(places, (place) => stateOf(node, place));
  if (many.size === 1) return [...many.keys()];
  return [...many].sort((a, b) => b[1].length - a[1].length).map(([word, all]) => `${spellNumber(all.length)} ${word}`);
}

function listed(names: readonly string[]): string {
  const more = names.length - namesMax;
  return more <= 0 ? names.join(", ") : `${names.slice(0, namesMax).join(", ")} and ${count(more, "other")}`;
}
