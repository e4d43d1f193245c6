import type { NodeShape } from "@tessera/wire";
import { Chip, type Tone } from "../../design/chip.tsx";

const looks: Readonly<Record<NodeShape["mode"], { tone: Tone; shape: "dot" | "square" | "ring" | "cross" }>> = {
  up: { tone: "healthy", shape: "dot" },
  cordoned: { tone: "burst", shape: "ring" },
  draining: { tone: "leaving", shape: "square" },
  maintenance: { tone: "maintenance", shape: "square" },
  down: { tone: "down", shape: "cross" },
  unknown: { tone: "unknown", shape: "ring" },
};

export function ModeChip({ mode }: { mode: NodeShape["mode"] }) {
  return <Chip {...looks[mode]}>{mode}</Chip>;
}
