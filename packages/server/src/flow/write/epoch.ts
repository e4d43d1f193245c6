import { randomBytes } from "node:crypto";
import type { Input, OperationId } from "@tessera/core";
import { systemClock } from "@tessera/engine";
import type { Store } from "../../store/port.ts";
import { recover } from "./recover.ts";
import { requestOf, Writer } from "./writer.ts";

/**
 * Begins a new epoch: engines that have seen it refuse orders from the control plane that was restored over, and what
 * ran after the backup was taken is recognised by its name and not run again (S34).
 */
export async function beginEpoch(store: Store, reason: string, op?: string): Promise<number> {
  const { state, head } = await recover(store);
  const writer = new Writer({ store, state, head, clock: systemClock, snapshotEveryEvents: 1, freeBytesMin: 0 });
  await writer.write([requestOf(epochInput(reason, op))]);
  return state.epoch;
}

/** The input that begins an epoch; its reason is in the audit. */
export function epochInput(reason: string, op = `op_${randomBytes(12).toString("hex")}`): Input {
  const command = { kind: "epoch.begin", reason } as const;
  return { kind: "command", v: 1, op: op as OperationId, actor: { user: "system" }, request: op, command };
}
