import { isRefusal, type NodeFacts, type NodeOffers } from "@tessera/core";
import type { Capabilities, Engine } from "@tessera/engine";
import { isKnownFleet } from "../bind/inventory.ts";
import type { Asker, ControlPlane } from "../control.ts";

const by: Asker = { actor: { user: "system" }, request: "inventory" };

/** Tells the writer which nodes an engine has. Beside others each node says what it offers: capabilities differ. */
export async function registerNodes(
  control: Pick<ControlPlane, "state" | "ask">,
  engine: Engine,
  found: readonly NodeFacts[],
  beside: boolean,
  warn: (text: string) => void,
): Promise<void> {
  const offers = offersOf(engine.capabilities);
  const nodes = beside ? found.map((facts): NodeFacts => ({ offers, ...facts })) : found;
  if (await isKnownFleet(control.state, engine.name, nodes)) return;
  const answer = await control.ask({ kind: "node.register", engine: engine.name, nodes }, by);
  if (!isRefusal(answer)) return;
  // On a full disk the fleet stays what it was.
  if (answer.refused === "no-space" && control.state.fleet.nodes.length > 0) return warn(answer.detail);
  throw new Error(`inventory: ${answer.detail}`);
}

/** What the nodes of an engine offer that says no more of them. */
export function offersOf(can: Capabilities): NodeOffers {
  return {
    images: can.images,
    withoutImage: can.withoutImage ?? true,
    isolation: can.isolation,
    workdir: can.workdir,
    code: can.code ?? false,
    mounts: can.mounts ?? false,
  };
}
