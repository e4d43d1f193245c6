import type { Readable, Writable } from "node:stream";

export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

/** What a person wants inside a running member. */
export type EntryAsk =
  | {
      readonly kind: "exec";
      /** A line for the shell of the node. */
      readonly command: string;
      /** Present: the command gets a terminal of this size, and `name` as its TERM. */
      readonly terminal?: TerminalSize & { readonly name: string };
    }
  /** A connection to a TCP port that a process of the member listens on. */
  | { readonly kind: "port"; readonly port: number };

/** How an entry ended: the command by itself, or everything around it. */
export type EntryEnd =
  | { readonly code: number }
  /** The member ended, its supervisor is gone, or the command could not be started. */
  | { readonly broken: string };

/**
 * A way into a running member. What it starts has the user, limits, namespaces and GPUs of the member, and ends with
 * the entry: nothing that was started through it is left behind after `ended`.
 */
export interface Entry {
  /** What the command or the port reads; `end()` is the end of its input. Takes no more than it can pass on. */
  readonly input: Writable;
  /** Standard output, the terminal, or what the port sends. */
  readonly output: Readable;
  /** Standard error; empty with a terminal and with a port. */
  readonly errors: Readable;
  /** Settles after the last of the output; a port ends with code 0. */
  readonly ended: Promise<EntryEnd>;
  /** Without effect where there is no terminal. */
  resize(size: TerminalSize): void;
  /** Ends it now, with all processes that it started. */
  close(): void;
}

/** The entry is not possible, with the reason in words for the one who asked. */
export class EntryRefused extends Error {}
