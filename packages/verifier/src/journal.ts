import { hex } from "./hash.ts";
import { type Head, signatureFault } from "./head.ts";
import { Keys, type NamedKey } from "./keys.ts";
import { Privates } from "./privates.ts";
import { linesOf, type Row, rowFault, sealedAs } from "./rows.ts";
import type { Source } from "./source.ts";
import { Tree } from "./tree.ts";
import { bad, type Verdict } from "./verdict.ts";

interface Event {
  readonly kind: string;
  readonly rows?: Parameters<Privates["note"]>[0];
  readonly publicKey?: string;
  readonly signature?: string;
  readonly reason?: string;
}

/** Rows beside a broken one in which it is looked for, to tell a reordered row from an edited one. */
const neighbours = 32;

/**
 * Checks a whole journal: each row against the row before, all of them against the heads of anchors, the heads against
 * the pinned key and the keys that it leads to, and private rows against what the journal says about them.
 */
export async function verifyJournal(source: Source, anchored: readonly Head[], pinned: string): Promise<Verdict> {
  const heads = [...anchored].sort((a, b) => a.row - b.row);
  const keys = new Keys(pinned);
  const named: NamedKey[] = [];
  const privates = new Privates();
  const tree = new Tree();
  const compared = new Compared(heads);
  let previous: { hash: Uint8Array; events: number } = { hash: new Uint8Array(32), events: 0 };
  for await (const row of source.rows()) {
    const seq = tree.size + 1;
    if (row.seq !== seq) return bad(`row ${seq}: deleted; row ${row.seq} follows row ${seq - 1}`, seq);
    const fault = rowFault(row, previous.hash, previous.events);
    if (fault !== undefined) return bad(`row ${seq}: ${await namedFault(source, row, fault)}`, seq);
    previous = { hash: row.hash, events: row.eventsBefore + row.eventCount };
    tree.add(row.hash);
    for (const event of eventsOf(row)) {
      if (event.kind === "privates-noted") privates.note(event.rows ?? [], seq);
      if (event.kind === "epoch-began") compared.epochs.push(`row ${seq}: ${event.reason}`);
      if (event.kind !== "signing-key-named" || event.publicKey === undefined) continue;
      named.push({ publicKey: event.publicKey, ...(event.signature !== undefined && { signature: event.signature }) });
      if (named.some(({ publicKey }) => publicKey === pinned) && !keys.follow(named.at(-1)!))
        return bad(`row ${seq}: names a signing key that the key before did not sign`, seq);
    }
    const contradiction = compared.with(seq, row.hash, tree);
    if (contradiction !== undefined) return contradiction;
  }
  return compared.missing(tree.size) ?? finished(source, { heads, keys, named, privates, rows: tree.size, pinned });
}

interface Finished {
  readonly heads: readonly Head[];
  readonly keys: Keys;
  readonly named: readonly NamedKey[];
  readonly privates: Privates;
  readonly rows: number;
  readonly pinned: string;
}

/** What can be said only once all rows were read. */
function finished(source: Source, { heads, keys, named, privates, rows, pinned }: Finished): Verdict {
  if (named.length > 0 && !named.some(({ publicKey }) => publicKey === pinned))
    return bad(
      `the journal never names the pinned key; it names ${named.map(({ publicKey }) => publicKey).join(", ")}`,
    );
  for (const head of heads) {
    const fault = signatureFault(head, keys);
    if (fault !== undefined) return bad(fault);
  }
  const found = named.length > 0 ? source.privates() : undefined;
  const fault = found === undefined ? undefined : privates.fault(found);
  if (fault !== undefined) return bad(fault.text, fault.row);
  const newest = heads.at(-1);
  return {
    sound: true,
    checked: [
      `${rows} rows, each against the row before`,
      newest === undefined
        ? "NO ANCHOR: a history that was written again as a whole is not noticed without one"
        : `${heads.length} anchored heads up to row ${newest.row} of ${newest.at}, each by hash, tree and signature`,
      found === undefined ? "private rows are not in this source" : privates.checked,
    ],
  };
}

/** The heads of anchors against the rows as they come. */
class Compared {
  readonly epochs: string[] = [];
  readonly #heads: readonly Head[];
  #next = 0;
  #agreed = 0;

  constructor(heads: readonly Head[]) {
    this.#heads = heads;
  }

  with(row: number, hash: Uint8Array, tree: Tree): Verdict | undefined {
    for (let head = this.#heads[this.#next]; head?.row === row; head = this.#heads[++this.#next]) {
      if (head.hash !== hex(hash) || head.tree !== tree.root()) {
        const first = this.#agreed + 1;
        const rows = first === row ? `row ${row} is` : `rows ${first} to ${row} are`;
        return bad(
          `rewritten: ${rows} not what was anchored at ${head.at} (${head.from}); the chain was sealed again${this.#told()}`,
          first,
        );
      }
      this.#agreed = row;
    }
    return undefined;
  }

  /** Heads of rows that are not there. */
  missing(rows: number): Verdict | undefined {
    const head = this.#heads.at(-1);
    if (head === undefined || head.row <= rows) return undefined;
    return bad(
      `truncated, or an old backup was restored: the journal ends at row ${rows}, but row ${head.row} was anchored at ` +
        `${head.at} (${head.from})${this.#told()}`,
      rows + 1,
    );
  }

  #told(): string {
    return this.epochs.length === 0 ? "" : `. The journal itself tells of: ${this.epochs.join("; ")}`;
  }
}

/** A row that is sound at another place was moved. */
async function namedFault(source: Source, row: Row, fault: string): Promise<string> {
  const around: Row[] = [];
  for await (const each of source.rows()) {
    if (each.seq > row.seq + neighbours) break;
    if (each.seq >= row.seq - neighbours) around.push(each);
  }
  const place = sealedAs(row, around);
  return place === undefined || place === row.seq ? fault : `reordered: it holds what was sealed as row ${place}`;
}

function eventsOf(row: Row): Event[] {
  return linesOf(row.events).map((line) => JSON.parse(line) as Event);
}
