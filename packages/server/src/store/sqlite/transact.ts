import { statfsSync } from "node:fs";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { CommitOutage } from "../port.ts";
import type { Sealing } from "../seal/sealing.ts";
import { primaryCodeOf, sqliteBusy, sqliteCannotOpen, sqliteFull, sqliteIoError } from "./codes.ts";
import { Inserts } from "./insert.ts";

/** Transactions of one connection that writes. */
export class Transactions {
  readonly #db: DatabaseSync;
  readonly #dir: string;
  readonly #inserts: Inserts;
  readonly #begin: StatementSync;
  readonly #commit: StatementSync;

  constructor(db: DatabaseSync, dir: string, sealing: Sealing) {
    this.#db = db;
    this.#dir = dir;
    this.#inserts = new Inserts(db, sealing);
    this.#begin = db.prepare("BEGIN IMMEDIATE");
    this.#commit = db.prepare("COMMIT");
  }

  /** Makes what `write` inserts durable, all of it or nothing. Throws CommitOutage. */
  async run(what: string, write: (inserts: Inserts) => void | Promise<void>): Promise<void> {
    let committing = false;
    try {
      this.#begin.run();
      await write(this.#inserts);
      committing = true;
      this.#commit.run();
    } catch (cause) {
      if (this.#db.isTransaction) this.#db.exec("ROLLBACK");
      throw outageOf(cause, what, this.#dir, committing);
    }
  }
}

/**
 * What a failed write means. Before COMMIT nothing can have become durable. A COMMIT that found the disk full or the
 * file busy wrote no complete commit record; after any other failure of it (a failed sync above all) the record may be
 * in the file, and recovery may find it there: the outcome is unknown.
 */
export function outageOf(cause: unknown, what: string, dir: string, committing: boolean): CommitOutage {
  const code = primaryCodeOf(cause);
  const known = !committing || code === sqliteFull || code === sqliteBusy;
  const full = isFullAt(cause, dir);
  const reason = full ? "the disk is full; free some space" : cause instanceof Error ? cause.message : cause;
  const result = known ? "nothing of it was kept" : "whether it was kept is unknown until the store is opened again";
  return new CommitOutage(`Writing ${what} to ${dir} failed, ${result}: ${reason}`, known, cause, full);
}

/** Whether an error says that the disk of `dir` is full. Where another file than the log cannot be extended, it says less. */
export function isFullAt(error: unknown, dir: string): boolean {
  const code = primaryCodeOf(error);
  if (code === sqliteFull || (error as NodeJS.ErrnoException).code === "ENOSPC") return true;
  return (code === sqliteIoError || code === sqliteCannotOpen) && hasNoRoom(dir);
}

function hasNoRoom(dir: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(dir);
    return bavail * bsize < noRoomBytes;
  } catch {
    return false;
  }
}

const noRoomBytes = 1024 * 1024;
