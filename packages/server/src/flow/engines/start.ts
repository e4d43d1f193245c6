import { type EngineTerms, isRefusal, type ReadonlyState } from "@tessera/core";
import type { Asker, ControlPlane } from "../control.ts";
import { deleteCredentials } from "./credentials.ts";
import type { GivenEngine } from "./kinds.ts";

export const bySystem: Asker = { actor: { user: "system" }, request: "engines" };

/** The journal knows the engines that were given at the start, as they were given. */
export async function ensureGiven(
  control: Pick<ControlPlane, "state" | "ask">,
  given: readonly GivenEngine[],
  warn: (text: string) => void,
): Promise<void> {
  for (const { name, kind, settings, lostAfterMs } of given) {
    const known = control.state.engines.get(name);
    const cordoned = known?.terms.cordoned;
    const terms: EngineTerms = { kind, settings, lostAfterMs, ...(cordoned !== undefined && { cordoned }) };
    if (known !== undefined && isSame(known.terms, terms)) continue;
    const command = known === undefined ? ({ kind: "engine.create", name, terms } as const) : undefined;
    const done = await control.ask(command ?? { kind: "engine.edit", name, terms }, bySystem);
    if (!isRefusal(done)) continue;
    // On a full disk the server starts all the same.
    if (done.refused !== "no-space") throw new Error(`engine ${name}: ${done.detail}`);
    warn(`engine ${name}: ${done.detail}`);
  }
}

function isSame(a: EngineTerms, b: EngineTerms): boolean {
  const text = ({ kind, lostAfterMs, settings }: EngineTerms) =>
    JSON.stringify([kind, lostAfterMs, Object.entries(settings).sort()]);
  return text(a) === text(b);
}

/**
 * Engines that this server was started without: one with nothing on it is deleted, the others are out of reach, until a
 * start gives them again.
 */
export async function turnOff(
  control: Pick<ControlPlane, "state" | "ask">,
  isThere: (engine: string) => boolean,
): Promise<void> {
  const { state } = control;
  const known = new Set([...state.engines.keys(), ...state.fleet.engines]);
  for (const name of known) {
    if (isThere(name)) continue;
    if (!state.engines.has(name)) await control.ask({ kind: "node.register", engine: name, nodes: [] }, bySystem);
    else if (isBusy(state, name))
      await control.ask({ kind: "engine.reach", name, away: "the server was started without it" }, bySystem);
    else await control.ask({ kind: "engine.delete", name }, bySystem);
  }
}

function isBusy({ fleet }: ReadonlyState, engine: string): boolean {
  return fleet.nodes.some((node) => node?.facts.engine === engine && node.leases > 0);
}

/** Deletes the credentials of engines that are gone. */
export async function forget(
  control: Pick<ControlPlane, "reader" | "ask">,
  isGone: (engine: string) => boolean,
): Promise<void> {
  await deleteCredentials(control, bySystem, isGone);
}
