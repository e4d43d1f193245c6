import { existsSync } from "node:fs";

/**
 * The moments at which a crash must lose nothing; the crash soak ends the process at each of them. Four are those of a
 * seat that changes hands: its victim is to be told, has been told, has left, and the claimant is to start. The last is
 * each step in which new data keys take over what older ones sealed, up to the destruction of a key.
 */
export type Phase =
  | "deciding"
  | "committing"
  | "committed"
  | "before-engine-call"
  | "after-engine-call"
  | "adopting"
  | "before-signal"
  | "in-grace"
  | "after-stop"
  | "before-start"
  | "resealing";

const asked = /^([a-z-]+):(\d+)$/.exec(process.env.TESSERA_CRASH_AT ?? "");
const phaseAsked = asked?.[1];
let passesLeft = Number(asked?.[2] ?? 0);
/** Passes count only while this file is there, where one is named. */
const armedBy = process.env.TESSERA_CRASH_ARMED_BY;

/**
 * A real SIGKILL of this process at its n-th pass through a phase, when the environment asks for one
 * (`TESSERA_CRASH_AT=committing:12`). Otherwise nothing.
 */
export function crashPoint(phase: Phase): void {
  if (phase !== phaseAsked || (armedBy !== undefined && !existsSync(armedBy)) || --passesLeft > 0) return;
  process.kill(process.pid, "SIGKILL");
  // The signal may take a moment; nothing may happen in it.
  for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_000);
}
