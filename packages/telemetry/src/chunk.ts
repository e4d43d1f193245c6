import { constants, crc32, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { absent, type FrameColumn, frameNames, type MetricColumn, metricNames } from "./columns.ts";
import { type ColumnName, type Columns, isFrame, type RowKey } from "./table.ts";
import { Packed, packInts, packWide, unpackInts, unpackWide, type Values } from "./varint.ts";

/** Rows of one part of a view, sorted by line and time. Columns lie in blocks, each compressed by itself. */
export interface Chunk {
  readonly part: string;
  readonly rows: number;
  /** The ends of its first and its last stretch. */
  readonly fromAt: number;
  readonly toAt: number;
  readonly crc: number;
  readonly body: Uint8Array;
}

interface Head {
  readonly rows: number;
  readonly keys: readonly RowKey[];
  /** How long each block is, in the order in which they lie in the body. */
  readonly blocks: readonly number[];
  /** Its block, and where it lies in what that unpacks to. Columns that are the same lie in one place. */
  readonly columns: readonly (readonly [name: ColumnName, block: number, from: number, to: number])[];
}

/** As layout 1 wrote it: each column in a block of its own. */
interface FirstHead extends Pick<Head, "rows" | "keys"> {
  readonly columns: readonly (readonly [ColumnName, number])[];
}

// Level 3 takes twice as long and saves a fiftieth.
const compression = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };
const headLengthBytes = 4;
/** Calling zstd takes as long as compressing this much: small columns share a block, large ones are read alone. */
const blockBytesMin = 16 * 1024;

const scratch = new Packed();

/** Packs these rows, which are sorted by line and time. `keys` are those of the lines that they have, in that order. */
export function packChunk(part: string, rows: Columns, keys: readonly number[], order: Int32Array): Chunk {
  const blocks = new Blocks();
  blocks.add("key", () => packInts(ownKeys(rows.column("key"), order), upTo(order.length), scratch));
  for (const name of frameNames) blocks.add(name, () => packWide(rows.column(name), order, scratch));
  for (const name of metricNames) {
    const values = rows.column(name);
    if (values !== undefined && isMeasured(values, order)) blocks.add(name, () => packInts(values, order, scratch));
  }
  const { bodies, columns } = blocks.done();
  const head: Head = {
    rows: order.length,
    keys: keys.map((key) => rows.keys[key]!),
    blocks: bodies.map(({ length }) => length),
    columns,
  };
  const headBytes = compressed(Buffer.from(JSON.stringify(head)));
  const headLength = Buffer.alloc(headLengthBytes);
  headLength.writeUInt32LE(headBytes.length);
  const body = Buffer.concat([headLength, headBytes, ...bodies]);
  return { part, rows: order.length, ...spanOf(rows.column("at"), order), crc: crc32(body), body };
}

/** Columns on their way into blocks. */
class Blocks {
  readonly bodies: Buffer[] = [];
  readonly columns: [ColumnName, number, number, number][] = [];

  constructor() {
    scratch.length = 0;
  }

  add(name: ColumnName, pack: () => void): void {
    const from = scratch.length;
    pack();
    const own = scratch.view(from);
    const block = this.bodies.length;
    // Sent and received, used and peak, held and measured: often the same numbers twice.
    const same = this.columns.find((other) => other[1] === block && own.equals(scratch.view(other[2], other[3])));
    if (same !== undefined) {
      scratch.length = from;
      this.columns.push([name, block, same[2], same[3]]);
      return;
    }
    this.columns.push([name, block, from, scratch.length]);
    if (scratch.length >= blockBytesMin) this.#close();
  }

  done(): { readonly bodies: readonly Buffer[]; readonly columns: Head["columns"] } {
    if (scratch.length > 0) this.#close();
    return this;
  }

  #close(): void {
    this.bodies.push(compressed(scratch.view()));
    scratch.length = 0;
  }
}

/** The line of each row by its place among those of the chunk: rows of one line lie together. */
function ownKeys(key: Int32Array, order: Int32Array): Int32Array {
  const own = new Int32Array(order.length);
  let place = 0;
  for (let index = 1; index < order.length; index++) {
    if (key[order[index]!] !== key[order[index - 1]!]) place++;
    own[index] = place;
  }
  return own;
}

function upTo(count: number): Int32Array {
  const order = new Int32Array(count);
  for (let index = 0; index < count; index++) order[index] = index;
  return order;
}

function isMeasured(values: Int32Array, order: Int32Array): boolean {
  for (let index = 0; index < order.length; index++) if (values[order[index]!] !== absent) return true;
  return false;
}

function spanOf(at: Values, order: Int32Array): { fromAt: number; toAt: number } {
  let [fromAt, toAt] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let index = 0; index < order.length; index++) {
    const end = at[order[index]!]!;
    if (end < fromAt) fromAt = end;
    if (end > toAt) toAt = end;
  }
  return { fromAt, toAt };
}

function compressed(bytes: Uint8Array): Buffer {
  return zstdCompressSync(bytes, compression);
}

interface Place {
  readonly block: number;
  readonly from: number;
  /** Undefined = to the end of the block. */
  readonly to: number | undefined;
}

/** The rows of a chunk; a column is unpacked when it is asked for. Throws on damage. */
export class ReadChunk implements Columns {
  readonly keys: readonly RowKey[];
  readonly count: number;
  readonly #body: Uint8Array;
  /** Where each block begins, and where the last one ends. */
  readonly #ends: number[];
  readonly #places: Map<ColumnName, Place>;
  /** The block that was read last: its other columns are often asked for next. */
  #unpacked: { readonly block: number; readonly bytes: Buffer } | undefined;

  constructor({ crc, body }: Pick<Chunk, "crc" | "body">) {
    if (crc32(body) !== crc) throw new Error("a chunk of samples is damaged");
    const headLength = new DataView(body.buffer, body.byteOffset).getUint32(0, true);
    const first = headLengthBytes + headLength;
    const text = zstdDecompressSync(body.subarray(headLengthBytes, first)).toString();
    const { rows, keys, blocks, columns } = placesIn(JSON.parse(text) as Head | FirstHead);
    this.keys = keys;
    this.count = rows;
    this.#body = body;
    this.#places = columns;
    this.#ends = [first];
    for (const [index, length] of blocks.entries()) this.#ends.push(this.#ends[index]! + length);
  }

  column(name: "key"): Int32Array;
  column(name: FrameColumn): Values;
  column(name: MetricColumn): Int32Array | undefined;
  column(name: ColumnName): Values | undefined {
    const place = this.#places.get(name);
    if (place === undefined) return undefined;
    const bytes = this.#block(place.block).subarray(place.from, place.to);
    return isFrame(name) ? unpackWide(bytes, this.count) : unpackInts(bytes, this.count);
  }

  #block(block: number): Buffer {
    if (this.#unpacked?.block !== block) {
      const bytes = zstdDecompressSync(this.#body.subarray(this.#ends[block]!, this.#ends[block + 1]!));
      this.#unpacked = { block, bytes };
    }
    return this.#unpacked.bytes;
  }
}

function placesIn(head: Head | FirstHead) {
  const { rows, keys } = head;
  if ("blocks" in head) {
    const columns = head.columns.map(([name, block, from, to]) => [name, { block, from, to }] as const);
    return { rows, keys, blocks: head.blocks, columns: new Map<ColumnName, Place>(columns) };
  }
  const columns = head.columns.map(([name], block) => [name, { block, from: 0, to: undefined }] as const);
  return { rows, keys, blocks: head.columns.map(([, length]) => length), columns: new Map<ColumnName, Place>(columns) };
}
