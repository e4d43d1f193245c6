import { closeSync, existsSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import { primaryCodeOf, sqliteCorrupt, sqliteError, sqliteNotADatabase } from "../../store/sqlite/codes.ts";
import { isFullAt } from "../../store/sqlite/transact.ts";
import { Damaged, Unavailable } from "./faults.ts";

/** SQLite as the series use it. Its errors come out as `Damaged` or `Unavailable`: only the first throws the file away. */
export class Database {
  readonly #place: string;
  readonly #db: DatabaseSync;

  constructor(place: string) {
    this.#place = place;
    this.#db = told(place, () => {
      // Made by hand first, because SQLite would make it readable by all.
      if (place !== ":memory:" && !existsSync(place)) closeSync(openSync(place, "a", 0o600));
      return new DatabaseSync(place, { timeout: 5_000 });
    });
  }

  prepare(sql: string): Statement {
    const place = this.#place;
    try {
      return new Statement(place, this.#db.prepare(sql));
    } catch (error) {
      // It names a table or a column of ours that is not there.
      if (primaryCodeOf(error) === sqliteError) throw damaged(error);
      throw faultOf(error, place);
    }
  }

  exec(sql: string): void {
    told(this.#place, () => this.#db.exec(sql));
  }

  get isTransaction(): boolean {
    return this.#db.isTransaction;
  }

  close(): void {
    if (this.#db.isOpen) this.#db.close();
  }
}

export class Statement {
  readonly #place: string;
  readonly #statement: StatementSync;

  constructor(place: string, statement: StatementSync) {
    this.#place = place;
    this.#statement = statement;
  }

  get(...given: SQLInputValue[]): ReturnType<StatementSync["get"]> {
    return told(this.#place, () => this.#statement.get(...given));
  }

  all(...given: SQLInputValue[]): ReturnType<StatementSync["all"]> {
    return told(this.#place, () => this.#statement.all(...given));
  }

  run(...given: SQLInputValue[]): ReturnType<StatementSync["run"]> {
    return told(this.#place, () => this.#statement.run(...given));
  }
}

function told<Result>(place: string, act: () => Result): Result {
  try {
    return act();
  } catch (error) {
    throw faultOf(error, place);
  }
}

/** What an error of SQLite means for the series; any other error as it is. */
function faultOf(error: unknown, place: string): unknown {
  const code = primaryCodeOf(error);
  if (code === sqliteCorrupt || code === sqliteNotADatabase) return damaged(error);
  if (isFullAt(error, dirname(place)))
    return new Unavailable("the disk of the series is full; free some space", { cause: error });
  if (code === undefined) return error;
  const why = (error as Error).message;
  return new Unavailable(`the file of the series cannot be read or written (${why})`, { cause: error });
}

function damaged(error: unknown): Damaged {
  return new Damaged(`the file of the series is damaged (${(error as Error).message})`, { cause: error });
}
