import { bytesOf, hashOf, hex } from "./hashes.ts";

const [leafTag, innerTag] = [0x05, 0x06];

/** That a row is one of the first `size`. Hashes are hexadecimal. */
export interface InclusionClaim {
  readonly rowHash: string;
  readonly row: number;
  readonly size: number;
  readonly path: readonly string[];
  readonly root: string;
}

/** RFC 9162, 2.1.3.2, over the tree of rows. */
export async function isIncluded({ rowHash, row, size, path, root }: InclusionClaim): Promise<boolean> {
  if (row < 1 || row > size) return false;
  let [index, last] = [row - 1, size - 1];
  let node = await hashOf(leafTag, bytesOf(rowHash));
  for (const each of path) {
    if (last === 0) return false;
    const hash = bytesOf(each);
    if (index % 2 === 1 || index === last) {
      node = await hashOf(innerTag, hash, node);
      while (index % 2 === 0 && index !== 0) [index, last] = [half(index), half(last)];
    } else {
      node = await hashOf(innerTag, node, hash);
    }
    [index, last] = [half(index), half(last)];
  }
  return last === 0 && hex(node) === root;
}

/** That the first `size` rows begin with the first `from`. */
export interface ConsistencyClaim {
  readonly from: number;
  readonly fromRoot: string;
  readonly size: number;
  readonly root: string;
  readonly path: readonly string[];
}

/** RFC 9162, 2.1.4.2. */
export async function isContinued({ from, fromRoot, size, root, path }: ConsistencyClaim): Promise<boolean> {
  if (from < 1 || from > size) return false;
  if (from === size) return path.length === 0 && fromRoot === root;
  const isPower = Number.isInteger(Math.log2(from));
  const [first, ...rest] = isPower ? [fromRoot, ...path] : path;
  if (first === undefined) return false;
  let [index, last] = [from - 1, size - 1];
  while (index % 2 === 1) [index, last] = [half(index), half(last)];
  let [old, now] = [bytesOf(first) as Uint8Array, bytesOf(first) as Uint8Array];
  for (const each of rest) {
    if (last === 0) return false;
    const hash = bytesOf(each);
    if (index % 2 === 1 || index === last) {
      old = await hashOf(innerTag, hash, old);
      now = await hashOf(innerTag, hash, now);
      while (index % 2 === 0 && index !== 0) [index, last] = [half(index), half(last)];
    } else {
      now = await hashOf(innerTag, now, hash);
    }
    [index, last] = [half(index), half(last)];
  }
  return last === 0 && hex(old) === fromRoot && hex(now) === root;
}

function half(index: number): number {
  return Math.floor(index / 2);
}
