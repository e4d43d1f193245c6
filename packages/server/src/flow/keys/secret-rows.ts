import { isRefusal, type PrivateNote } from "@tessera/core";
import { noteOf } from "../../access/private-rows.ts";
import type { Ring } from "../../access/ring/ring.ts";
import { keyOfSecret, ownerOfRow } from "../../access/secrets.ts";
import type { Vault } from "../../access/vault.ts";
import type { Asker, ControlPlane } from "../control.ts";
import { credentialsKind, sealedRow } from "../engines/credentials.ts";

/** Private rows that a vault sealed, and what each is bound to. */
const kinds: readonly { readonly kind: string; readonly rowOf: (key: string) => string }[] = [
  { kind: "secret", rowOf: (key) => key },
  { kind: "anchor", rowOf: (key) => key },
  { kind: credentialsKind, rowOf: sealedRow },
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
  for (const { kind, rowOf } of kinds) {
    for (const [key, value] of await control.reader.privates(kind)) {
      const row = rowOf(key);
      const id = keyOfSecret(value);
      const newest = ring.of(ownerOfRow(control.state, row))[0]?.id;
      if (id !== undefined && id === newest) continue;
      if (id !== undefined && !ring.list().some((each) => each.id === id)) continue; // shredded
      const sealed = await vault.seal(row, await vault.openToken(row, value));
      const before: PrivateNote = noteOf({ kind, key, value });
      const done = await control.ask({ kind: "privates.note", replaces: [before] }, system, [
        { kind, key, value: sealed },
      ]);
      if (!isRefusal(done)) count++;
    }
  }
  return count;
}

/** The data keys that sealed private rows which this knows. */
export async function keysOfRows(reader: ControlPlane["reader"]): Promise<ReadonlySet<string>> {
  const ids = new Set<string>();
  for (const { kind } of kinds) {
    for (const value of (await reader.privates(kind)).values()) {
      const id = keyOfSecret(value);
      if (id !== undefined) ids.add(id);
    }
  }
  return ids;
}
