import { type Input, type PrivateNote, privateId, type ReadonlyState } from "@tessera/core";
import type { PrivateWrite, StoreReader } from "../store/port.ts";
import { privateHash } from "../store/private-digest.ts";
import { storable } from "../store/text.ts";

/**
 * Private rows stand outside the chain, so that they can be erased, and their digests stand inside: a row that was
 * swapped, inserted or removed is found. What a person could guess (a name) is written with a salt beside it, so that
 * the digest of an erased row says nothing. When a token or a factor was used last, which tokens of other
 * systems were exchanged, and trials whether the disk has room, are not
 * covered: they are written outside commits.
 */
const uncovered = new Set(["token-use", "factor-use", "exchange-use", "probe"]);

export function isCovered(kind: string): boolean {
  return !uncovered.has(kind);
}

/** What the journal says about a private row. */
export function noteOf({ kind, key, value }: PrivateWrite): PrivateNote {
  const id = [storable(kind), storable(key)] as const;
  return {
    kind: id[0],
    key: id[1],
    digest: value === null ? "" : Buffer.from(privateHash(...id, value)).toString("hex"),
  };
}

/** The input with notes of the private rows that are written with it. */
export function coverPrivates(input: Input, privates: readonly PrivateWrite[]): Input {
  const rows = privates.filter(({ kind }) => isCovered(kind));
  return rows.length === 0 || input.kind !== "command" ? input : { ...input, privates: rows.map(noteOf) };
}

/** Whether a private row holds what the journal says. A journal that names no signing key is older than these notes. */
export function isAsWritten({ trail }: ReadonlyState, kind: string, key: string, value: Uint8Array): boolean {
  if (trail.keys.length === 0) return true;
  const note = noteOf({ kind, key, value });
  return trail.privates.get(privateId(note.kind, note.key)) === note.digest;
}

/** The private rows of a kind that are as they were written; `warn` hears of the others, which are left out. */
export async function soundPrivates(
  reader: Pick<StoreReader, "privates">,
  state: ReadonlyState,
  kind: string,
  keys?: readonly string[],
  warn: (text: string) => void = (text) => console.error(`tessera: ${text}`),
): Promise<ReadonlyMap<string, Uint8Array>> {
  const sound = new Map<string, Uint8Array>();
  for (const [key, value] of await reader.privates(kind, keys)) {
    if (isAsWritten(state, kind, key, value)) sound.set(key, value);
    else warn(`the private row ${kind} ${key} is not what the journal says was written; it is not used`);
  }
  return sound;
}
