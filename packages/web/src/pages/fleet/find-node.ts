import type { FleetNodeShape } from "@tessera/wire";

type Place = Pick<FleetNodeShape, "name" | "rack">;

/** The names of the nodes that are meant: the one of this name, then those of this rack, then those whose name has it. */
export function nodesFound(nodes: readonly Place[], typed: string): string[] {
  const text = typed.trim();
  if (text === "") return [];
  const rankOf = ({ name, rack }: Place) => (name === text ? 0 : rack === text ? 1 : name.includes(text) ? 2 : 3);
  const ranked = nodes.map((node) => ({ name: node.name, rank: rankOf(node) })).filter(({ rank }) => rank < 3);
  return ranked.sort((a, b) => a.rank - b.rank).map(({ name }) => name);
}
