import { type EngineTerms, isRefusal, type Refusal, refuse } from "@tessera/core";
import type { PrivateWrite } from "../../store/port.ts";
import type { Asker } from "../control.ts";
import { credentialsRow, openCredentials } from "./credentials.ts";
import type { Engines } from "./engines.ts";
import type { AddedKind } from "./kinds.ts";
import { wholeKubeconfig } from "./kubeconfig.ts";
import { within } from "./patience.ts";
import { twinOf } from "./twin.ts";

export interface EngineAdded {
  readonly name: string;
  readonly kind: Exclude<EngineTerms["kind"], "local">;
  readonly kubeconfig?: string;
  readonly settings: EngineTerms["settings"];
  readonly lostAfterMs: number;
}

export interface EngineEdited {
  readonly kubeconfig?: string;
  readonly settings?: EngineTerms["settings"];
  readonly lostAfterMs?: number;
}

/** A cluster that does not answer within this is not taken on. */
const tryMsMax = 20_000;

/** Adds an engine after it was tried; a refusal changes nothing. */
export async function addEngine(engines: Engines, by: Asker, asked: EngineAdded): Promise<Refusal | undefined> {
  const { control, vault } = engines.begun;
  const { name, settings, lostAfterMs } = asked;
  if (control.state.engines.has(name))
    return refuse("already-exists", "name", name, "is an engine already", `change it: tess engine edit ${name}`);
  const kind = engines.kindOf(asked.kind)!;
  const credentials = takeCredentials(kind, asked.kubeconfig, settings);
  if (isRefusal(credentials)) return credentials;
  const wrong = kind.check(settings) ?? (await tryEngine(engines, kind, name, settings, credentials));
  if (wrong !== undefined) return wrong;
  const terms = { kind: asked.kind, settings, lostAfterMs };
  const rows = credentials === undefined ? [] : [await credentialsRow(vault, name, credentials)];
  const done = await control.ask({ kind: "engine.create", name, terms }, by, rows);
  if (isRefusal(done)) return done;
  engines.open(name, credentials);
  await engines.settle(name);
  return undefined;
}

/** Changes an engine; with other settings or credentials it is tried and opened again. What runs there keeps running. */
export async function editEngine(
  engines: Engines,
  by: Asker,
  name: string,
  edit: EngineEdited,
): Promise<Refusal | undefined> {
  const { control, vault } = engines.begun;
  if (engines.isGiven(name)) return givenAtStart(name, "change it there, and start the server again");
  const { terms } = control.state.engines.get(name)!;
  const kind = engines.kindOf(terms.kind)!;
  const settings = edit.settings ?? terms.settings;
  const opensAgain = edit.settings !== undefined || edit.kubeconfig !== undefined;
  const rows: PrivateWrite[] = [];
  let credentials: string | undefined;
  if (opensAgain) {
    const kept = edit.kubeconfig ?? (await openCredentials(vault, control.reader, control.state, name));
    const taken = takeCredentials(kind, kept, settings);
    if (isRefusal(taken)) return taken;
    credentials = taken;
    const wrong = kind.check(settings) ?? (await tryEngine(engines, kind, name, settings, credentials));
    if (wrong !== undefined) return wrong;
    if (credentials !== undefined) rows.push(await credentialsRow(vault, name, credentials));
  }
  const next = { ...terms, settings, lostAfterMs: edit.lostAfterMs ?? terms.lostAfterMs };
  const done = await control.ask({ kind: "engine.edit", name, terms: next }, by, rows);
  if (isRefusal(done)) return done;
  if (opensAgain) {
    await engines.letGo(name);
    engines.open(name, credentials);
    await engines.settle(name);
  }
  return undefined;
}

/** Drains an engine; it is closed, and its credentials deleted, when nothing is left on it. */
export async function deleteEngine(engines: Engines, by: Asker, name: string): Promise<Refusal | undefined> {
  if (engines.isGiven(name)) {
    const hint =
      name === "local" ? "start the server with --no-local" : "take it out there, and start the server again";
    return givenAtStart(name, hint);
  }
  const done = await engines.begun.control.ask({ kind: "engine.delete", name }, by);
  return isRefusal(done) ? done : undefined;
}

function givenAtStart(name: string, hint: string): Refusal {
  return refuse("conflict", "engine", name, "is given when the server starts", hint);
}

function takeCredentials(
  kind: AddedKind,
  given: string | undefined,
  settings: EngineTerms["settings"],
): string | undefined | Refusal {
  if (!kind.sealed)
    return given === undefined
      ? undefined
      : refuse("invalid", "kubeconfig", null, "is not used by engines of this kind", "leave it out");
  if (given === undefined)
    return refuse("invalid", "kubeconfig", null, "is missing", "give the kubeconfig of the cluster: --kubeconfig FILE");
  const whole = wholeKubeconfig(given, settings.context);
  return isRefusal(whole) ? whole : whole.text;
}

async function tryEngine(
  engines: Engines,
  kind: AddedKind,
  name: string,
  settings: EngineTerms["settings"],
  credentials: string | undefined,
): Promise<Refusal | undefined> {
  const ask = { name, settings, ...(credentials !== undefined && { credentials }) };
  try {
    await within(tryMsMax, kind.try(ask));
    const twin = await twinOf(engines, kind, ask);
    if (twin === undefined) return undefined;
    const hint = `give the kubeconfig of another cluster, or change that engine: tess engine edit ${twin}`;
    return refuse("conflict", "kubeconfig", null, `leads to the cluster of engine ${twin}`, hint);
  } catch (error) {
    const field = kind.sealed ? "kubeconfig" : "settings";
    return refuse("invalid", field, null, `does not lead to a usable cluster: ${(error as Error).message}`, "");
  }
}
