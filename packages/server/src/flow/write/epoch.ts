import type { OperationId } from "@tessera/core";
import { systemClock } from "@tessera/engine";
import type { Store } from "../../store/port.ts";
import { recover } from "./recover.ts";
import { requestOf, Writer } from "./writer.ts";

/**
 * Begins a new epoch: engines that have seen it refuse orders from the control plane that was restored over, and what
 * ran after the backup was taken is recognised by its name and not run again (S34).
 */
export async function beginEpoch(store: Store, reason: string, op: string): Promise<number> {
  const { state, head } = await recover(store);
  const writer = new Writer({ store, state, head, clock: systemClock, snapshotEveryEvents: 1, freeBytesMin: 0 });
  const command = { kind: "epoch.begin", reason } as const;
  const input = {
    kind: "command",
    v: 1,
    op: op as OperationId,
    actor: { user: "system" },
    request: op,
    command,
  } as const;
  await writer.write([requestOf(input)]);
  return state.epoch;
}
