import { isRefusal, type PrivateNote } from "@tessera/core";
import { sealedTotp, totpRow, withTotp } from "../../access/factors.ts";
import { noteOf } from "../../access/private-rows.ts";
import type { Ring } from "../../access/ring/ring.ts";
import { keyOfSecret, marksOf, ownerOfRow } from "../../access/secrets.ts";
import type { Vault } from "../../access/vault.ts";
import type { Asker, ControlPlane } from "../control.ts";
import { crashPoint } from "../crash-point.ts";
import { credentialsKind, sealedRow } from "../engines/credentials.ts";
import { providerKind, sealedRow as providerRow } from "../sso/parties.ts";

/** Private rows that a vault sealed, and what each is bound to. */
interface SealedKind {
  readonly kind: string;
  readonly rowOf: (key: string) => string;
  /** Where the sealed value is only a part of the row; undefined where there is none in it. */
  readonly partOf?: (value: Uint8Array) => Uint8Array | undefined;
  readonly withPart?: (value: Uint8Array, sealed: Uint8Array) => Uint8Array;
}

const kinds: readonly SealedKind[] = [
  { kind: "secret", rowOf: (key) => key },
  { kind: "anchor", rowOf: (key) => key },
  { kind: credentialsKind, rowOf: sealedRow },
  { kind: providerKind, rowOf: providerRow },
  { kind: "factor", rowOf: (key) => totpRow(key.slice(key.indexOf("/") + 1)), partOf: sealedTotp, withPart: withTotp },
];

const system: Asker = { actor: { user: "system" }, request: "reseal" };

/**
 * Seals private rows again that another key than the newest of their owner sealed; returns how many. A row that someone
 * sets at the same moment stays as they set it: the core refuses to replace what it is not.
 */
export async function resealRows(
  control: Pick<ControlPlane, "reader" | "state" | "ask">,
  vault: Pick<Vault, "seal" | "openToken">,
  ring: Pick<Ring, "of" | "list">,
): Promise<number> {
  let count = 0;
  for (const { kind, rowOf, partOf, withPart } of kinds) {
    for (const [key, value] of await control.reader.privates(kind)) {
      const part = partOf === undefined ? value : partOf(value);
      if (part === undefined) continue;
      const row = rowOf(key);
      const id = keyOfSecret(part);
      const newest = ring.of(ownerOfRow(control.state, row))[0]?.id;
      if (id !== undefined && id === newest) continue;
      if (id !== undefined && !ring.list().some((each) => each.id === id)) continue; // shredded
      const again = await vault.seal(row, await vault.openToken(row, part));
      const sealed = withPart === undefined ? again : withPart(value, again);
      crashPoint("resealing");
      const before: PrivateNote = noteOf({ kind, key, value });
      const done = await control.ask({ kind: "privates.note", replaces: [before] }, system, [
        { kind, key, value: sealed },
      ]);
      if (!isRefusal(done)) count++;
    }
  }
  return count;
}

/** Which of these data keys a private row of any kind names, as it is or in base64, also one of a kind that this does not know. */
export async function keysInRows(reader: ControlPlane["reader"], ids: readonly string[]): Promise<ReadonlySet<string>> {
  const marks = ids.map((id) => ({ id, marks: marksOf(id) }));
  const found = new Set<string>();
  for await (const page of reader.allPrivates()) {
    for (const { value } of page) {
      const bytes = Buffer.from(value ?? []);
      for (const { id, marks: its } of marks) if (its.some((mark) => bytes.includes(mark))) found.add(id);
    }
  }
  return found;
}
