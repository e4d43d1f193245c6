import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { HeadFile, makeHeadFile, readHeadFile } from "./head-file.ts";

describe("the head file", () => {
  let dir: string;
  let path: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), "tessera-head-"));
    path = join(dir, "store.head");
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  const headAt = (seq: number) => ({ seq, hash: Buffer.alloc(32, seq) });
  const never = (text: string) => assert.fail(text);
  function noted(...rows: readonly number[]): void {
    const file = new HeadFile(path, headAt(0), false, never);
    for (const seq of rows) file.note(headAt(seq));
    file.close();
  }
  function change(at: number): void {
    const bytes = readFileSync(path);
    bytes[at]! ^= 1;
    writeFileSync(path, bytes);
  }

  it("is missing until it is made, and then says the last row noted", () => {
    assert.deepEqual(readHeadFile(path), { is: "missing" });
    makeHeadFile(path, headAt(0));
    noted(1, 2, 3);
    assert.deepEqual(readHeadFile(path), { is: "head", head: headAt(3), halfDamaged: false });
    assert.equal(statSync(path).mode & 0o777, 0o600);
  });

  it("is readable for people", () => {
    makeHeadFile(path, headAt(7));
    assert.match(readFileSync(path, "utf8"), /^Tessera journal head: row 7, hash 0707/);
  });

  it("says a row that was written when one copy is damaged at any of its bits, and that it is", () => {
    makeHeadFile(path, headAt(0));
    noted(1, 2);
    const whole = readFileSync(path);
    for (let at = 0; at < whole.length; at += 7) {
      change(at);
      const read = readHeadFile(path);
      assert.ok(read.is === "head" && read.halfDamaged && [1, 2].includes(read.head.seq), `byte ${at}`);
      writeFileSync(path, whole);
    }
  });

  it("is damaged, not missing, when no copy can be read", () => {
    makeHeadFile(path, headAt(5));
    change(30);
    change(512 + 30);
    assert.equal(readHeadFile(path).is, "damaged");
    truncateSync(path, 0);
    assert.equal(readHeadFile(path).is, "damaged");
  });

  it("is made anew by the first note where the owner goes on without what it says", () => {
    makeHeadFile(path, headAt(9));
    const file = new HeadFile(path, headAt(4), true, never);
    assert.deepEqual(readHeadFile(path), { is: "head", head: headAt(9), halfDamaged: false });
    file.note(headAt(5));
    file.close();
    assert.deepEqual(readHeadFile(path), { is: "head", head: headAt(5), halfDamaged: false });
  });

  it("tells once that it cannot be written, and lags until it can", () => {
    const told: string[] = [];
    const file = new HeadFile(path, headAt(0), false, (text) => told.push(text));
    file.note(headAt(1));
    file.note(headAt(2));
    assert.equal(told.length, 1);
    makeHeadFile(path, headAt(2));
    file.note(headAt(3));
    file.close();
    assert.deepEqual(readHeadFile(path), { is: "head", head: headAt(3), halfDamaged: false });
  });
});
