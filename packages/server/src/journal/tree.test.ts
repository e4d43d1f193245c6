import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isContinued, isIncluded } from "@tessera/wire";
import { sha256 } from "./digest.ts";
import { RowTree, treeLeaf, treeRoot } from "./tree.ts";

const rowHash = (seq: number) => sha256(Buffer.from(`row ${seq}`));
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");
const hashes = async (from: number, limit: number) => Array.from({ length: limit }, (_, i) => rowHash(from + i));

function treeOf(size: number): RowTree {
  const tree = new RowTree();
  for (let seq = 1; seq <= size; seq++) tree.add(rowHash(seq));
  return tree;
}

const plainRoot = (size: number) => hex(treeRoot(Array.from({ length: size }, (_, i) => treeLeaf(rowHash(i + 1)))));

describe("the tree over rows", () => {
  const sizes = [1, 2, 3, 7, 255, 256, 257, 300, 511, 512, 513, 1_000];

  it("has the root of all its leaves, at every size", async () => {
    for (const size of sizes) assert.equal(hex(treeOf(size).root()), plainRoot(size), `${size} rows`);
    const tree = treeOf(1_000);
    for (const size of sizes) assert.equal(hex(await tree.rootAt(size, hashes)), plainRoot(size), `${size} rows`);
  });

  it("proves each row to the root of each size, and no other row", async () => {
    const tree = treeOf(1_000);
    for (const size of sizes) {
      for (const row of new Set([1, 2, Math.ceil(size / 2), size - 1, size].filter((row) => row > 0 && row <= size))) {
        const path = (await tree.inclusion(row, size, hashes)).map(hex);
        assert.ok(path.length <= 10);
        const claim = { rowHash: hex(rowHash(row)), row, size, path, root: plainRoot(size) };
        assert.equal(await isIncluded(claim), true, `row ${row} of ${size}`);
        assert.equal(await isIncluded({ ...claim, rowHash: hex(rowHash(row + 1)) }), false);
        if (size > 1) assert.equal(await isIncluded({ ...claim, row: row === 1 ? 2 : row - 1 }), false);
      }
    }
  });

  it("proves that each size continues each smaller one, and not another history", async () => {
    const tree = treeOf(1_000);
    for (const size of sizes) {
      for (const from of sizes.filter((each) => each <= size)) {
        const path = (await tree.consistency(from, size, hashes)).map(hex);
        const claim = { from, fromRoot: plainRoot(from), size, root: plainRoot(size), path };
        assert.equal(await isContinued(claim), true, `${from} to ${size}`);
        assert.equal(await isContinued({ ...claim, fromRoot: hex(sha256(Buffer.from("x"))) }), false);
        if (from !== size) assert.equal(await isContinued({ ...claim, root: hex(sha256(Buffer.from("x"))) }), false);
      }
    }
  });
});
