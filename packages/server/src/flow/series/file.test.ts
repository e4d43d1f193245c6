import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, before, describe, it } from "node:test";
import { Chunk } from "./chunk.ts";
import { Unavailable } from "./faults.ts";
import { SeriesFile } from "./file.ts";
import { levelNos, levels } from "./levels.ts";

describe("the file of the series", () => {
  const day = 24 * 3_600_000;
  const mark = { seq: 7, checked: { seq: 7, hash: "" }, sampledUntil: 60_000 };
  let dir: string;
  before(() => {
    dir = mkdtempSync(join(tmpdir(), "tessera-series-"));
  });
  after(() => rmSync(dir, { recursive: true, force: true }));

  const chunkOf = (value: number) => {
    const chunk = new Chunk();
    chunk.add(0, 0, value);
    return chunk;
  };
  const startsOf = (file: SeriesFile, line: number, from: number, to: number) =>
    levelNos.map((level) => file.chunks(level, line, from, to).map(([start]) => start));

  it("keeps rows and mark of a write, or neither", () => {
    const file = SeriesFile.begin(":memory:");
    const line = file.newLine("ends", "acc");
    file.together(mark, () => file.put(0, line, 0, chunkOf(1)));
    const write = () =>
      file.together({ ...mark, seq: 8 }, () => {
        file.put(0, line, 0, chunkOf(2));
        file.putOpenHour(line, chunkOf(3));
        throw new Error("the disk is full");
      });
    assert.throws(write, /the disk is full/);
    assert.deepEqual(file.mark(), mark);
    assert.deepEqual(file.chunk(0, line, 0)?.toBytes(), chunkOf(1).toBytes());
    assert.equal(file.openHour(line), undefined);
    file.close();
  });

  it("finds the rows of a line and level that overlap a time, and no others", () => {
    const file = SeriesFile.begin(":memory:");
    const [line, next] = [file.newLine("ends", "acc"), file.newLine("ends", "next")];
    const at = 20_000 * day;
    for (const level of levelNos)
      for (const id of [line, next])
        for (let no = -1; no <= 1; no++)
          file.put(level, id, at + no * levels[level].stepMs * levels[level].perChunk, chunkOf(1));
    assert.deepEqual(startsOf(file, line, at, at + 1), [[at], [at], [at], [at]]);
    assert.deepEqual(startsOf(file, line, at - 1, at), [[at - day / 6], [at - day], [at - 10 * day], [at - 100 * day]]);
    assert.deepEqual(startsOf(file, next, 0, 2 * at)[0], [at - day / 6, at, at + day / 6]);
    assert.deepEqual(startsOf(file, next + 1, 0, 2 * at), [[], [], [], []]);
    file.close();
  });

  it("begins again where it has the layout of another version", () => {
    const place = join(dir, "old.sqlite");
    const old = new DatabaseSync(place);
    old.exec("CREATE TABLE line (id INTEGER PRIMARY KEY, name TEXT, account TEXT, key TEXT); PRAGMA user_version = 3");
    old.close();
    const said: string[] = [];
    const file = SeriesFile.open(place, (text) => said.push(text));
    assert.match(said.join("\n"), /its layout is 3, not 8\) and are made again from the journal/);
    assert.equal(file.mark(), undefined);
    assert.equal(file.newLine("ends", "acc"), 1);
    file.close();
  });

  it("keeps what is there where it cannot be opened now", () => {
    const place = join(dir, "away.sqlite");
    const before = SeriesFile.begin(place);
    before.together(mark, () => {});
    before.close();
    mkdirSync(`${place}-wal`); // in place of a file that SQLite makes
    assert.throws(
      () => SeriesFile.open(place, assert.fail),
      (error) => error instanceof Unavailable && /cannot be read or written \(.+\)$/.test(error.message),
    );
    rmSync(`${place}-wal`, { recursive: true });
    const after = SeriesFile.open(place, assert.fail);
    assert.deepEqual(after.mark(), mark);
    after.close();
  });
});
