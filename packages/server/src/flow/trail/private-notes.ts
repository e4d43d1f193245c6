import type { PrivateNote, ReadonlyState } from "@tessera/core";
import { isCovered, noteOf } from "../../access/private-rows.ts";
import type { JournalRow } from "../../journal/format.ts";
import { linesOf } from "../../journal/lines.ts";
import type { StoreReader } from "../../store/port.ts";
import type { Fault } from "./anchor-fault.ts";

/** Kinds of private rows; those that a journal notes are looked at as well. */
const kinds = ["person", "password", "secret", "revoked-token", "anchor", "origin", "engine"];

/** What the journal says about private rows. */
export class PrivateNotes {
  readonly #digests = new Map<string, Map<string, { readonly digest: string; readonly row: number }>>(
    kinds.map((kind) => [kind, new Map()]),
  );

  take({ seq: row, events }: JournalRow): void {
    for (const line of linesOf(events)) {
      if (!line.includes('"privates-noted"')) continue;
      const event = JSON.parse(line) as { readonly kind: string; readonly rows: readonly PrivateNote[] };
      if (event.kind !== "privates-noted") continue;
      for (const { kind, key, digest } of event.rows) {
        const noted = this.#digests.get(kind) ?? new Map();
        this.#digests.set(kind, noted);
        if (digest === "") noted.delete(key);
        else noted.set(key, { digest, row });
      }
    }
  }

  /** The first private row that is not what the journal says. A journal that names no signing key notes none. */
  async fault(reader: Pick<StoreReader, "privates">, { trail }: ReadonlyState): Promise<Fault | undefined> {
    if (trail.keys.length === 0) return undefined;
    for (const [kind, noted] of this.#digests) {
      const found = isCovered(kind) ? await reader.privates(kind) : new Map<string, Uint8Array>();
      for (const [key, value] of found) {
        const known = noted.get(key);
        const what =
          known === undefined ? "was inserted: no row covers it" : `was swapped: row ${known.row} covers another value`;
        if (noteOf({ kind, key, value }).digest !== known?.digest)
          return { row: known?.row ?? 0, text: `the private row ${kind} ${key} ${what}` };
      }
      for (const [key, { row }] of noted)
        if (!found.has(key)) return { row, text: `the private row ${kind} ${key} was removed: row ${row} covers it` };
    }
    return undefined;
  }
}
