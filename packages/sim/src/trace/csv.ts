import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { BadInput } from "../command/command.ts";

/** A table with named columns; a row is the texts of one line. */
export class Table {
  readonly path: string;
  readonly rows: readonly (readonly string[])[];
  readonly columns: readonly string[];
  /** The line that each row stands on. */
  readonly #lines: readonly number[];

  constructor(path: string, text: string) {
    const lines = text
      .replace(/^\uFEFF/, "")
      .split(/\r?\n/)
      .map((line, at) => ({ line, number: at + 1 }))
      .filter(({ line }) => line !== "");
    const [header, ...rows] = lines.map(({ line }) => cellsOf(line));
    this.path = path;
    this.columns = header ?? [];
    this.rows = rows;
    this.#lines = lines.slice(1).map(({ number }) => number);
    const odd = rows.findIndex((row) => row.length !== this.columns.length);
    if (odd >= 0) {
      const [has, needs] = [rows[odd]!.length, this.columns.length];
      throw new BadInput(`${path}:${this.#lines[odd]}: has ${has} columns; the header has ${needs}: write as many`);
    }
  }

  has(...names: readonly string[]): boolean {
    return names.every((name) => this.columns.includes(name));
  }

  /** The texts of a column by row; without `absent`, a file that lacks it is a bad one. */
  texts(name: string, absent?: string): string[] {
    const at = this.columns.indexOf(name);
    if (at < 0 && absent === undefined) {
      throw new BadInput(`${this.path}: column ${name} is missing; it has ${this.columns.join(", ")}`);
    }
    return this.rows.map((row) => (at < 0 ? absent! : row[at]!));
  }

  /** The numbers of a column by row, each zero or more. */
  numbers(name: string): number[] {
    return this.texts(name).map((text, row) => {
      const number = Number(text);
      if (text !== "" && number >= 0 && Number.isFinite(number)) return number;
      throw this.bad(name, row, "write a number that is not negative");
    });
  }

  /** The whole numbers of a column by row, none below `least`. */
  wholes(name: string, least = 0): number[] {
    return this.numbers(name).map((number, row) => {
      if (Number.isSafeInteger(number) && number >= least) return number;
      throw this.bad(name, row, `write a whole number from ${least} on`);
    });
  }

  /** The instants of a column by row, written `2017-10-01 00:00:00` and read as UTC. */
  instants(name: string): number[] {
    return this.texts(name).map((text, row) => {
      const at = Date.parse(`${text.replace(" ", "T")}Z`);
      if (!Number.isNaN(at)) return at;
      throw this.bad(name, row, "write a time such as 2017-10-01 00:00:00");
    });
  }

  /** Says where a value stands that cannot be used, and what to write instead. */
  bad(name: string, row: number, fix: string): BadInput {
    const value = this.rows[row]![this.columns.indexOf(name)];
    return new BadInput(`${this.path}:${this.#lines[row]}: ${name} is "${value}"; ${fix}`);
  }
}

/** Reads a CSV file with a header line, packed with gzip or not. */
export function readTable(path: string): Table {
  let text: string;
  try {
    const bytes = readFileSync(path);
    text = (path.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString("utf8");
  } catch (error) {
    throw new BadInput(`${path}: cannot be read: ${(error as Error).message}; give the path of a CSV file`);
  }
  return new Table(path, text);
}

/** Cells with commas between; one in quotes may hold commas, and a quote in it is doubled. */
function cellsOf(line: string): string[] {
  if (!line.includes('"')) return line.split(",").map((cell) => cell.trim());
  return [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(([, quoted, plain]) =>
    quoted === undefined ? plain!.trim() : quoted.replaceAll('""', '"'),
  );
}
