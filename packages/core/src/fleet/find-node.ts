import { type Refusal, refuse } from "../journal/refusal.ts";
import type { FleetNode, NodeFacts } from "../model/node.ts";
import { nodeKey } from "../model/node-key.ts";
import type { ReadonlyFleet } from "./readonly-fleet.ts";

/** The name by which people know a node: with its engine only where several engines have nodes. */
export function nodeName(fleet: ReadonlyFleet, { facts }: Pick<FleetNode, "facts">): string {
  return fleet.enginesPresent().length > 1 ? nodeKey(facts) : facts.name;
}

/** The name of a node in records, which outlast changes of the fleet: bare for nodes of the first engine. */
export function recordName(fleet: ReadonlyFleet, facts: Pick<NodeFacts, "engine" | "name">): string {
  const { engines } = fleet;
  return engines.length === 0 || engines[0] === facts.engine ? facts.name : nodeKey(facts);
}

/**
 * The name of a GPU in records. A device that is only counted has a name with its node's in it, such as `n0/gpu/3`, which
 * another engine may give as well.
 */
export function recordGpu(fleet: ReadonlyFleet, { engine }: Pick<NodeFacts, "engine">, uuid: string): string {
  return uuid.includes("/") && fleet.engines[0] !== undefined && fleet.engines[0] !== engine
    ? `${engine}/${uuid}`
    : uuid;
}

/** The node that a text names: `engine/name`, or a bare name that only one engine has. */
export function findNode(fleet: ReadonlyFleet, text: string): FleetNode | Refusal {
  const exact = fleet.nodeByName.get(text);
  if (exact !== undefined) return exact;
  const found = fleet.engines.flatMap((engine) => fleet.nodeByName.get(nodeKey({ engine, name: text })) ?? []);
  const [only, ...others] = found;
  if (only === undefined) return refuse("not-found", "node", text, "does not exist", "see: tess node get");
  if (others.length === 0) return only;
  const names = found.map(({ facts }) => nodeKey(facts)).join(", ");
  return refuse("conflict", "node", text, "is the name of nodes of several engines", `name one of them: ${names}`);
}
