import { Worker } from "node:worker_threads";
import { CommitOutage, type JournalHead, type PrivateWrite, type RowDraft } from "../port.ts";
import type { RowFields } from "./values.ts";

/** Where the thread that commits writes. */
export interface CommitPlace {
  readonly dir: string;
  readonly file: string;
  readonly unsynced: boolean;
}

/** A batch, the row it follows, and what it is called when it fails. */
export interface CommitWork {
  readonly what: string;
  readonly row: RowDraft;
  readonly previous: JournalHead;
  readonly fields: RowFields;
  readonly privates: readonly PrivateWrite[];
}

/** The head of the journal once it is durable, or why it is not. */
export type CommitResult = { readonly head: JournalHead } | { readonly message: string; readonly known: boolean };

/** It makes little, and most of that is bytes. */
const limits = { maxYoungGenerationSizeMb: 6 } as const;

/** The other side of the thread that commits, which is started with the first commit. One commit at a time. */
export class Committer {
  readonly #place: CommitPlace;
  #worker: Worker | undefined;
  #settle: { resolve: (head: JournalHead) => void; reject: (error: Error) => void } | undefined;

  constructor(place: CommitPlace) {
    this.#place = place;
  }

  /** Resolves with the new head when it is durable. Throws CommitOutage. */
  commit(work: CommitWork): Promise<JournalHead> {
    this.#worker ??= this.#start();
    this.#worker.ref(); // only while something is on its way does it keep the process
    this.#worker.postMessage(work);
    return new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
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
    worker.on("error", (error) =>
      this.#heard({ message: `The thread that commits ended: ${error.message}`, known: false }),
    );
    return worker;
  }

  #heard(result: CommitResult): void {
    const settle = this.#settle;
    this.#settle = undefined;
    this.#worker?.unref();
    if ("head" in result) settle?.resolve(result.head);
    else settle?.reject(new CommitOutage(result.message, result.known, undefined));
  }
}
