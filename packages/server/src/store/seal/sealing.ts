import type { JournalRow } from "../../journal/format.ts";
import type { AuditRow, BookRow, EndedJobRow, Snapshot, UsageRow } from "../port.ts";
import { Cipher, NameCipher, NotOpened } from "./cipher.ts";
import type { StoreKey } from "./keys.ts";

/**
 * How a column of a projection is sealed: `name` can be searched for, `path` can be searched for with all below it, `text`
 * can only be opened.
 */
type Way = "name" | "path" | "text";

/** The columns that hold what tenants wrote. Ids, numbers, times, models of GPUs and names of nodes stay as they are. */
export const sealedColumns = {
  jobs: { account: "path", name: "name", doc: "text" },
  usage: { account: "path" },
  audit: { target: "name", account: "path", detail: "text" },
  books: { tenant: "path", doc: "text" },
} as const satisfies {
  readonly jobs: Columns<EndedJobRow>;
  readonly usage: Columns<UsageRow>;
  readonly audit: Columns<AuditRow>;
  readonly books: Columns<BookRow>;
};
type Columns<Row> = { readonly [Field in keyof Row]?: Way };
export type SealedTable = keyof typeof sealedColumns;

/** A private row as it is kept. */
export interface KeptPrivate {
  readonly kind: string;
  readonly key: string;
  readonly value: Uint8Array;
}

/** What stands between a store and its tables: everything goes in through it and comes out through it. */
export interface Sealing {
  /** The key that seals; undefined where nothing is sealed. */
  readonly by: string | undefined;
  row(row: JournalRow): JournalRow;
  openRow(kept: JournalRow): JournalRow;
  openEvents(seq: number, kept: Uint8Array): string;
  snapshot(snapshot: Snapshot): Snapshot;
  openSnapshot(kept: Snapshot): Snapshot;
  /** A value of a column of a projection; also one that is searched for. */
  column(table: SealedTable, column: string, value: string): string;
  openColumns<Row extends object>(table: SealedTable, row: Row): Row;
  /** The key of a book: that of some kinds is an account, or holds its name. */
  bookKey(kind: string, key: string): string;
  openBookKey(kind: string, kept: string): string;
  privateKey(kind: string, key: string): string;
  private(row: KeptPrivate): KeptPrivate;
  openPrivate(kept: KeptPrivate): KeptPrivate;
}

/** Everything as it is. */
export const plain: Sealing = {
  by: undefined,
  row: (row) => row,
  openRow: (row) => row,
  openEvents: (_, bytes) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("utf8"),
  snapshot: (snapshot) => snapshot,
  openSnapshot: (snapshot) => snapshot,
  column: (_table, _column, value) => value,
  openColumns: (_, row) => row,
  bookKey: (_, key) => key,
  openBookKey: (_, key) => key,
  privateKey: (_, key) => key,
  private: (row) => row,
  openPrivate: (row) => row,
};

/** What opens and seals the tables of a store that names `by` as its key. */
export function sealingOf(by: string | undefined, keys: readonly StoreKey[] = [], place: string): Sealing {
  if (by === undefined) return plain;
  const key = keys.find(({ id }) => id === by);
  if (key === undefined)
    throw new Error(
      `The journal in ${place} is encrypted with the journal key ${by}, and that key is not here. It lies wrapped in ` +
        `keys/data/journal-${by}.json of the data folder, or of the helper's (--keys-in): put it back from a copy.`,
    );
  return new KeyedSealing(key);
}

const rowSaltBytes = 16;
const digestBytes = 32;
const nothing = new Uint8Array(0);

class KeyedSealing implements Sealing {
  readonly by: string;
  readonly #bytes: Cipher;
  readonly #names: NameCipher;

  constructor({ id, key }: StoreKey) {
    this.by = id;
    const bytes = Buffer.from(key, "base64");
    this.#bytes = new Cipher(bytes);
    this.#names = new NameCipher(bytes);
  }

