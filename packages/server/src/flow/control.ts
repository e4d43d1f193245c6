import type { Actor, Command, Instant, LeaseId, ReadonlyState, Refusal } from "@tessera/core";
import type {
  Capabilities,
  Entry,
  EntryAsk,
  FileContent,
  FileEntry,
  JobFolder,
  LogLine,
  LogQuery,
} from "@tessera/engine";
import type { PrivateWrite, StoreReader } from "../store/port.ts";
import type { RatedTime } from "./bill/rated.ts";
import type { CommitListener } from "./commits.ts";
import type { Origins } from "./notice/origins.ts";

/** Who asks, and under which name the answer can be found again. */
export interface Asker {
  readonly actor: Actor;
  readonly request: string;
  /** Where the request came from; kept where it can be erased. */
  readonly address?: string;
  readonly idempotency?: { readonly key: string; readonly bodyHash: string };
}

/** A command that was carried out and is durable. */
export interface Done {
  /** The id of what was made, where something was made. */
  readonly result?: string;
  /** True when an earlier request with the same key had made it already; nothing happened now. */
  readonly repeated: boolean;
  /** When it was committed. */
  readonly at: Instant;
}

/**
 * What the API sees of the writer: a replica of the state that is never behind an answer, and a way to ask for a
 * change. Everything here is called on the API's thread.
 */
export interface ControlPlane {
  /** A replica made from committed events. Read only. */
  readonly state: ReadonlyState;
  readonly reader: StoreReader;
  /** What stretches of time came to. */
  readonly rated: RatedTime;
  /** The names of addresses in the journal. */
  readonly origins: Origins;
  readonly capabilities: Capabilities;
  now(): Instant;
  /** Resolves when the change is durable and visible in `state`. Rejects with an Outage when that cannot be said. */
  ask(command: Command, by: Asker, privates?: readonly PrivateWrite[]): Promise<Done | Refusal>;
  /** Writes private rows that no request asked for and that may be lost: the last use of a token. */
  notePrivate(writes: readonly PrivateWrite[]): void;
  /** Called after `state` has taken the batch in, in order. `before` listeners see the state without it. */
  follow(listener: CommitListener): () => void;
  logs(lease: LeaseId, query: LogQuery): AsyncIterable<LogLine>;
  /** A way into a running member. Throws EntryRefused. */
  open(lease: LeaseId, ask: EntryAsk): Promise<Entry>;
  /** The ports that a running member listens on. Throws EntryRefused. */
  ports(lease: LeaseId): Promise<readonly number[]>;
  files(lease: LeaseId, folder: JobFolder): AsyncIterable<FileEntry>;
  readFile(lease: LeaseId, folder: JobFolder, path: string, start: number): Promise<FileContent | undefined>;
  /** Ready to take commands: recovered, adopted, and with room on the disk. */
  readiness(): { readonly ready: boolean; readonly why: string };
  /** False below the free-space watermark: creates are refused, cancel and metering go on. */
  hasRoom(): boolean;
}

/** The control plane cannot answer now; the caller may try again. */
export class Outage extends Error {}
