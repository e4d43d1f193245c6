import {
  ByteReader,
  ByteWriter,
  DamagedRow,
  type Form,
  formOf,
  forms,
  valueBytesMax,
  varintBytesMax,
} from "./bytes.ts";
import { levels } from "./levels.ts";

/** Where the values of a key go, some consecutive steps at a time. `values` is used again for the next ones. */
export interface Column {
  add(step: number, values: Float64Array, count: number): void;
}

/** The column of each key, by the number of the key; keys without one are passed over. */
export type ColumnOf = (key: number) => Column | undefined;

/**
 * What the keys of a line hold over the steps of one stored row. Only what is there takes room: a gauge holds a value in
 * every step, but of 96 lengths of a wait few occur in an hour.
 */
export class Chunk {
  readonly #cells = new Map<number, Cells>();

  static of(bytes: Uint8Array, stepsMax: number): Chunk {
    const chunk = new Chunk();
    readChunk(bytes, stepsMax, (key) => {
      if (chunk.#cells.has(key)) throw new DamagedRow("it has a key twice");
      return chunk.#cellsOf(key);
    });
    return chunk;
  }

  get isEmpty(): boolean {
    return this.#cells.size === 0;
  }

  /** Steps come in their order; what comes for the last one is added to what it holds. */
  add(key: number, step: number, value: number): void {
    this.#cellsOf(key).put(step, value);
  }

  read(columnOf: ColumnOf): void {
    for (const [key, cells] of this.#cells) {
      const column = columnOf(key);
      if (column !== undefined) cells.read(column);
    }
  }

  /**
   * How many keys there are, and the keys. A key is its number, its runs and a 0. A run is how many values it has times
   * four, plus their form; how many steps lie between it and the run before; and the values.
   */
  toBytes(): Uint8Array {
    let bytesMax = varintBytesMax;
    for (const cells of this.#cells.values()) bytesMax += 2 * varintBytesMax + cells.bytesMax;
    const writer = new ByteWriter(bytesMax);
    writer.varint(this.#cells.size);
    for (const [key, cells] of this.#cells) {
      writer.varint(key);
      cells.write(writer);
      writer.varint(0);
    }
    return writer.done();
  }

  #cellsOf(key: number): Cells {
    const known = this.#cells.get(key);
    if (known !== undefined) return known;
    const cells = new Cells();
    this.#cells.set(key, cells);
    return cells;
  }
}

/** Reads what `toBytes` wrote, with nothing made of it in between: a chart reads millions of values. */
export function readChunk(bytes: Uint8Array, stepsMax: number, columnOf: ColumnOf): void {
  const reader = new ByteReader(bytes);
  for (let keys = reader.varint(); keys > 0; keys--) {
    const column = columnOf(reader.varint());
    let step = 0;
    for (let head = reader.varint(); head !== 0; head = reader.varint()) {
      step += reader.varint();
      const count = Math.floor(head / forms);
      if (count === 0 || step + count > stepsMax) throw new DamagedRow("its steps are not those of a row");
      reader.values((head % forms) as Form, run, count);
      column?.add(step, run, count);
      step += count;
    }
  }
  reader.end();
}

/** The values of the run that is being read or written. */
const run = new Float64Array(Math.max(...levels.map(({ perChunk }) => perChunk)));

/** The steps in which a key holds something, in their order, and what it holds there. */
class Cells implements Column {
  readonly #steps: number[] = [];
  readonly #values: number[] = [];

  /** As if each value were a run of its own. */
  get bytesMax(): number {
    return this.#steps.length * (2 * varintBytesMax + valueBytesMax);
  }

  put(step: number, value: number): void {
    const last = this.#steps.length - 1;
    const before = last < 0 ? -1 : this.#steps[last]!;
    if (step < before) throw new Error(`step ${step} of the series comes after step ${before}`);
    if (step === before) this.#values[last]! += value;
    else {
      this.#steps.push(step);
      this.#values.push(value);
    }
  }

  add(step: number, values: Float64Array, count: number): void {
    for (let no = 0; no < count; no++) this.put(step + no, values[no]!);
  }

  read(column: Column): void {
    for (let from = 0; from < this.#steps.length; ) {
      const step = this.#steps[from]!;
      let count = 0;
      do run[count++] = this.#values[from++]!;
      while (this.#steps[from] === step + count);
      column.add(step, run, count);
    }
  }

  write(writer: ByteWriter): void {
    let end = 0;
    this.read({
      add(step, values, count) {
        const form = formOf(values, count);
        writer.varint(count * forms + form);
        writer.varint(step - end);
        writer.values(form, values, count);
        end = step + count;
      },
    });
  }
}