  /**
   * The salt is sealed with the inputs: with it, root and hash of the row, which stay as they are, would show whether a
   * guess at the events is right.
   */
  row(row: JournalRow): JournalRow {
    const inputs = this.#bytes.seal(`inputs of row ${row.seq}`, row.salt, row.inputs);
    return { ...row, inputs, events: this.#bytes.seal(eventsOf(row.seq), row.events), salt: nothing };
  }

  /** A row that does not open comes out as it is kept: its empty salt fails the check of the chain, which names it. */
  openRow(kept: JournalRow): JournalRow {
    try {
      const salted = this.#bytes.open(`inputs of row ${kept.seq}`, kept.inputs);
      const events = this.#bytes.open(eventsOf(kept.seq), kept.events);
      return { ...kept, inputs: salted.subarray(rowSaltBytes), events, salt: salted.subarray(0, rowSaltBytes) };
    } catch (error) {
      if (error instanceof NotOpened) return { ...kept, salt: nothing };
      throw error;
    }
  }

  openEvents(seq: number, kept: Uint8Array): string {
    return this.#bytes.open(eventsOf(seq), kept).toString("utf8");
  }

  snapshot(snapshot: Snapshot): Snapshot {
    const bytes = this.#bytes.seal(`snapshot of row ${snapshot.seq}`, snapshot.hash, snapshot.bytes);
    return { ...snapshot, bytes, hash: nothing };
  }

  openSnapshot(kept: Snapshot): Snapshot {
    const hashed = this.#bytes.open(`snapshot of row ${kept.seq}`, kept.bytes);
    return { ...kept, bytes: hashed.subarray(digestBytes), hash: hashed.subarray(0, digestBytes) };
  }

  column(table: SealedTable, column: string, value: string): string {
    const ways: Readonly<Record<string, Way>> = sealedColumns[table];
    const way = ways[column];
    if (value === "" || way === undefined) return value;
    if (way === "path") return this.#path(value);
    const context = `${table} ${column}`;
    if (way === "name") return isId(value) ? value : this.#names.seal(context, value);
    return this.#bytes.seal(context, Buffer.from(value)).toString("base64");
  }

  openColumns<Row extends object>(table: SealedTable, row: Row): Row {
    const opened = Object.entries(sealedColumns[table]).map(([column, way]) => {
      const value: unknown = row[column as keyof Row];
      if (typeof value !== "string" || value === "") return [column, value];
      if (way === "path") return [column, this.#openPath(value)];
      const context = `${table} ${column}`;
      if (way === "name") return [column, isId(value) ? value : this.#names.open(context, value)];
      return [column, this.#bytes.open(context, Buffer.from(value, "base64")).toString("utf8")];
    });
    return { ...row, ...Object.fromEntries(opened) };
  }

  bookKey(kind: string, key: string): string {
    if (kind === "floor") return this.#path(key);
    return kind === "invoice" ? this.#names.seal("invoice", key) : key;
  }

  openBookKey(kind: string, kept: string): string {
    if (kind === "floor") return this.#openPath(kept);
    return kind === "invoice" ? this.#names.open("invoice", kept) : kept;
  }

  privateKey(kind: string, key: string): string {
    return this.#names.seal(`private ${kind}`, key);
  }

  private({ kind, key, value }: KeptPrivate): KeptPrivate {
    return { kind, key: this.privateKey(kind, key), value: this.#bytes.seal(`private ${kind} ${key}`, value) };
  }

  openPrivate({ kind, key: kept, value }: KeptPrivate): KeptPrivate {
    const key = this.#names.open(`private ${kind}`, kept);
    return { kind, key, value: this.#bytes.open(`private ${kind} ${key}`, value) };
  }

  /** Each part of a path for itself, so that what is below an account is still found by the begin of its path. */
  #path(path: string): string {
    const parts = path.split("/");
    return parts.map((part, i) => this.#names.seal(`path ${parts.slice(0, i).join("/")}`, part)).join("/");
  }

  #openPath(kept: string): string {
    let above = "";
    for (const part of kept.split("/")) {
      const opened = this.#names.open(`path ${above}`, part);
      above = above === "" ? opened : `${above}/${opened}`;
    }
    return above;
  }
}

/** An id of ours is random and stays as it is; what is sealed is longer. */
function isId(text: string): boolean {
  return text.length === idLength && /^[a-z]{3}_[0-9a-z]+$/.test(text);
}

const idLength = 20;

function eventsOf(seq: number): string {
  return `events of row ${seq}`;
}
