import { constants, crc32, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { absent, frameNames, type MetricColumn, metricNames } from "./columns.ts";
import type { ColumnName, Columns, RowKey } from "./table.ts";
import { packInts, packWide, unpackInts, unpackWide } from "./varint.ts";

/** Rows of one part of a view, sorted by line and time, each column compressed by itself. */
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
  /** In the order in which they lie in the body, with their lengths. */
  readonly columns: readonly (readonly [ColumnName, number])[];
}

// The cheapest level; others were not measured.
const compression = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };
const headLengthBytes = 4;

/** The chunks of these rows, one for each part. */
export function* chunksOf(rows: Columns, partOf: (key: RowKey) => string): Generator<Chunk> {
  for (const [part, order] of inParts(rows, partOf)) yield pack(part, rows, order);
}

function inParts(rows: Columns, partOf: (key: RowKey) => string): Map<string, number[]> {
  const byKey: number[][] = rows.keys.map(() => []);
  const key = rows.column("key")!;
  for (let row = 0; row < rows.count; row++) byKey[key[row]!]!.push(row);
  const at = rows.column("at")!;
  const parts = new Map<string, number[]>();
  for (const [index, own] of byKey.entries()) {
    if (own.length === 0) continue;
    own.sort((a, b) => at[a]! - at[b]!);
    const part = partOf(rows.keys[index]!);
    const order = parts.get(part);
    if (order === undefined) parts.set(part, own);
    else for (const row of own) order.push(row);
  }
  return parts;
}

function pack(part: string, rows: Columns, order: readonly number[]): Chunk {
  const { keys, key } = ownKeys(rows, order);
  const packed: [ColumnName, Buffer][] = [["key", compressed(packInts(key))]];
  for (const name of frameNames) packed.push([name, compressed(packWide(wideColumn(rows, name, order)))]);
  for (const name of metricNames) {
    const values = metricColumn(rows, name, order);
    if (values !== undefined) packed.push([name, compressed(packInts(values))]);
  }
  const columns = packed.map(([name, { length }]) => [name, length] as const);
  const head: Head = { rows: order.length, keys, columns };
  const headBytes = compressed(Buffer.from(JSON.stringify(head)));
  const headLength = Buffer.alloc(headLengthBytes);
  headLength.writeUInt32LE(headBytes.length);
  const body = Buffer.concat([headLength, headBytes, ...packed.map(([, bytes]) => bytes)]);
  const at = rows.column("at")!;
  let [fromAt, toAt] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const row of order) {
    fromAt = Math.min(fromAt, at[row]!);
    toAt = Math.max(toAt, at[row]!);
  }
  return { part, rows: order.length, fromAt, toAt, crc: crc32(body), body };
}

/** The keys that these rows use, and the key of each row among them. */
function ownKeys(rows: Columns, order: readonly number[]): { keys: RowKey[]; key: Int32Array } {
  const from = rows.column("key")!;
  const places = new Map<number, number>();
  const keys: RowKey[] = [];
  const key = new Int32Array(order.length);
  for (const [index, row] of order.entries()) {
    const old = from[row]!;
    let place = places.get(old);
    if (place === undefined) {
      place = keys.push(rows.keys[old]!) - 1;
      places.set(old, place);
    }
    key[index] = place;
  }
  return { keys, key };
}

function wideColumn(rows: Columns, name: ColumnName, order: readonly number[]): Float64Array {
  const from = rows.column(name)!;
  const values = new Float64Array(order.length);
  for (let index = 0; index < order.length; index++) values[index] = from[order[index]!]!;
  return values;
}

/** Undefined where no row has a value. */
function metricColumn(rows: Columns, name: MetricColumn, order: readonly number[]): Int32Array | undefined {
  const from = rows.column(name);
  if (from === undefined) return undefined;
  const values = new Int32Array(order.length);
  let some = false;
  for (let index = 0; index < order.length; index++) {
    const value = from[order[index]!]!;
    values[index] = value;
    some ||= value !== absent;
  }
  return some ? values : undefined;
}

function compressed(bytes: Uint8Array): Buffer {
  return zstdCompressSync(bytes, compression);
}

/** The rows of a chunk; a column is unpacked when it is asked for. Throws on damage. */
export class ReadChunk implements Columns {
  readonly keys: readonly RowKey[];
  readonly count: number;
  readonly #body: Uint8Array;
  readonly #places = new Map<ColumnName, { readonly from: number; readonly to: number }>();

  constructor({ crc, body }: Pick<Chunk, "crc" | "body">) {
    if (crc32(body) !== crc) throw new Error("a chunk of samples is damaged");
    const headLength = new DataView(body.buffer, body.byteOffset).getUint32(0, true);
    let at = headLengthBytes + headLength;
    const text = zstdDecompressSync(body.subarray(headLengthBytes, at)).toString();
    const head = JSON.parse(text) as Head;
    this.keys = head.keys;
    this.count = head.rows;
    this.#body = body;
    for (const [name, length] of head.columns) {
      this.#places.set(name, { from: at, to: at + length });
      at += length;
    }
  }

  column(name: ColumnName): Int32Array | Float64Array | undefined {
    const place = this.#places.get(name);
    if (place === undefined) return undefined;
    const bytes = zstdDecompressSync(this.#body.subarray(place.from, place.to));
    const wide = frameNames.some((each) => each === name);
    return wide ? unpackWide(bytes, this.count) : unpackInts(bytes, this.count);
  }
}
