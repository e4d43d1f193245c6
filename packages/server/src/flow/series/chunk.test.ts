import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { DamagedRow } from "./bytes.ts";
import { Chunk, readChunk } from "./chunk.ts";
import { randomFrom } from "./testing/random.ts";

const stepsMax = 240;

/** What a row holds, by key and step. */
type Table = Map<number, Map<number, number>>;

function tableOf(read: (columnOf: Parameters<Chunk["read"]>[0]) => void): Table {
  const table: Table = new Map();
  read((key) => ({
    add(step, values, count) {
      const column = table.get(key) ?? new Map<number, number>();
      for (let no = 0; no < count; no++) column.set(step + no, (column.get(step + no) ?? 0) + values[no]!);
      table.set(key, column);
    },
  }));
  return table;
}

/** Some keys in every step, some in few; counts, parts of GPUs, and numbers that no counter should reach. */
function randomTable(random: () => number): { table: Table; chunk: Chunk } {
  const table: Table = new Map();
  const chunk = new Chunk();
  const keys = new Set(Array.from({ length: 1 + Math.floor(random() * 20) }, () => Math.floor(random() * 300)));
  for (const key of keys) {
    const density = random() < 0.3 ? 1 : random() ** 3;
    const amountOf = [
      () => 1 + Math.floor(random() * 3),
      () => Math.floor(random() * 1e6) / 7,
      () => Math.floor(2 ** (40 * random())),
      () => Number.MAX_SAFE_INTEGER - Math.floor(random() * 1e6),
      () => (random() < 0.5 ? 8 : -2),
    ][Math.floor(random() * 5)]!;
    for (let step = 0; step < stepsMax; step++)
      for (let times = random() < density ? 1 + Math.floor(random() * 2) : 0; times > 0; times--) {
        const value = amountOf();
        chunk.add(key, step, value);
        const column = table.get(key) ?? new Map<number, number>();
        table.set(key, column.set(step, (column.get(step) ?? 0) + value));
      }
  }
  return { table, chunk };
}

describe("a stored row of the series", () => {
  it("gives back each value of each key as it was, before and after it was stored", () => {
    const random = randomFrom(7);
    for (let no = 0; no < 300; no++) {
      const { table, chunk } = randomTable(random);
      const bytes = chunk.toBytes();
      assert.deepEqual(
        tableOf((columnOf) => chunk.read(columnOf)),
        table,
      );
      assert.deepEqual(
        tableOf((columnOf) => readChunk(bytes, stepsMax, columnOf)),
        table,
      );
      assert.deepEqual(
        tableOf((columnOf) => Chunk.of(bytes, stepsMax).read(columnOf)),
        table,
      );
      assert.deepEqual(Chunk.of(bytes, stepsMax).toBytes(), bytes);
    }
  });

  it("goes on where it was stored", () => {
    const chunk = new Chunk();
    chunk.add(0, 3, 1);
    chunk.add(0, 4, 0.5);
    const again = Chunk.of(chunk.toBytes(), stepsMax);
    again.add(0, 4, 0.5);
    again.add(0, 5, 2);
    again.add(1, 0, 3);
    const values = tableOf((columnOf) => again.read(columnOf));
    assert.deepEqual(
      values,
      new Map([
        [
          0,
          new Map([
            [3, 1],
            [4, 1],
            [5, 2],
          ]),
        ],
        [1, new Map([[0, 3]])],
      ]),
    );
  });

  it("reads only the keys that are asked for", () => {
    const { table, chunk } = randomTable(randomFrom(3));
    const [asked] = table.keys();
    const found = tableOf((columnOf) =>
      readChunk(chunk.toBytes(), stepsMax, (key) => (key === asked ? columnOf(key) : undefined)),
    );
    assert.deepEqual(found, new Map([[asked, table.get(asked!)]]));
  });

  it("takes few bytes for a wait, and one for each step of a gauge of few whole GPUs", () => {
    const [waits, gauge] = [new Chunk(), new Chunk()];
    for (let slot = 0; slot < 96; slot++) waits.add(slot, slot, 1);
    for (let step = 0; step < stepsMax; step++) gauge.add(0, step, 100);
    assert.ok(waits.toBytes().length <= 96 * 5 + 1, `${waits.toBytes().length}`);
    assert.ok(gauge.toBytes().length <= stepsMax + 7, `${gauge.toBytes().length}`);
  });

  it("refuses steps that go back", () => {
    const chunk = new Chunk();
    chunk.add(0, 5, 1);
    assert.throws(() => chunk.add(0, 4, 1), /step 4 of the series comes after step 5/);
  });

  it("is an error where it is damaged", () => {
    const chunk = new Chunk();
    chunk.add(1, 2, 300);
    chunk.add(1, 3, 1);
    chunk.add(1, 9, 0.5);
    chunk.add(2, 239, 7);
    const bytes = chunk.toBytes();
    const damaged = (blob: Uint8Array, why: RegExp) => {
      assert.throws(
        () => Chunk.of(blob, stepsMax),
        (error) => error instanceof DamagedRow && why.test(error.message),
      );
    };
    for (let length = 0; length < bytes.length; length++) damaged(bytes.subarray(0, length), /ends too early/);
    damaged(Buffer.concat([bytes, Buffer.of(0)]), /goes on after its end/);
    assert.throws(() => Chunk.of(bytes, 239), /its steps are not those of a row/);
    damaged(Buffer.of(1, 0, 3, 0, 0), /its steps are not those of a row/); // a run without values
    damaged(Buffer.of(2, 0, 4, 0, 1, 0, 0, 4, 0, 1, 0), /it has a key twice/);
    damaged(Buffer.of(1, ...Array.from({ length: 5 }, () => 0x80), 0), /number that is too long/);
  });
});
