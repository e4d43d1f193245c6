import type { EngineShape } from "@tessera/wire";
import { type EngineState, engineState } from "@tessera/wire/engine-state";
import { Chip, type Tone } from "../../design/chip.tsx";

const looks: Readonly<Record<EngineState, { tone: Tone; shape: "dot" | "square" | "ring" | "cross" }>> = {
  reachable: { tone: "healthy", shape: "dot" },
  connecting: { tone: "unknown", shape: "ring" },
  unreachable: { tone: "down", shape: "cross" },
  leaving: { tone: "leaving", shape: "square" },
  cordoned: { tone: "burst", shape: "ring" },
};

export function EngineChip({ engine }: { engine: EngineShape }) {
  const state = engineState(engine);
  return <Chip {...looks[state]}>{state}</Chip>;
}
