import type { NodeShape } from "@tessera/wire";
import { Chip } from "../../design/chip.tsx";
import { colourOf } from "../../design/hues.ts";
import { meanings } from "../../design/meanings.ts";

const shapes: Readonly<Record<NodeShape["mode"], "dot" | "square" | "ring" | "cross">> = {
  up: "dot",
  cordoned: "ring",
  draining: "square",
  maintenance: "square",
  down: "cross",
  unknown: "ring",
};

export function ModeChip({ mode }: { mode: NodeShape["mode"] }) {
  return (
    <Chip colour={colourOf(meanings.mode[mode])} shape={shapes[mode]}>
      {mode}
    </Chip>
  );
}
