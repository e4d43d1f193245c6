import type { TelemetryFilter } from "./port.ts";
import type { MemberRow, TelemetryRow } from "./row.ts";
import { groupOf } from "./select.ts";

/** A row older than this beside the newest says nothing about now. */
const currentMs = 60_000;
/** A line without rows for this long is forgotten; when it comes back it is a new one. */
const idleMsMax = 10 * 60_000;
const unnamed = -1;

/** A GPU or instance as one lease holds it, or a member. */
export interface Line<Row> {
  /** Its number on the other thread; negative = that does not know it. */
  no: number;
  newest: Row;
}

/** What is known of a GPU. */
export interface GpuLines {
  /** Few: one for each lease that holds a part of it, and those that were there before. */
  readonly lines: Line<TelemetryRow>[];
  /** What its counter of energy said last, and the mean power by it. */
  energy?: { readonly at: number; readonly millijoules: number; readonly milliwatts: number };
}

/** The lines of the fleet by the texts that name them, with the last row of each. */
export class Lines {
  readonly #gpus = new Map<string, GpuLines>();
  readonly #members = new Map<string, Line<MemberRow>>();
  #newestAt = 0;
  #sweptAt = 0;
  #nextNo = 0;

  gpuOf({ gpu }: TelemetryRow): GpuLines {
    let known = this.#gpus.get(gpu);
    if (known === undefined) {
      known = { lines: [] };
      this.#gpus.set(gpu, known);
    }
    return known;
  }

  lineOf({ lines }: GpuLines, row: TelemetryRow): Line<TelemetryRow> {
    if (row.at > this.#newestAt) this.#newestAt = row.at;
    for (const line of lines) {
      const { lease, instance } = line.newest;
      if (lease !== row.lease || instance !== row.instance) continue;
      line.newest = row;
      return line;
    }
    const line = { no: unnamed, newest: row };
    lines.push(line);
    return line;
  }

  memberOf(row: MemberRow): Line<MemberRow> {
    if (row.at > this.#newestAt) this.#newestAt = row.at;
    let line = this.#members.get(row.lease);
    if (line === undefined) {
      line = { no: unnamed, newest: row };
      this.#members.set(row.lease, line);
    }
    line.newest = row;
    return line;
  }

  /** Gives a line its number; true = it is new. */
  isNamedNow(line: Line<TelemetryRow | MemberRow>): boolean {
    if (line.no !== unnamed) return false;
    line.no = this.#nextNo++;
    return true;
  }

  /** The other thread knows no line any more. */
  forgetNumbers(): void {
    for (const { lines } of this.#gpus.values()) for (const line of lines) line.no = unnamed;
    for (const line of this.#members.values()) line.no = unnamed;
  }

  /** Forgets lines without rows; returns their numbers. */
  sweep(): number[] {
    if (this.#newestAt < this.#sweptAt + idleMsMax) return [];
    this.#sweptAt = this.#newestAt;
    const over: number[] = [];
    const isOver = ({ no, newest }: Line<TelemetryRow | MemberRow>) => {
      if (newest.at >= this.#newestAt - idleMsMax) return false;
      if (no !== unnamed) over.push(no);
      return true;
    };
    for (const [gpu, { lines }] of this.#gpus) {
      const left = lines.filter((line) => !isOver(line));
      if (left.length === 0) this.#gpus.delete(gpu);
      else lines.splice(0, lines.length, ...left);
    }
    for (const [lease, line] of this.#members) if (isOver(line)) this.#members.delete(lease);
    return over;
  }

  /** The last row of each GPU, instance and lease, without those that are out of date. */
  rows(filter: TelemetryFilter = {}): TelemetryRow[] {
    return this.#current(
      [...this.#gpus.values()].flatMap(({ lines }) => lines),
      filter,
    );
  }

  members(filter: TelemetryFilter = {}): MemberRow[] {
    return this.#current(this.#members.values(), filter);
  }

  #current<Row extends TelemetryRow | MemberRow>(lines: Iterable<Line<Row>>, filter: TelemetryFilter): Row[] {
    const current: Row[] = [];
    for (const { newest } of lines)
      if (newest.at >= this.#newestAt - currentMs && groupOf("none", filter, newest) !== undefined)
        current.push(newest);
    return current;
  }
}
