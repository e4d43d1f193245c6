import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { deserialize, serialize } from "node:v8";
import type { SimulatedFleet } from "./fleet.ts";
import type { Member } from "./member.ts";

/** A member that runs, or is about to leave, while no control plane looks: enough to go on with it. */
export type KeptMember = Omit<
  Member,
  "startMs" | "ran" | "cancelNext" | "delivered" | "fated" | "stalled" | "watchers"
>;

export interface Kept {
  readonly epochSeen: number;
  readonly members: readonly KeptMember[];
}

/** Writes what runs, so that the next process finds it running. */
export function keepRunning(fleet: SimulatedFleet, file: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const written = `${file}.new`;
  writeFileSync(written, serialize(fleet.kept()), { mode: 0o600 }); // times may be Infinity, which JSON does not have
  renameSync(written, file);
}

/** Goes on with what ran. The file serves once: after a crash it would tell of what ended long ago. */
export function takeKept(fleet: SimulatedFleet, file: string): void {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return;
    throw error;
  }
  rmSync(file);
  fleet.goOn(deserialize(bytes) as Kept);
}
