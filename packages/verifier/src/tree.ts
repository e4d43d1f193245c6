import { hex, tag, tagged, unhex } from "./hash.ts";

/** The Merkle tree over the hashes of rows (RFC 6962, with tags of its own), as it grows: one hash for each power of two. */
export class Tree {
  #size = 0;
  /** The roots of whole subtrees by their height; undefined where there is none. */
  readonly #peaks: (Buffer | undefined)[] = [];

  add(rowHash: Uint8Array): void {
    this.#size++;
    let node = tagged(tag.leaf, rowHash);
    let height = 0;
    for (let peak = this.#peaks[height]; peak !== undefined; peak = this.#peaks[++height]) {
      node = tagged(tag.inner, peak, node);
      this.#peaks[height] = undefined;
    }
    this.#peaks[height] = node;
  }

  root(): string {
    const peaks = this.#peaks.filter((peak) => peak !== undefined);
    return hex(peaks.reduce((right, left) => tagged(tag.inner, left, right)));
  }

  get size(): number {
    return this.#size;
  }
}

const half = (index: number) => Math.floor(index / 2);

/** Whether `path` leads from the hash of row `row` to the root over `size` rows (RFC 9162, 2.1.3.2). */
export function isIncluded(
  rowHash: Uint8Array,
  row: number,
  size: number,
  path: readonly string[],
  root: string,
): boolean {
  if (row < 1 || row > size) return false;
  let [index, last] = [row - 1, size - 1];
  let node = tagged(tag.leaf, rowHash);
  for (const each of path) {
    if (last === 0) return false;
    if (index % 2 === 1 || index === last) {
      node = tagged(tag.inner, unhex(each), node);
      while (index % 2 === 0 && index !== 0) [index, last] = [half(index), half(last)];
    } else {
      node = tagged(tag.inner, node, unhex(each));
    }
    [index, last] = [half(index), half(last)];
  }
  return last === 0 && hex(node) === root;
}

/** A number of rows and the root over them. */
export interface Rooted {
  readonly row: number;
  readonly tree: string;
}

/** Whether the rows of `to` begin with those of `from` (RFC 9162, 2.1.4.2). */
export function isContinued(from: Rooted, to: Rooted, path: readonly string[]): boolean {
  if (from.row < 1 || from.row > to.row) return false;
  if (from.row === to.row) return path.length === 0 && from.tree === to.tree;
  const [first, ...rest] = Number.isInteger(Math.log2(from.row)) ? [from.tree, ...path] : path;
  if (first === undefined) return false;
  let [index, last] = [from.row - 1, to.row - 1];
  while (index % 2 === 1) [index, last] = [half(index), half(last)];
  let [old, now] = [unhex(first), unhex(first)];
  for (const each of rest) {
    if (last === 0) return false;
    if (index % 2 === 1 || index === last) {
      old = tagged(tag.inner, unhex(each), old);
      now = tagged(tag.inner, unhex(each), now);
      while (index % 2 === 0 && index !== 0) [index, last] = [half(index), half(last)];
    } else {
      now = tagged(tag.inner, now, unhex(each));
    }
    [index, last] = [half(index), half(last)];
  }
  return last === 0 && hex(old) === from.tree && hex(now) === to.tree;
}
