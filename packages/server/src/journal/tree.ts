import { sha256 } from "./digest.ts";

/**
 * The Merkle tree over the hashes of all rows, shaped as in RFC 6962: n leaves are split at the largest power of two
 * below n. Its root stands in each signed head, so that a row, and that one head continues another, can be proved with
 * a number of hashes that grows with the logarithm of the rows.
 *
 *   leaf  = SHA-256(0x05 || hash of the row)
 *   inner = SHA-256(0x06 || left || right)
 *
 * A journal without rows has the root SHA-256 of nothing.
 */
const leafTag = 0x05;
const innerTag = 0x06;

/** Rows of a block. Roots of whole blocks are kept; what is below them is computed from the hashes of their rows. */
export const rowsPerBlock = 256;
const blockLevel = 8;

export function treeLeaf(rowHash: Uint8Array): Uint8Array {
  return sha256(Buffer.concat([Uint8Array.of(leafTag), rowHash]));
}

function inner(left: Uint8Array, right: Uint8Array): Uint8Array {
  return sha256(Buffer.concat([Uint8Array.of(innerTag), left, right]));
}

/** The root over leaves. */
export function treeRoot(leaves: readonly Uint8Array[]): Uint8Array {
  if (leaves.length === 0) return sha256(new Uint8Array(0));
  if (leaves.length === 1) return leaves[0]!;
  const split = splitOf(leaves.length);
  return inner(treeRoot(leaves.slice(0, split)), treeRoot(leaves.slice(split)));
}

/** The largest power of two below `count`, which is at least 2. */
function splitOf(count: number): number {
  return 2 ** (Math.ceil(Math.log2(count)) - 1);
}

/** Hands out the hashes of the rows `fromSeq` and after, at most `limit`. */
export type RowHashes = (fromSeq: number, limit: number) => Promise<readonly Uint8Array[]>;

/** The tree while it grows. Holds the roots of whole blocks and the leaves after them: a few bytes a row at most. */
export class RowTree {
  /** By level from that of blocks on: the roots of whole subtrees, in order. */
  readonly #levels: Uint8Array[][] = [];
  /** The leaves of the block that is not whole yet. */
  #tail: Uint8Array[] = [];

  get size(): number {
    return this.blocks * rowsPerBlock + this.#tail.length;
  }

  /** How many whole blocks there are. */
  get blocks(): number {
    return this.#levels[0]?.length ?? 0;
  }

  /** Takes in the next row; returns the root of its block where that is whole now. */
  add(rowHash: Uint8Array): Uint8Array | undefined {
    this.#tail.push(treeLeaf(rowHash));
    if (this.#tail.length < rowsPerBlock) return undefined;
    const root = treeRoot(this.#tail);
    this.#tail = [];
    this.addBlock(root);
    return root;
  }

  /** Takes in a whole block by its root; nothing may have been added after the last block. */
  addBlock(root: Uint8Array): void {
    let node = root;
    for (let level = 0; ; level++) {
      this.#levels[level] ??= [];
      const nodes = this.#levels[level]!;
      nodes.push(node);
      if (nodes.length % 2 === 1) return;
      node = inner(nodes.at(-2)!, node);
    }
  }

  /** The root over all rows. */
  root(): Uint8Array {
    const peaks: Uint8Array[] = [];
    for (let level = this.#levels.length - 1; level >= 0; level--) {
      const nodes = this.#levels[level]!;
      if (nodes.length % 2 === 1) peaks.push(nodes.at(-1)!);
    }
    if (this.#tail.length > 0 || peaks.length === 0) peaks.push(treeRoot(this.#tail));
    return peaks.reduceRight((right, left) => inner(left, right));
  }

  /** The root over the first `size` rows. */
  async rootAt(size: number, hashes: RowHashes): Promise<Uint8Array> {
    return size === 0 ? treeRoot([]) : this.#over(0, size, hashes);
  }

  /** The hashes that lead from row `row` to the root over the first `size` rows, lowest first. */
  async inclusion(row: number, size: number, hashes: RowHashes): Promise<Uint8Array[]> {
    const path: Uint8Array[] = [];
    let [low, high] = [0, size];
    while (high - low > 1) {
      const middle = low + splitOf(high - low);
      if (row - 1 < middle) {
        path.unshift(await this.#over(middle, high, hashes));
        high = middle;
      } else {
        path.unshift(await this.#over(low, middle, hashes));
        low = middle;
      }
    }
    return path;
  }

  /** The hashes that show that the first `size` rows begin with the first `from` rows (RFC 6962, 2.1.2). */
  async consistency(from: number, size: number, hashes: RowHashes): Promise<Uint8Array[]> {
    if (from === 0 || from === size) return [];
    const path: Uint8Array[] = [];
    let [low, high, whole] = [0, size, true];
    while (from !== high) {
      const middle = low + splitOf(high - low);
      if (from <= middle) {
        path.unshift(await this.#over(middle, high, hashes));
        high = middle;
      } else {
        path.unshift(await this.#over(low, middle, hashes));
        low = middle;
        whole = false;
      }
    }
    return whole ? path : [await this.#over(low, high, hashes), ...path];
  }

  /** The root over leaves `low` to `high`, which is a subtree of the tree over at least `high` rows. */
  async #over(low: number, high: number, hashes: RowHashes): Promise<Uint8Array> {
    const count = high - low;
    const level = Math.log2(count) - blockLevel;
    if (level >= 0 && Number.isInteger(level)) {
      const known = this.#levels[level]?.[low / count];
      if (known !== undefined) return known;
    }
    if (count <= rowsPerBlock) {
      const rows = await hashes(low + 1, count);
      if (rows.length !== count) throw new Error(`row ${low + 1 + rows.length} of the journal cannot be read`);
      return treeRoot(rows.map(treeLeaf));
    }
    const middle = low + splitOf(count);
    return inner(await this.#over(low, middle, hashes), await this.#over(middle, high, hashes));
  }
}
