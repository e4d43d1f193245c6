import type { Instant } from "@tessera/core";
import type { EventLines, JournalHead, JournalRow, RowDraft } from "../journal/format.ts";
import type { StoreKey } from "./seal/keys.ts";

/** So many snapshots are kept: the newest for a quick start, older ones so that past moments can be shown. */
export const snapshotsKept = 24;

export interface Snapshot {
  readonly seq: number;
  readonly schema: number;
  /** SHA-256 of `bytes`. */
  readonly hash: Uint8Array;
  readonly bytes: Uint8Array;
}

/** A job that has ended, as it is shown for ever after. */
export interface EndedJobRow {
  readonly id: string;
  /** The path of its account when it ended. */
  readonly account: string;
  readonly user: string;
  readonly name: string;
  readonly arrayId: string | null;
  readonly submittedAt: Instant;
  readonly endedAt: Instant;
  readonly outcome: string;
  readonly exitCode: number | null;
  readonly gpus: number;
  readonly priority: number;
  /** Null where it never started. */
  readonly startedAt: Instant | null;
  /** Until when it ran, which may be before its end was known. */
  readonly ranUntil: Instant;
  /** JSON of the whole, as the API shows it. */
  readonly doc: string;
}

/** A job that has ended without the document, which is most of it. */
export type EndedJobKeys = Omit<EndedJobRow, "doc">;

/** A stretch of time in which one lease was in one state. Written when the stretch ends. */
export interface UsageRow {
  readonly lease: string;
  readonly job: string;
  readonly account: string;
  readonly user: string;
  readonly node: string;
  /** Device uuid; one row per device. A lease without GPUs leaves no rows. */
  readonly gpu: string;
  readonly model: string;
  readonly units: number;
  readonly state: string;
  readonly class: string;
  readonly fromAt: Instant;
  readonly toAt: Instant;
}

/** From `at` on, a device has this much capacity of which this much is free, in a node of this mode. */
export interface DeviceRow {
  readonly gpu: string;
  readonly node: string;
  readonly model: string;
  readonly at: Instant;
  /** Orders changes of one instant; the last of them counts. */
  readonly seq: number;
  readonly capacityUnits: number;
  readonly freeUnits: number;
  readonly mode: string;
}

export interface AuditRow {
  /** Journal row and place in it; never shown to tenants. */
  readonly seq: number;
  readonly index: number;
  readonly at: Instant;
  readonly actor: string;
  readonly token: string | null;
  readonly request: string;
  readonly action: string;
  readonly target: string;
  /** Account path the target belongs to; empty for the platform itself. */
  readonly account: string;
  /** `ok` for a command, which has a row only if it changed something; else what became of what was tried. */
  readonly outcome: string;
  readonly detail: string;
  /** The private row that holds the address; absent where none is known. */
  readonly origin?: string;
  /** How often it happened; absent for a command. */
  readonly count?: number;
}

/** Something that has to do with money: what was metered, an entry of the ledger, an invoice. */
export interface BookRow {
  /** Journal row and place in it. */
  readonly seq: number;
  readonly index: number;
  /** `usage`, `floor`, `capacity`, `lost`, `entry`, `invoice`, `output`. */
  readonly kind: string;
  /** The lease, the account, the model, the number. */
  readonly key: string;
  /** Empty where it belongs to no tenant. */
  readonly tenant: string;
  readonly fromAt: Instant;
  readonly toAt: Instant;
  /** JSON of the whole. */
  readonly doc: string;
}

/** What a batch adds to the tables that answer questions. All of it can be rebuilt from the journal. */
export interface Projected {
  readonly books: readonly BookRow[];
  readonly jobs: readonly EndedJobRow[];
  readonly usage: readonly UsageRow[];
  readonly devices: readonly DeviceRow[];
  readonly audit: readonly AuditRow[];
}

/**
 * Rows outside the journal that must be erasable or secret: people's names, password hashes, encrypted secret values.
 * `kind` is `person`, `password`, `secret`, `token-use`, `origin`. A null value deletes.
 */
export interface PrivateWrite {
  readonly kind: string;
  readonly key: string;
  readonly value: Uint8Array | null;
}

export interface Batch {
  readonly row: RowDraft;
  readonly projected: Projected;
  readonly privates: readonly PrivateWrite[];
}

/** The commit failed, or its outcome is unknown. Either way the writer must recover: its memory is ahead of the journal. */
export class CommitOutage extends Error {
  readonly known: boolean;
  /** There was no room for it: after `reopen`, and with room again, the store takes the next. */
  readonly full: boolean;
  constructor(message: string, known: boolean, cause: unknown, full = false) {
    super(message, { cause });
    this.known = known;
    this.full = full;
  }
}

