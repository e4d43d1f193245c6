import { isIP, SocketAddress } from "node:net";

/** A block of addresses: its first one as a number, and how many leading bits they share. */
interface Range {
  readonly width: 32 | 128;
  readonly first: bigint;
  readonly bits: number;
}

/** `10.0.0.0/8`, or one address; undefined for anything else. */
export function parseRange(text: string): Range | undefined {
  const [address = "", given, more] = text.split("/");
  const version = isIP(address);
  if (version === 0 || more !== undefined) return undefined;
  const width = version === 4 ? 32 : 128;
  const bits = given === undefined ? width : /^\d{1,3}$/.test(given) ? Number(given) : -1;
  if (bits < 0 || bits > width) return undefined;
  return cut({ width, first: version === 4 ? numberOf4(address) : numberOf6(address), bits });
}

export function formatRange({ width, first, bits }: Range): string {
  if (width === 32) {
    const parts = [24n, 16n, 8n, 0n].map((shift) => (first >> shift) & 0xffn);
    return `${parts.join(".")}/${bits}`;
  }
  const parts = Array.from({ length: 8 }, (_, i) => ((first >> BigInt(112 - 16 * i)) & 0xffffn).toString(16));
  return `${new SocketAddress({ family: "ipv6", address: parts.join(":") }).address}/${bits}`;
}

/**
 * The same addresses in as few blocks as possible, and at most `most` per family: beyond that the finest blocks are widened,
 * because a network policy with a thousand exceptions costs every node of the cluster.
 */
export function mergeRanges(texts: readonly string[], most: number): readonly string[] {
  const ranges = texts.map(parseRange).filter((range) => range !== undefined);
  return ([32, 128] as const).flatMap((width) => {
    let merged = merge(ranges.filter((range) => range.width === width));
    while (merged.length > most) {
      const finest = Math.max(...merged.map(({ bits }) => bits));
      merged = merge(merged.map((range) => (range.bits === finest ? cut({ ...range, bits: finest - 1 }) : range)));
    }
    return merged.map(formatRange);
  });
}

/** Sorted, none inside another, and no two that are the halves of one. */
function merge(ranges: readonly Range[]): Range[] {
  const out: Range[] = [];
  for (const range of ranges.toSorted((a, b) => (a.first === b.first ? a.bits - b.bits : a.first < b.first ? -1 : 1))) {
    const last = out.at(-1);
    if (last !== undefined && cut({ ...range, bits: last.bits }).first === last.first) continue;
    out.push(range);
    for (let joined = joinLast(out); joined !== undefined; joined = joinLast(out)) out.splice(-2, 2, joined);
  }
  return out;
}

function joinLast(ranges: readonly Range[]): Range | undefined {
  const [a, b] = ranges.slice(-2);
  if (a === undefined || b === undefined || a.bits !== b.bits || a.bits === 0) return undefined;
  const both = cut({ ...b, bits: b.bits - 1 });
  return both.first === a.first ? both : undefined;
}

function cut({ width, first, bits }: Range): Range {
  const rest = BigInt(width - bits);
  return { width, first: (first >> rest) << rest, bits };
}

function numberOf4(address: string): bigint {
  return address.split(".").reduce((sum, part) => sum * 256n + BigInt(part), 0n);
}

function numberOf6(address: string): bigint {
  const [plain = ""] = address.split("%");
  const dotted = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(plain);
  const text = dotted === null ? plain : `${dotted[1]}${tail4(dotted[2]!)}`;
  const [head = "", end] = text.split("::");
  const before = head === "" ? [] : head.split(":");
  const after = end === undefined || end === "" ? [] : end.split(":");
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => "0");
  return [...before, ...zeros, ...after].reduce((sum, part) => sum * 65_536n + BigInt(`0x${part}`), 0n);
}

function tail4(address: string): string {
  const number = numberOf4(address);
  return `${(number >> 16n).toString(16)}:${(number & 0xffffn).toString(16)}`;
}
