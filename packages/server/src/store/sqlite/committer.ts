import { Worker } from "node:worker_threads";
import type { JournalHead, RowDraft } from "../../journal/format.ts";
import { CommitOutage, type PrivateWrite } from "../port.ts";
import type { StoreKey } from "../seal/keys.ts";
import type { RowFields } from "./values.ts";

/** Where the thread that commits writes. */
export interface CommitPlace {
  readonly dir: string;
  readonly file: string;
  readonly unsynced: boolean;
  readonly keys: readonly StoreKey[] | undefined;
}

/** A batch, and the row it follows; absent = that of the batch before, which is still on its way. */
export interface CommitWork {
  readonly row: RowDraft;
  readonly previous: JournalHead | undefined;
  readonly fields: RowFields;
  readonly privates: readonly PrivateWrite[];
}

/** What became of the next `count` batches: the head of the journal once they are durable, or why they are not. */
export type CommitResult = { readonly count: number } & (
  | { readonly head: JournalHead }
  | { readonly message: string; readonly known: boolean; readonly full: boolean }
);

/** It makes little, and most of that is bytes. */
const limits = { maxYoungGenerationSizeMb: 6 } as const;

interface Waiting {
  readonly resolve: (head: JournalHead) => void;
  readonly reject: (error: Error) => void;
}

/**
 * The other side of the thread that commits, which is started with the first commit. Batches that arrive while it
 * commits become durable together.
 */
export class Committer {
  readonly #place: CommitPlace;
  #worker: Worker | undefined;
  readonly #waiting: Waiting[] = [];

  constructor(place: CommitPlace) {
    this.#place = place;
  }

  /** Resolves when it is durable, with a head of the journal that is no earlier. Throws CommitOutage. */
  commit(work: CommitWork): Promise<JournalHead> {
    this.#worker ??= this.#start();
    this.#worker.ref(); // only while something is on its way does it keep the process
    this.#worker.postMessage(work);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
    });
  }

  async close(): Promise<void> {
    if (this.#worker === undefined) return;
    this.#worker.ref();
    const closed = new Promise((resolve) => this.#worker!.once("exit", resolve));
    this.#worker.postMessage("close");
    await closed;
    this.#worker = undefined;
  }

  #start(): Worker {
    const program = new URL("./commit-thread.js", import.meta.url);
    const worker = new Worker(program, { workerData: this.#place, resourceLimits: limits });
    worker.on("message", (result: CommitResult) => this.#heard(result));
    worker.on("error", ({ message }) => {
      const count = this.#waiting.length;
      this.#heard({ count, message: `The thread that commits ended: ${message}`, known: false, full: false });
    });
    return worker;
  }

  #heard(result: CommitResult): void {
    const settled = this.#waiting.splice(0, result.count);
    if (this.#waiting.length === 0) this.#worker?.unref();
    for (const { resolve, reject } of settled) {
      if ("head" in result) resolve(result.head);
      else reject(new CommitOutage(result.message, result.known, undefined, result.full));
    }
  }
}
