import { type NodeFacts, nodeKey } from "@tessera/core";
import { BadInput } from "@tessera/sim";

/** `nodes` nodes with `gpus` GPUs each, to add to the fleet or to leave out of it. */
interface Group {
  readonly text: string;
  readonly fewer: boolean;
  readonly nodes: number;
  readonly gpus: number;
  /** Absent: any. */
  readonly model: string | undefined;
}

/** Nodes that are added to every list in which an engine tells its nodes, or left out of it. */
export class FleetChange {
  readonly #groups: readonly Group[];
  /** Of groups that have been found a place: the node they take after, and the nodes that are gone. */
  readonly #likes = new Map<Group, NodeFacts>();
  readonly #gone = new Set<string>();

  constructor(texts: readonly string[]) {
    this.#groups = texts.map(parseGroup);
  }

  /** A list of nodes with the change in place; the list itself where there is none. */
  amend(nodes: readonly NodeFacts[]): readonly NodeFacts[] {
    if (this.#groups.length === 0 || nodes.length === 0) return nodes;
    for (const group of this.#groups) if (!this.#likes.has(group)) this.#find(group, nodes);
    const engine = nodes[0]!.engine;
    const more = this.#groups.flatMap((group, i) => {
      const like = this.#likes.get(group);
      return like === undefined || group.fewer || like.engine !== engine ? [] : copiesOf(like, group, i);
    });
    return [...nodes.filter((facts) => !this.#gone.has(nodeKey(facts))), ...more];
  }

  unmet(): string | undefined {
    const group = this.#groups.find((each) => !this.#likes.has(each));
    if (group === undefined) return undefined;
    const { text, fewer, nodes, gpus, model } = group;
    const asked = `${fewer ? `${nodes} nodes with` : "a node with at least"} ${gpus} GPUs${model === undefined ? "" : ` of model ${model}`}`;
    return `--nodes ${text}: the fleet had never ${asked} ${fewer ? "to do without" : "to take after"}`;
  }

  #find(group: Group, nodes: readonly NodeFacts[]): void {
    const { fewer, gpus, model } = group;
    const ofModel = nodes.filter((facts) => model === undefined || facts.gpus[0]?.model === model);
    if (!fewer) {
      const like = ofModel.find((facts) => facts.gpus.length >= gpus);
      if (like !== undefined) this.#likes.set(group, like);
      return;
    }
    const alike = ofModel.filter((facts) => facts.gpus.length === gpus && !this.#gone.has(nodeKey(facts)));
    if (alike.length < group.nodes) return;
    this.#likes.set(group, alike[0]!);
    for (const facts of alike.slice(alike.length - group.nodes)) this.#gone.add(nodeKey(facts));
  }
}

/** New nodes take after one that is there: its cores, its memory, its place. */
function copiesOf(like: NodeFacts, { nodes, gpus }: Group, group: number): NodeFacts[] {
  return Array.from({ length: nodes }, (_, i) => {
    const name = `what-if-${group}-${i}`;
    const copies = like.gpus.slice(0, gpus).map((gpu, index) => ({ ...gpu, uuid: `${name}-${index}` }));
    return { ...like, name, gpus: copies };
  });
}

function parseGroup(text: string): Group {
  const match = /^(-?)(\d{1,6})x(\d{1,3})(?::([^:]+))?$/.exec(text);
  if (match === null) {
    throw new BadInput(
      `--nodes ${text}: write NODESxGPUS:MODEL, for example --nodes 4x8:H100, or --nodes=-4x8:H100 for fewer`,
    );
  }
  return { text, fewer: match[1] === "-", nodes: Number(match[2]), gpus: Number(match[3]), model: match[4] };
}
