import { hex, sha256 } from "./hash.ts";
import type { PrivateRow } from "./source.ts";

interface Note {
  readonly kind: string;
  readonly key: string;
  /** Empty once the row was erased. */
  readonly digest: string;
}

/** When a token was used last, and trials whether the disk has room, are written outside the journal. */
const uncovered = new Set(["token-use", "probe"]);

/** What the journal says about rows outside the chain, and whether they are as it says. */
export class Privates {
  readonly #digests = new Map<string, { readonly digest: string; readonly row: number }>();
  #erased = 0;

  note(rows: readonly Note[], row: number): void {
    for (const { kind, key, digest } of rows) {
      if (digest === "") this.#erased += this.#digests.delete(`${kind} ${key}`) ? 1 : 0;
      else this.#digests.set(`${kind} ${key}`, { digest, row });
    }
  }

  get checked(): string {
    return `${this.#digests.size} private rows by their digests, and ${this.#erased} that were erased`;
  }

  /** The first fault, with the row of the journal that says otherwise. */
  fault(found: readonly PrivateRow[]): { readonly text: string; readonly row?: number } | undefined {
    const left = new Map(this.#digests);
    for (const { kind, key, value } of found) {
      if (uncovered.has(kind)) continue;
      const name = `${kind} ${key}`;
      const noted = this.#digests.get(name);
      if (noted === undefined) return { text: `private row ${name}: inserted; the journal does not know it` };
      if (hex(sha256(Buffer.from(`${kind}\n${key}\n`), value)) !== noted.digest)
        return { text: `private row ${name}: swapped; row ${noted.row} covers another value`, row: noted.row };
      left.delete(name);
    }
    for (const [name, { row }] of left) return { text: `private row ${name}: removed; row ${row} covers it`, row };
    return undefined;
  }
}
