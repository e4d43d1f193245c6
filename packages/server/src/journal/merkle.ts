import { digestBytes, sha256, sha256Into } from "./digest.ts";
import { eachLine } from "./lines.ts";

/**
 * The Merkle tree over the events of one row.
 *
 *   saltOf(i) = first 16 bytes of SHA-256(salt || uint32 i)
 *   leaf i    = SHA-256(0x00 || saltOf(i) || bytes of event i)
 *   inner     = SHA-256(0x01 || left || right)
 *
 * Nodes are paired from the left, level by level; the last of an odd level moves up as it is. A row without events
 * has the root SHA-256(32 zero bytes). The first byte keeps an inner node from being passed off as an event. Each leaf
 * has a salt of its own, so the holder of one event and its proof cannot try out guesses for its neighbours.
 */
const leafTag = 0x00;
const innerTag = 0x01;
export const saltBytes = 16;

/** The root of a row without events. */
export const emptyRoot: Uint8Array = sha256(Buffer.alloc(digestBytes));

/** A neighbour on the way from a leaf to the root, and the side on which it stands. */
export interface Sibling {
  readonly side: "left" | "right";
  readonly hash: Uint8Array;
}

/** The salt of one leaf. Showing it says nothing about the salt of the row or of another leaf. */
export function saltOf(salt: Uint8Array, index: number): Uint8Array {
  const message = Buffer.allocUnsafe(saltBytes + 4);
  message.set(salt, 0);
  message.writeUInt32BE(index, saltBytes);
  return sha256(message).subarray(0, saltBytes);
}

export function leafOf(leafSalt: Uint8Array, event: Uint8Array): Uint8Array {
  const message = Buffer.allocUnsafe(1 + saltBytes + event.length);
  message[0] = leafTag;
  message.set(leafSalt, 1);
  message.set(event, 1 + saltBytes);
  return sha256(message);
}

/** The root over all events of a row, given as its lines. */
export function rootOf(salt: Uint8Array, lines: Uint8Array): Uint8Array {
  return climb(leavesOf(salt, lines), () => {});
}

/** The root over leaves that are there already, paired in the same way. */
export function rootOfLeaves(leaves: readonly Uint8Array[]): Uint8Array {
  return climb(Buffer.concat(leaves), () => {});
}

/** The neighbours that lead from event `index` of a row's lines to the root, lowest first. */
export function pathOf(salt: Uint8Array, lines: Uint8Array, index: number): Sibling[] {
  const path: Sibling[] = [];
  let place = index;
  climb(leavesOf(salt, lines), (level) => {
    const left = place % 2 === 1;
    const at = (left ? place - 1 : place + 1) * digestBytes;
    if (at < level.length) {
      path.push({ side: left ? "left" : "right", hash: Buffer.from(level.subarray(at, at + digestBytes)) });
    }
    place = place >> 1;
  });
  return path;
}

/** The root that a leaf leads to along `path`. */
export function rootAlong(leaf: Uint8Array, path: readonly Sibling[]): Uint8Array {
  const pair = Buffer.allocUnsafe(1 + 2 * digestBytes);
  pair[0] = innerTag;
  let node = leaf;
  for (const { side, hash } of path) {
    pair.set(side === "left" ? hash : node, 1);
    pair.set(side === "left" ? node : hash, 1 + digestBytes);
    node = sha256(pair);
  }
  return node;
}

/** The leaves of all lines, one after the other. */
function leavesOf(salt: Uint8Array, lines: Uint8Array): Buffer {
  const saltMessage = Buffer.allocUnsafe(saltBytes + 4);
  saltMessage.set(salt, 0);
  const message = Buffer.allocUnsafe(1 + digestBytes + lines.length);
  let leaves = Buffer.allocUnsafe(64 * digestBytes);
  let count = 0;
  eachLine(lines, (from, to) => {
    const at = count * digestBytes;
    if (at === leaves.length) leaves = Buffer.concat([leaves], 2 * leaves.length);
    saltMessage.writeUInt32BE(count++, saltBytes);
    sha256Into(message, 1, saltMessage);
    message[0] = leafTag;
    message.set(lines.subarray(from, to), 1 + saltBytes);
    sha256Into(leaves, at, message.subarray(0, 1 + saltBytes + to - from));
  });
  return leaves.subarray(0, count * digestBytes);
}

/** Pairs the nodes of `level` until one is left; `seen` is shown each level before it is paired. Overwrites `level`. */
function climb(level: Buffer, seen: (level: Buffer) => void): Uint8Array {
  if (level.length === 0) return emptyRoot;
  const pair = Buffer.allocUnsafe(1 + 2 * digestBytes);
  pair[0] = innerTag;
  let nodes = level;
  while (nodes.length > digestBytes) {
    seen(nodes);
    let above = 0;
    for (let at = 0; at < nodes.length; at += 2 * digestBytes, above += digestBytes) {
      const copied = nodes.copy(pair, 1, at, at + 2 * digestBytes);
      if (copied > digestBytes) sha256Into(nodes, above, pair);
      else nodes.copyWithin(above, at);
    }
    nodes = nodes.subarray(0, above);
  }
  return Buffer.from(nodes);
}
