import { sha256, tag, tagged } from "./hash.ts";

/** One row of a journal as it is stored. */
export interface Row {
  readonly seq: number;
  readonly at: number;
  readonly op: string;
  readonly epoch: number;
  readonly inputs: Uint8Array;
  readonly events: Uint8Array;
  readonly eventCount: number;
  readonly eventsBefore: number;
  readonly salt: Uint8Array;
  readonly root: Uint8Array;
  readonly hash: Uint8Array;
}

/** The lines of a row's inputs or events. */
export function linesOf(bytes: Uint8Array): string[] {
  return bytes.length === 0 ? [] : Buffer.from(bytes).toString("utf8").split("\n");
}

/** The root over the events of a row, each with a salt of its own. */
export function rootOfEvents(salt: Uint8Array, events: Uint8Array): Buffer {
  const leaves = linesOf(events).map((line, i) => {
    const index = Buffer.alloc(4);
    index.writeUInt32BE(i);
    return tagged(tag.event, sha256(salt, index).subarray(0, 16), Buffer.from(line));
  });
  return rootOfPairs(leaves);
}

/** Pairs from the left, level by level; the last of an odd level moves up as it is. */
export function rootOfPairs(leaves: readonly Buffer[]): Buffer {
  if (leaves.length === 0) return sha256(Buffer.alloc(32));
  let level = [...leaves];
  while (level.length > 1) {
    const above: Buffer[] = [];
    for (let i = 0; i < level.length; i += 2) {
      const [left, right] = [level[i]!, level[i + 1]];
      above.push(right === undefined ? left : tagged(tag.pair, left, right));
    }
    level = above;
  }
  return level[0]!;
}

/** What stands for everything of a row but its events. */
function coverOf(row: Row, seq: number): Buffer {
  const number = (value: number, bytes: 4 | 8) => {
    const buffer = Buffer.alloc(bytes);
    if (bytes === 4) buffer.writeUInt32BE(value);
    else buffer.writeBigUInt64BE(BigInt(value));
    return buffer;
  };
  const op = Buffer.from(row.op);
  return tagged(
    tag.cover,
    ...[number(seq, 8), number(row.at, 8), number(op.length, 4), op, number(row.epoch, 4)],
    ...[number(row.eventCount, 4), number(row.eventsBefore, 8), sha256(row.inputs), row.salt],
  );
}

/** The hash that the row would have as number `seq` after a row with the hash `previous`. */
export function sealOf(row: Row, previous: Uint8Array, seq = row.seq): Buffer {
  return tagged(tag.row, previous, coverOf(row, seq), row.root);
}

/** What is wrong with a row; undefined when it is what was sealed after the row with the hash `previous`. */
export function rowFault(row: Row, previous: Uint8Array, eventsBefore: number): string | undefined {
  try {
    if (row.eventsBefore !== eventsBefore || linesOf(row.events).length !== row.eventCount)
      return "edited: its number of events is not right";
    if (!rootOfEvents(row.salt, row.events).equals(row.root))
      return "edited: its events are not those it was sealed with";
    if (!sealOf(row, previous).equals(row.hash))
      return "edited: its inputs, its heading or the row before are not those it was sealed with";
    return undefined;
  } catch (error) {
    return `edited: it cannot be read: ${(error as Error).message}`;
  }
}

/** The number under which a misplaced row was sealed, where it is one of these rows. */
export function sealedAs(row: Row, around: readonly Row[]): number | undefined {
  for (const { seq } of around) for (const { hash } of around) if (sealOf(row, hash, seq).equals(row.hash)) return seq;
  return undefined;
}