/** The store is not as it was written: rows are missing, or what was read is damaged. The message says what to do. */
export class StoreDamaged extends Error {}
export const restoreInstead =
  "Restore a backup into an empty folder: tess admin restore FILE --data FOLDER. tess admin verify names what is damaged.";

/** How a store is opened. */
export interface OpenOptions {
  /** Opens it although it lost rows, for whoever then writes down that they are lost. */
  readonly acceptLoss?: boolean;
  /** Hears what had to be mended. */
  readonly say?: (text: string) => void;
  /** Keys of stores; one that is sealed names the one it needs. */
  readonly keys?: readonly StoreKey[] | undefined;
}

/** Another process holds the store. */
export class StoreHeld extends Error {}

/** When accounts were made: what is older was recorded under the same path by another one, and is left out. */
export type MadeAt = ReadonlyMap<string, Instant>;

export interface JobQuery {
  /** Account paths; a job matches when its account is one of them or below one. Empty = all. */
  readonly accounts: readonly string[];
  readonly user?: string;
  readonly name?: string;
  readonly arrayId?: string;
  readonly outcome?: string | { readonly not: readonly string[] };
  /** Only jobs that are no elements of an array. */
  readonly tops?: boolean;
  readonly madeAt?: MadeAt;
  /** By (submittedAt, id), else newest first. */
  readonly oldestFirst?: boolean;
  /** Only rows that come after this one. */
  readonly after?: SubmittedPlace;
  readonly limit: number;
}

export interface SubmittedPlace {
  readonly submittedAt: Instant;
  readonly id: string;
}

/** What the store keeps ended jobs in order by, besides the time of their submission. */
export const jobKeys = ["name", "gpus", "priority", "outcome", "started", "since", "waited", "ran"] as const;
export type JobKey = (typeof jobKeys)[number];

/** Ended jobs that are kept together in order of their submission: those of a user, or of an account and none below it. */
export type JobGroup = "user" | "account";

/** Where a job stands in an index; ties by (submittedAt, id), the same way round. Of a group there is no key. */
export interface JobPlace extends SubmittedPlace {
  readonly key?: string | number;
}

/** Jobs that are no elements of an array in the order of an index, as far as a bounded walk through it finds them. */
export interface JobWalk extends Pick<JobQuery, "accounts" | "user" | "name" | "outcome" | "madeAt" | "limit"> {
  readonly along: { readonly key: JobKey } | { readonly group: JobGroup; readonly of: string };
  readonly down: boolean;
  readonly after?: JobPlace;
  /** Rows that are looked at, at most. */
  readonly stepsMax: number;
}

export interface WalkedJobs {
  readonly rows: readonly EndedJobRow[];
  /** The last place that was looked at, where more may follow although fewer than `limit` were found. */
  readonly upTo?: JobPlace;
  /** Rows that were looked at, at most. */
  readonly steps: number;
}

export interface AuditQuery {
  readonly accounts: readonly string[];
  readonly actor?: string;
  readonly action?: string;
  readonly target?: string;
  readonly outcome?: string;
  /** Any of these. */
  readonly actions?: readonly string[];
  readonly outcomes?: readonly string[];
  /** By none of these. */
  readonly notBy?: readonly string[];
  /** Names of addresses; a record matches when its origin is one of them. Absent = any. */
  readonly origins?: readonly string[];
  readonly fromAt?: Instant;
  readonly toAt?: Instant;
  readonly madeAt?: MadeAt;
  readonly before?: AuditPlace;
  readonly limit: number;
}

/** Where an audit record stands. */
export interface AuditPlace {
  readonly seq: number;
  readonly index: number;
}

export interface BookQuery {
  readonly kind: string;
  readonly key?: string;
  /** Keys that begin with it; it ends with a hyphen. */
  readonly keyPrefix?: `${string}-`;
  /** Absent = all. */
  readonly tenant?: string;
  /** Rows that overlap [fromAt, toAt), or are of an instant in it. */
  readonly fromAt?: Instant;
  readonly toAt?: Instant;
  /** Only rows after this one. */
  readonly after?: { readonly seq: number; readonly index: number };
  readonly limit?: number;
}

/** A cut of a kind of them, newest first by (toAt, seq, index). */
export interface BookPageQuery {
  readonly kind: string;
  /** Absent = all. */
  readonly tenants?: readonly string[];
  /** Only rows before this one. */
  readonly before?: { readonly toAt: Instant; readonly seq: number; readonly index: number };
  readonly limit: number;
}

