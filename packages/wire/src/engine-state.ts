import type { EngineCapabilities, EngineShape } from "./shapes/engine.ts";

export type EngineState = EngineShape["reach"] | "leaving" | "cordoned";

/** An engine in a word, the one that matters most: what cannot be reached is neither emptied nor let work. */
export function engineState({
  reach,
  leaving,
  cordoned,
}: Pick<EngineShape, "reach" | "leaving" | "cordoned">): EngineState {
  if (reach !== "reachable") return reach;
  if (leaving) return "leaving";
  return cordoned === undefined ? "reachable" : "cordoned";
}

const abilities: readonly (readonly [Exclude<keyof EngineCapabilities, "isolation">, string])[] = [
  ["images", "container images"],
  ["withoutImage", "jobs without an image"],
  ["code", "code of the user"],
  ["mounts", "volumes"],
  ["workdir", "workdir of the node"],
];

/** What jobs can ask for on an engine, and what they cannot. */
export function abilitiesOf(can: EngineCapabilities): { readonly runs: string; readonly lacks: string } {
  const texts = (has: boolean) => abilities.filter(([name]) => can[name] === has).map(([, text]) => text);
  return {
    runs: [...texts(true), `isolation ${can.isolation.join(", ")}`].join("; "),
    lacks: texts(false).join("; "),
  };
}
