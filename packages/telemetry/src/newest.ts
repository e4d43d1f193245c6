import type { TelemetryFilter } from "./port.ts";
import type { MemberRow, TelemetryRow } from "./row.ts";
import { groupOf } from "./select.ts";

/** A row older than this beside the newest says nothing about now. */
const currentMs = 60_000;

/** The last row of each line. */
export class Newest {
  readonly #rows = new Map<string, TelemetryRow>();
  readonly #members = new Map<string, MemberRow>();
  #newestAt = 0;
  #sweptAt = 0;

  take(rows: readonly TelemetryRow[], members: readonly MemberRow[]): void {
    for (const row of rows) this.#note(this.#rows, `${row.gpu}\0${row.instance ?? ""}\0${row.lease ?? ""}`, row);
    for (const member of members) this.#note(this.#members, member.lease, member);
    if (this.#newestAt < this.#sweptAt + currentMs) return;
    this.#sweptAt = this.#newestAt;
    for (const known of [this.#rows, this.#members])
      for (const [name, { at }] of known) if (at < this.#newestAt - currentMs) known.delete(name);
  }

  rows(filter: TelemetryFilter = {}): TelemetryRow[] {
    return this.#current(this.#rows, filter);
  }

  members(filter: TelemetryFilter = {}): MemberRow[] {
    return this.#current(this.#members, filter);
  }

  #note<Row extends { readonly at: number }>(known: Map<string, Row>, name: string, row: Row): void {
    known.set(name, row);
    this.#newestAt = Math.max(this.#newestAt, row.at);
  }

  #current<Row extends TelemetryRow | MemberRow>(known: Map<string, Row>, filter: TelemetryFilter): Row[] {
    const current = [...known.values()].filter(({ at }) => at >= this.#newestAt - currentMs);
    return current.filter((row) => groupOf("none", filter, row) !== undefined);
  }
}
