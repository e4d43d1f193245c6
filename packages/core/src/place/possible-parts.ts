import { partMemoryMiB } from "../gpu/part-memory.ts";
import { seatPart } from "../gpu/seat.ts";
import type { AccountNo } from "../model/ids.ts";
import type { JobSpec } from "../model/job.ts";
import type { PartSeat } from "../model/part.ts";
import { modelsFor } from "../quota/demand.ts";
import { nodesAmong } from "../state/narrowing.ts";
import { newcomerOf } from "../state/neighbours.ts";
import type { ReadonlyState } from "../state/readonly-state.ts";

/** A part that a job may get of an empty GPU of a model, in one mode. */
export interface PossiblePart {
  readonly model: string;
  readonly seat: PartSeat;
  readonly memoryMiB: number;
  readonly virtual: boolean;
}

/** What the parts that a job asks for can be on the nodes that it may use, whatever these hold: one of each kind. */
export function possibleParts(state: ReadonlyState, account: AccountNo, spec: JobSpec): PossiblePart[] {
  const { fleet } = state;
  const among = nodesAmong(state, account, spec);
  const who = newcomerOf(state, { account, spec });
  const kinds = new Map<string, PossiblePart>();
  const seen = new Set<string>();
  for (const [choice, { part: asked }] of spec.gpus.entries()) {
    if (asked === undefined) continue;
    const models = new Set(modelsFor(state, { spec }, choice));
    const ask = { ...asked, isolation: spec.isolation };
    for (const node of fleet.nodes) {
      if (node === undefined || among?.has(node) === false) continue;
      const { virtual, gpus } = node.facts;
      for (let gpu = node.firstGpu as number; gpu < node.firstGpu + gpus.length; gpu++) {
        const device = fleet.device(gpu);
        const { model, memoryMiB, sharing } = device;
        const key = `${choice} ${fleet.gpuModel[gpu]} ${memoryMiB} ${virtual} ${sharing.key}`;
        if (seen.has(key) || !models.has(fleet.gpuModel[gpu]!)) continue;
        seen.add(key);
        for (const mode of sharing.modes) {
          const seat = seatPart({ ...device, sharing: { ...sharing, modes: [mode] } }, [], who, ask);
          if (typeof seat === "string") continue;
          const { slot: _, ...size } = seat;
          const found = { model, seat: size, memoryMiB: partMemoryMiB(device, seat), virtual };
          kinds.set(JSON.stringify(found), found);
        }
      }
    }
  }
  return [...kinds.values()];
}
