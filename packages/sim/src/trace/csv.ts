import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { BadInput } from "../command/command.ts";

/** A table with named columns; a row is the texts of one line. */
export class Table {
  readonly path: string;
  readonly rows: readonly (readonly string[])[];
  readonly #columns: ReadonlyMap<string, number>;

  constructor(path: string, text: string) {
    const [header = "", ...lines] = text.replace(/^\uFEFF/, "").split(/\r?\n/);
    this.path = path;
    this.#columns = new Map(header.split(",").map((name, at) => [name.trim(), at]));
    this.rows = lines.filter((line) => line !== "").map((line) => line.split(","));
  }

  has(...names: readonly string[]): boolean {
    return names.every((name) => this.#columns.has(name));
  }

  /** The texts of a column by row; without `absent`, a file that lacks it is a bad one. */
  texts(name: string, absent?: string): string[] {
    const at = this.#columns.get(name);
    if (at === undefined && absent === undefined) {
      throw new BadInput(`${this.path}: column ${name} is missing; it has ${[...this.#columns.keys()].join(", ")}`);
    }
    return this.rows.map((row) => (at === undefined ? absent! : (row[at] ?? "").trim()));
  }

  /** The numbers of a column by row, each zero or more. */
  numbers(name: string): number[] {
    return this.texts(name).map((text, row) => {
      const number = Number(text);
      if (text !== "" && number >= 0 && Number.isFinite(number)) return number;
      throw new BadInput(`${this.path}:${row + 2}: ${name} is "${text}"; write a number that is not negative`);
    });
  }
}

/** Reads a CSV file with a header line, packed with gzip or not. */
export function readTable(path: string): Table {
  try {
    const bytes = readFileSync(path);
    return new Table(path, (path.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString("utf8"));
  } catch (error) {
    throw new BadInput(`${path}: cannot be read: ${(error as Error).message}; give the path of a CSV file`);
  }
}