/** Questions; safe beside the writer, from another thread or another process. */
export interface StoreReader {
  head(): Promise<JournalHead>;
  job(id: string): Promise<EndedJobRow | undefined>;
  jobs(query: JobQuery): Promise<readonly EndedJobRow[]>;
  /** Rows that overlap [fromAt, toAt), in no order. */
  usage(accounts: readonly string[], fromAt: Instant, toAt: Instant): Promise<readonly UsageRow[]>;
  /** For each device its newest row at or before `fromAt`, and all rows in (fromAt, toAt), by device and (at, seq). */
  devices(fromAt: Instant, toAt: Instant): Promise<readonly DeviceRow[]>;
  /** The same without their documents, in no order: what a caller puts in an order of its own. */
  jobKeys(query: JobQuery): Promise<readonly EndedJobKeys[]>;
  jobsById(ids: readonly string[]): Promise<readonly EndedJobRow[]>;
  walkJobs(walk: JobWalk): Promise<WalkedJobs>;
  /** Whether there is an index for it: the names in a sealed store are in no order. */
  hasOrder(key: JobKey): boolean;
  /** Every user or account that has jobs which are no elements of an array. */
  jobGroups(group: JobGroup): Promise<readonly string[]>;
  /** How many there are, at most `limit`. */
  countJobs(query: JobQuery): Promise<number>;
  audit(query: AuditQuery): Promise<readonly AuditRow[]>;
  /** How many there are, at most `limit`. */
  countAudit(query: AuditQuery): Promise<number>;
  /** The records after a place, oldest first. */
  auditAfter(place: AuditPlace, limit: number): Promise<readonly AuditRow[]>;
  /** In the order of the journal. */
  books(query: BookQuery): Promise<readonly BookRow[]>;
  bookPage(query: BookPageQuery): Promise<readonly BookRow[]>;
  privates(kind: string, keys?: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>>;
  /** Those of all kinds, in pages. */
  allPrivates(): AsyncIterable<readonly PrivateWrite[]>;
  /** Rows with seq >= fromSeq in order, in pages of at most `limit`. */
  rows(fromSeq: number, limit: number): Promise<readonly JournalRow[]>;
  /** The hashes of the same rows. */
  rowHashes(fromSeq: number, limit: number): Promise<readonly Uint8Array[]>;
  /** The events of the same rows. */
  eventLines(fromSeq: number, limit: number): Promise<readonly EventLines[]>;
  latestSnapshot(): Promise<Snapshot | undefined>;
  /** All that are kept, the newest first, without what is in them. */
  snapshots(): Promise<readonly Pick<Snapshot, "seq" | "schema">[]>;
  snapshot(seq: number): Promise<Snapshot | undefined>;
  /**
   * What is damaged that a comparison with the journal does not show: the structure of tables and indexes, private rows;
   * each with the name of the part. Nothing is looked at where the store is larger than `bytesMax`, or its size unknown.
   */
  faults(bytesMax?: number): Promise<readonly string[]>;
  /** Everything in the projections, in pages and in no order; what `tess admin verify` compares with the journal. */
  projected(): AsyncIterable<Projected>;
  close(): Promise<void>;
}

/** The one writer's store. */
export interface Store extends StoreReader {
  /** Chains the row to the last one and makes the batch durable, all of it or nothing. Throws CommitOutage. */
  append(batch: Batch): Promise<void>;
  /** The seq of the row with this operation id. */
  findOperation(op: string): Promise<number | undefined>;
  writeSnapshot(snapshot: Snapshot): Promise<void>;
  /** Writes private rows outside a batch, for what is not a mutation anyone asked for (the last use of a token). */
  writePrivates(writes: readonly PrivateWrite[]): Promise<void>;
  /** Empties the projections and fills them from `pages`, in one transaction. */
  replaceProjections(pages: AsyncIterable<Projected>): Promise<void>;
  /** Bytes left where the store writes; undefined where it cannot be known. */
  freeBytes(): Promise<number | undefined>;
  /** Keeps some room for when the disk is full, if there is plenty now. */
  keepReserve(): Promise<void>;
  /** Gives that room back, for what must be written on a full disk; false when none is kept. */
  giveReserve(): Promise<boolean>;
  /** Opens the store again after a commit failed, holding it all the while. What was unknown is settled by the next write. */
  reopen(): Promise<void>;
  /** The writer no longer holds the store (the lease was lost): called at most once. */
  onLost(listener: (reason: string) => void): void;
}
