import {
  type ArrivalShape,
  type FleetWorth,
  type NodeRoom,
  type Unplaced,
  unitsPerGpu,
  WorthLearner,
} from "@tessera/core";
import type { Place, Policy, World } from "./policy.ts";
import { wholeGpu } from "./read.ts";

const unitsPerMilli = unitsPerGpu / wholeGpu;

/** Nodes that have the same room; `nodes` in the order that settles ties. */
interface Group {
  readonly room: NodeRoom;
  readonly nodes: number[];
  /** Where it stands in the list of groups. */
  at: number;
  /** For each kind the points that a placement costs, as far as they were asked for. */
  costs: (number | undefined)[];
}

const doesNotFit = Number.POSITIVE_INFINITY;

/** Whether the policy learns the mix from arrivals, or is given it at the start. */
export type MixKnowledge = "online" | "oracle";

/**
 * The product's own placement. Nodes with equal rooms are one group, so that the cost of a decision grows with how many
 * different rooms there are, not with the fleet.
 */
export class Tessera implements Policy {
  readonly #world: World;
  readonly #knowledge: MixKnowledge;
  readonly #shapes: readonly ArrivalShape[];
  readonly #learner: WorthLearner;
  readonly #largest: { gpus: number; cpusMilliPerGpu: number };
  readonly #groupByKey = new Map<string, Group>();
  readonly #groups: Group[] = [];
  readonly #groupOf: Group[] = [];
  #worth: FleetWorth | undefined;

  /** `unplaced` says which weight of gangs it takes: that for filling a fleet once, or that of the product. */
  constructor(world: World, knowledge: MixKnowledge, unplaced: Unplaced) {
    this.#learner = new WorthLearner(unplaced);
    this.#world = world;
    this.#knowledge = knowledge;
    const { cluster, kinds, allowed } = world;
    this.#shapes = kinds.map(({ cpuMilli, gpus, milli, models }, kind) => ({
      cpusMilli: cpuMilli,
      gpus,
      unitsEach: milli * unitsPerMilli,
      models: models.length === 0 ? [] : [...allowed[kind]!.keys()].filter((model) => allowed[kind]![model] === 1),
    }));
    const gpus = Math.max(...cluster.gpus);
    const largest = [...cluster.gpus.keys()].filter((node) => cluster.gpus[node] === gpus);
    const cpus = largest.reduce((sum, node) => sum + cluster.cpuFree[node]!, 0);
    this.#largest = { gpus, cpusMilliPerGpu: gpus === 0 ? 0 : cpus / (gpus * largest.length) };
    for (let node = 0; node < cluster.nodes; node++) this.#join(node);
    if (knowledge === "oracle") {
      world.rows.forEach((rows, kind) => {
        for (let row = 0; row < rows; row++) this.#learner.arrive(this.#shapes[kind]!);
      });
    }
  }

  choose(kind: number, memoryMiB: number): Place | undefined {
    const { cluster } = this.#world;
    const shape = this.#shapes[kind]!;
    if (this.#knowledge === "online") this.#learner.arrive(shape);
    const worth = this.#learner.worth({
      models: cluster.modelNames.length,
      largest: this.#largest,
      capacityUnits: cluster.capacityMilli * unitsPerMilli,
      allocatedUnits: cluster.allocatedMilli * unitsPerMilli,
      rooms: () => this.#groups.map(({ room, nodes }) => [room, nodes.length] as const),
    });
    if (worth !== this.#worth) {
      for (const group of this.#groups) group.costs = [];
      this.#worth = worth;
    }
    let least = doesNotFit;
    let best = -1;
    for (const group of this.#groups) {
      let points = group.costs[kind];
      if (points === undefined) {
        points = worth.cost(group.room, shape)?.points ?? doesNotFit;
        group.costs[kind] = points;
      }
      if (points > least || points === doesNotFit) continue;
      const node = this.#firstWith(group, memoryMiB);
      if (node >= 0 && (points < least || node < best)) {
        least = points;
        best = node;
      }
    }
    return best < 0 ? undefined : { node: best, device: this.#deviceOf(worth, shape, best) };
  }

  placed(_kind: number, node: number): void {
    this.#regroup(node);
  }

  left(_kind: number, node: number): void {
    this.#regroup(node);
  }

  #regroup(node: number): void {
    this.#leave(node);
    this.#join(node);
  }

  #firstWith({ nodes }: Group, memoryMiB: number): number {
    for (const node of nodes) if (this.#world.cluster.memoryFree[node]! >= memoryMiB) return node;
    return -1;
  }

  #deviceOf(worth: FleetWorth, shape: ArrivalShape, node: number): number {
    if (shape.gpus === 0 || shape.unitsEach === unitsPerGpu) return -1;
    const { free, stride } = this.#world.cluster;
    const freeMilli = worth.cost(this.#groupOf[node]!.room, shape)!.freeUnits / unitsPerMilli;
    return free.indexOf(freeMilli, node * stride) - node * stride;
  }

  #join(node: number): void {
    const room = this.#roomOf(node);
    const key = `${room.model}/${room.cpusMilli}/${room.freeUnits.join()}`;
    let group = this.#groupByKey.get(key);
    if (group === undefined) {
      group = { room, nodes: [], at: this.#groups.length, costs: [] };
      this.#groupByKey.set(key, group);
      this.#groups.push(group);
    }
    const { nodes } = group;
    let at = nodes.length;
    while (at > 0 && nodes[at - 1]! > node) at--;
    nodes.splice(at, 0, node);
    this.#groupOf[node] = group;
  }

  #leave(node: number): void {
    const group = this.#groupOf[node]!;
    group.nodes.splice(group.nodes.indexOf(node), 1);
    if (group.nodes.length > 0) return;
    const { room, at } = group;
    this.#groupByKey.delete(`${room.model}/${room.cpusMilli}/${room.freeUnits.join()}`);
    const last = this.#groups.pop()!;
    if (last === group) return;
    this.#groups[at] = last;
    last.at = at;
  }

  #roomOf(node: number): NodeRoom {
    const { cluster } = this.#world;
    const first = node * cluster.stride;
    const milli = cluster.free.slice(first, first + cluster.gpus[node]!).sort();
    return {
      model: cluster.model[node]!,
      cpusMilli: cluster.cpuFree[node]!,
      freeUnits: Array.from(milli, (free) => free * unitsPerMilli),
    };
  }
}
