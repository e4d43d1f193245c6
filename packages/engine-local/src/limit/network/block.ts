import { randomInt } from "node:crypto";

/**
 * Where the addresses of jobs come from: 198.18.0.0/15, set aside for tests of network devices (RFC 2544). Sites use the
 * private ranges, and a job must be able to reach what lies there.
 */
export const pool = { first: numberOf("198.18.0.0"), bits: 15, text: "198.18.0.0/15" } as const;
/** Each job has one block: the way out, the hub, and one address for each node. */
const blockBits = 26;
const blockSize = 2 ** (32 - blockBits);
/** The last blocks are for `tap`. */
export const blocks = 2 ** (blockBits - pool.bits) - 4;
/** The ends of the link to a carrier, the same in each namespace that has one. */
export const tap = {
  range: "198.19.255.0/24",
  address: "198.19.255.100",
  mask: "255.255.255.0",
  gateway: "198.19.255.2",
} as const;
/** Without the name of the block, the way out, the hub and the last address. */
export const nodesMax = blockSize - 4;

/** The addresses of one block. */
export interface Block {
  readonly number: number;
  readonly range: string;
  readonly wayOut: string;
  readonly hub: string;
  /** The address of the node with this index. */
  node(index: number): string;
}

export function blockOf(number: number): Block {
  const first = pool.first + number * blockSize;
  return {
    number,
    range: `${textOf(first)}/${blockBits}`,
    wayOut: textOf(first + 1),
    hub: textOf(first + 2),
    node: (index) => textOf(first + 3 + index),
  };
}

/** Every block once, from a random one on, so that two servers seldom try the same. Blocks inside a route of the machine are left out. */
export function* freeBlocks(routes: readonly string[]): Generator<Block> {
  const taken = routes.map(rangeOf).filter((range) => range !== undefined);
  const start = randomInt(blocks);
  for (let step = 0; step < blocks; step += 1) {
    const number = (start + step) % blocks;
    const first = pool.first + number * blockSize;
    if (!taken.some((range) => range.first < first + blockSize && first < range.first + range.size)) {
      yield blockOf(number);
    }
  }
}

/** A hardware address of our own: the two ends of a link know each other without asking. */
export function hardwareAddress(block: number, end: number): string {
  const bytes = [0x02, 0x74, 0x73, block >> 8, block & 0xff, end];
  return bytes.map((byte) => byte.toString(16).padStart(2, "0")).join(":");
}

/** `10.0.0.0/8` or a single address; undefined for anything else, such as `default`. */
function rangeOf(route: string): { readonly first: number; readonly size: number } | undefined {
  const [, address, bits = "32"] = /^(\d+\.\d+\.\d+\.\d+)(?:\/(\d+))?$/.exec(route) ?? [];
  if (address === undefined) return undefined;
  return { first: numberOf(address), size: 2 ** (32 - Number(bits)) };
}

function numberOf(address: string): number {
  return address.split(".").reduce((sum, part) => sum * 256 + Number(part), 0);
}

function textOf(number: number): string {
  return [24, 16, 8, 0].map((shift) => (number >>> shift) & 0xff).join(".");
}
