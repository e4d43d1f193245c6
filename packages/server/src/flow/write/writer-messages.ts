import type { Refusal } from "@tessera/core";
import type { StoreConfig } from "../../store/index.ts";
import type { PrivateWrite } from "../../store/port.ts";
import type { Done } from "../control.ts";

/** What the writer thread is started with. */
export interface WriterConfig {
  readonly store: StoreConfig;
  readonly snapshotEveryEvents: number;
  readonly freeBytesMin: number;
  readonly despiteDamage: boolean;
  /** What the threads share of the clock. */
  readonly clock: SharedArrayBuffer;
}

/** To the writer: inputs as lines of canonical JSON (cheaper to hand over than objects), private rows by place in it. */
export type ToWriter =
  | {
      readonly kind: "ask";
      readonly first: number;
      readonly inputs: string;
      readonly privates: readonly (readonly [number, readonly PrivateWrite[]])[];
    }
  | { readonly kind: "privates"; readonly writes: readonly PrivateWrite[] }
  | { readonly kind: "close" };

/** From the writer. */
export type FromWriter =
  | {
      readonly kind: "ready";
      readonly snapshot: string;
      readonly seq: number;
      readonly snapshotSeq: number;
      readonly eventsReplayed: number;
    }
  | {
      readonly kind: "written";
      readonly seq: number;
      readonly at: number;
      /** Canonical JSON lines. */
      readonly events: string;
      /** Numbers of the requests, and their answers as one JSON text in the same order. */
      readonly requests: readonly number[];
      readonly answers: string;
    }
  | { readonly kind: "room"; readonly room: boolean }
  | { readonly kind: "failed"; readonly message: string; readonly op: string; readonly known: boolean }
  | { readonly kind: "closed" };

export type Answers = readonly (Done | Refusal)[];

/**
 * What the writer's thread may use. What it makes either is forgotten at once or lives as long as a job: in a nursery of
 * several times this size, as it is without a limit, it runs no faster, and the process holds 100 MiB more.
 */
export const writerLimits = { maxYoungGenerationSizeMb: 48 } as const;
