import assert from "node:assert/strict";
import type { Instant } from "@tessera/core";
import { digestBytes, sha256 } from "./digest.ts";
import type { JournalHead, JournalPlace, JournalRow, Lines, RowDraft } from "./format.ts";
import { bytesOf, countLines, linesOf } from "./lines.ts";
import { leafOf, pathOf, rootAlong, rootOf, type Sibling, saltBytes, saltOf } from "./merkle.ts";

/**
 * How a row is sealed. All integers are unsigned and big-endian.
 *
 *   cover = SHA-256( 0x02 || uint64 seq || uint64 at || uint32 length of op || op in UTF-8 || uint32 epoch
 *                    || uint32 eventCount || uint64 eventsBefore || SHA-256(inputs) || salt, 16 bytes )
 *   hash  = SHA-256( 0x03 || hash of the row before || cover || root )
 *
 * The hash of the row before the first is 32 zero bytes. The cover stands between the two so that a tenant can check
 * one event against the chain without learning the sequence number, the inputs or the salt of the row: the salt
 * inside makes the cover say nothing.
 */
const coverTag = 0x02;
const rowTag = 0x03;

/** The head of a journal without rows. */
export const emptyJournal: JournalHead = { seq: 0, hash: new Uint8Array(digestBytes), events: 0, epoch: 0 };

/** What a row is made of; the rest follows from the row before. */
export interface Decided {
  readonly at: Instant;
  readonly op: string;
  readonly epoch: number;
  readonly inputs: Lines;
  readonly events: Lines;
  readonly salt: Uint8Array;
}

/** The row that follows `place`, not sealed yet. */
export function draftAfter(place: JournalPlace, decided: Decided): RowDraft {
  return { ...decided, seq: place.seq + 1, eventsBefore: place.events };
}

/** How far a journal has come that ends with `draft`. */
export function placeAfter({ seq, eventsBefore, events, epoch }: RowDraft): JournalPlace {
  return { seq, events: eventsBefore + events.count, epoch };
}

/** The row, chained to `previous`. */
export function sealRow(draft: RowDraft, previous: JournalHead): JournalRow {
  assert.equal(draft.salt.length, saltBytes, "the salt of a row has 16 bytes");
  assert.ok(draft.epoch >= previous.epoch, `epoch ${draft.epoch} is below ${previous.epoch} of the row before`);
  const events = bytesOf(draft.events);
  const unsealed = {
    seq: draft.seq,
    at: draft.at,
    op: draft.op,
    epoch: draft.epoch,
    inputs: bytesOf(draft.inputs),
    events,
    eventCount: draft.events.count,
    eventsBefore: draft.eventsBefore,
    salt: draft.salt,
    root: rootOf(draft.salt, events),
  };
  return { ...unsealed, hash: seal(previous.hash, coverOf(unsealed), unsealed.root) };
}

/** The head of a journal that ends with `row`. */
export function headOf(row: JournalRow): JournalHead {
  return { seq: row.seq, hash: row.hash, events: row.eventsBefore + row.eventCount, epoch: row.epoch };
}

/** What is wrong with `row` as the one after `previous`; undefined when it is sound. */
export function checkRow(row: JournalRow, previous: JournalHead): string | undefined {
  if (row.seq !== previous.seq + 1) return `gap: row ${row.seq} follows row ${previous.seq}`;
  if (!wellFormed(row)) return `row ${row.seq}: a number is out of range, or a salt or hash has the wrong length`;
  const held = countLines(row.events);
  if (held !== row.eventCount) return `row ${row.seq}: counts ${row.eventCount} events but holds ${held}`;
  if (row.eventsBefore !== previous.events) {
    return `row ${row.seq}: says ${row.eventsBefore} events came before it, but there were ${previous.events}`;
  }
  if (row.epoch < previous.epoch)
    return `row ${row.seq}: epoch ${row.epoch} is below ${previous.epoch} of the row before`;
  if (!same(rootOf(row.salt, row.events), row.root))
    return `row ${row.seq}: its events are not those it was sealed with`;
  if (!same(seal(previous.hash, coverOf(row), row.root), row.hash)) {
    return `row ${row.seq}: broken chain; its inputs, its heading or the row before were changed after it was sealed`;
  }
  return undefined;
}

/** Shows that one event is in the journal, without the events beside it. */
export interface EventProof {
  readonly event: string;
  /** The salt of this leaf alone. */
  readonly leafSalt: Uint8Array;
  readonly path: readonly Sibling[];
  readonly cover: Uint8Array;
  readonly previousHash: Uint8Array;
}

/** The proof for event `index` of `row`; `previousHash` is the hash of the row before. */
export function proveEvent(row: JournalRow, previousHash: Uint8Array, index: number): EventProof {
  const events = linesOf(row.events);
  const event = events[index];
  assert.ok(event !== undefined, `row ${row.seq} has no event ${index}; it has ${events.length}`);
  return {
    event,
    leafSalt: saltOf(row.salt, index),
    path: pathOf(row.salt, row.events, index),
    cover: coverOf(row),
    previousHash,
  };
}

/** Whether the proof leads from its event to the row hash. */
export function checkProof(proof: EventProof, rowHash: Uint8Array): boolean {
  const root = rootAlong(leafOf(proof.leafSalt, Buffer.from(proof.event, "utf8")), proof.path);
  return same(seal(proof.previousHash, proof.cover, root), rowHash);
}

function wellFormed(row: JournalRow): boolean {
  const { at, epoch, eventCount, eventsBefore } = row;
  return (
    [at, epoch, eventCount, eventsBefore].every((n) => Number.isSafeInteger(n) && n >= 0) &&
    Math.max(epoch, eventCount) <= 0xffff_ffff &&
    row.salt.length === saltBytes &&
    row.root.length === digestBytes &&
    row.hash.length === digestBytes
  );
}

/** Stands for everything of a row but its events; tells nothing of it. */
export function coverOf(row: Omit<JournalRow, "hash" | "root">): Uint8Array {
  const op = Buffer.from(row.op, "utf8");
  const message = Buffer.allocUnsafe(1 + 8 + 8 + 4 + op.length + 4 + 4 + 8 + digestBytes + saltBytes);
  let place = message.writeUInt8(coverTag, 0);
  place = message.writeBigUInt64BE(BigInt(row.seq), place);
  place = message.writeBigUInt64BE(BigInt(row.at), place);
  place = message.writeUInt32BE(op.length, place);
  place += op.copy(message, place);
  place = message.writeUInt32BE(row.epoch, place);
  place = message.writeUInt32BE(row.eventCount, place);
  place = message.writeBigUInt64BE(BigInt(row.eventsBefore), place);
  place += sha256(row.inputs).copy(message, place);
  message.set(row.salt, place);
  return sha256(message);
}

function seal(previousHash: Uint8Array, cover: Uint8Array, root: Uint8Array): Uint8Array {
  return sha256(Buffer.concat([Uint8Array.of(rowTag), previousHash, cover, root]));
}

function same(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0;
}
