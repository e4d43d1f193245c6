import { sha256 } from "./digest.ts";

/**
 * The Merkle tree over the events of one row.
 *
 *   saltOf(i) = first 16 bytes of SHA-256(salt || uint32 i)
 *   leaf i    = SHA-256(0x00 || saltOf(i) || bytes of event i)
 *   inner     = SHA-256(0x01 || left || right)
 *
 * Nodes are paired from the left, level by level; the last of an odd level moves up as it is. A row without events
 * has the root SHA-256(32 zero bytes). The first byte keeps an inner node from being passed off as an event. Each leaf
 * has a salt of its own, so whoever is given one event with its proof cannot try out guesses for its neighbours.
 */
const leafTag = 0x00;
const innerTag = 0x01;
const hashBytes = 32;
export const saltBytes = 16;

/** The root of a row without events. */
export const emptyRoot: Uint8Array = sha256(Buffer.alloc(hashBytes));

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

/** The root over all events of a row. */
export function rootOf(salt: Uint8Array, events: readonly Uint8Array[]): Uint8Array {
  if (events.length === 0) return emptyRoot;
  return climb(leavesOf(salt, events), () => {});
}

/** The root over leaves that are there already, paired in the same way. */
export function rootOfLeaves(leaves: readonly Uint8Array[]): Uint8Array {
  return leaves.length === 0 ? emptyRoot : climb([...leaves], () => {});
}

/** The neighbours that lead from event `index` to the root, lowest first. */
export function pathOf(salt: Uint8Array, events: readonly Uint8Array[], index: number): Sibling[] {
  const path: Sibling[] = [];
  let place = index;
  climb(leavesOf(salt, events), (level, width) => {
    const left = place % 2 === 1;
    const neighbour = left ? place - 1 : place + 1;
    if (neighbour < width) path.push({ side: left ? "left" : "right", hash: level[neighbour]! });
    place = place >> 1;
  });
  return path;
}

/** The root that a leaf leads to along `path`. */
export function rootAlong(leaf: Uint8Array, path: readonly Sibling[]): Uint8Array {
  const pair = Buffer.allocUnsafe(1 + 2 * hashBytes);
  pair[0] = innerTag;
  let node = leaf;
  for (const { side, hash } of path) {
    pair.set(side === "left" ? hash : node, 1);
    pair.set(side === "left" ? node : hash, 1 + hashBytes);
    node = sha256(pair);
  }
  return node;
}

function leavesOf(salt: Uint8Array, events: readonly Uint8Array[]): Uint8Array[] {
  const saltMessage = Buffer.allocUnsafe(saltBytes + 4);
  saltMessage.set(salt, 0);
  let longest = 0;
  for (const event of events) longest = Math.max(longest, event.length);
  const message = Buffer.allocUnsafe(1 + saltBytes + longest);
  message[0] = leafTag;
  return events.map((event, index) => {
    saltMessage.writeUInt32BE(index, saltBytes);
    sha256(saltMessage).copy(message, 1, 0, saltBytes);
    message.set(event, 1 + saltBytes);
    return sha256(message.subarray(0, 1 + saltBytes + event.length));
  });
}

/** Pairs the nodes of `level` until one is left; `seen` is shown each level before it is paired. Overwrites `level`. */
function climb(level: Uint8Array[], seen: (level: readonly Uint8Array[], width: number) => void): Uint8Array {
  const pair = Buffer.allocUnsafe(1 + 2 * hashBytes);
  pair[0] = innerTag;
  let width = level.length;
  while (width > 1) {
    seen(level, width);
    let above = 0;
    for (let i = 0; i + 1 < width; i += 2) {
      pair.set(level[i]!, 1);
      pair.set(level[i + 1]!, 1 + hashBytes);
      level[above++] = sha256(pair);
    }
    if (width % 2 === 1) level[above++] = level[width - 1]!;
    width = above;
  }
  return level[0]!;
}
