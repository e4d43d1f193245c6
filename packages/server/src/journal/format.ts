import type { Instant } from "@tessera/core";

/** Canonical JSON, one value a line, no line end after the last. */
export interface Lines {
  readonly text: string;
  readonly count: number;
}

/** One batch as it was decided, before it is chained to the row before. */
export interface RowDraft {
  readonly seq: number;
  readonly at: Instant;
  readonly op: string;
  readonly epoch: number;
  readonly inputs: Lines;
  readonly events: Lines;
  readonly eventsBefore: number;
  /** 16 random bytes. */
  readonly salt: Uint8Array;
}

/** One committed batch: the inputs as they came, the events they led to, chained to the row before. */
export interface JournalRow {
  /** Gapless from 1. */
  readonly seq: number;
  readonly at: Instant;
  /** The operation id of this commit; unique. How an unknown commit is found again. */
  readonly op: string;
  readonly epoch: number;
  /** Canonical JSON, one input a line, no line end after the last. */
  readonly inputs: Uint8Array;
  /** Canonical JSON, one event a line. Empty when the batch decided nothing. */
  readonly events: Uint8Array;
  readonly eventCount: number;
  /** Number of events in all rows before. */
  readonly eventsBefore: number;
  readonly salt: Uint8Array;
  /** Merkle root over the salted events. */
  readonly root: Uint8Array;
  /** SHA-256 over the hash of the row before and everything above. */
  readonly hash: Uint8Array;
}

/** As much of a row as a replay needs, with the events as text: a journal is read several times faster this way. */
export interface EventLines {
  readonly seq: number;
  readonly at: Instant;
  readonly eventCount: number;
  /** Canonical JSON, one event a line. */
  readonly lines: string;
}

/** How far the journal has come. */
export interface JournalPlace {
  readonly seq: number;
  readonly events: number;
  readonly epoch: number;
}

export interface JournalHead extends JournalPlace {
  readonly hash: Uint8Array;
}
