import { isRefusal, type ReadonlyState } from "@tessera/core";
import { soundPrivates } from "../../access/private-rows.ts";
import { MasterAway } from "../../access/ring/master.ts";
import type { Vault } from "../../access/vault.ts";
import type { PrivateWrite, StoreReader } from "../../store/port.ts";
import type { Asker, ControlPlane } from "../control.ts";

export const credentialsKind = "engine";

/** What the sealed credentials are bound to. No anchor and no secret has such a name. */
export function sealedRow(engine: string): string {
  return `engine-${engine}`;
}

/** The private row with the sealed credentials of an engine. */
export async function credentialsRow(vault: Pick<Vault, "seal">, engine: string, text: string): Promise<PrivateWrite> {
  return { kind: credentialsKind, key: engine, value: await vault.seal(sealedRow(engine), text) };
}

export function noCredentials(engine: string): PrivateWrite {
  return { kind: credentialsKind, key: engine, value: null };
}

/** The credentials of an engine in clear text; undefined where there are none, or none that can be opened. Throws MasterAway where that cannot be told. */
export async function openCredentials(
  vault: Pick<Vault, "openToken">,
  reader: Pick<StoreReader, "privates">,
  state: ReadonlyState,
  engine: string,
): Promise<string | undefined> {
  const sealed = (await soundPrivates(reader, state, credentialsKind, [engine])).get(engine);
  if (sealed === undefined) return undefined;
  try {
    return await vault.openToken(sealedRow(engine), sealed);
  } catch (error) {
    if (error instanceof MasterAway) throw error;
    return undefined;
  }
}

/** Deletes the credentials of engines that are not there any more, or of all; returns how many. */
export async function deleteCredentials(
  control: Pick<ControlPlane, "reader" | "ask">,
  by: Asker,
  isGone: (engine: string) => boolean,
): Promise<number> {
  const rows = [...(await control.reader.privates(credentialsKind)).keys()].filter(isGone).map(noCredentials);
  if (rows.length === 0) return 0;
  const done = await control.ask({ kind: "privates.note" }, by, rows);
  if (isRefusal(done)) throw new Error(`credentials of engines: ${done.detail}`);
  return rows.length;
}
