import {
  buildInvoice,
  type Event,
  Meter,
  type MeterRecord,
  meteredOf,
  openUsage,
  PeriodRating,
  type State,
  unitsPerGpu,
  versionAt,
} from "@tessera/core";
import { windowsBetween } from "@tessera/server";

/** What each account would be charged, credits taken off, in millionths of the currency. */
export interface Costs {
  readonly currency: string;
  readonly microsOf: ReadonlyMap<string, bigint>;
}

/** Meters and prices a stretch of time as the product does; every event is shown before the state has it. */
export class CostBook {
  readonly #from: number;
  readonly #standing: readonly MeterRecord[];
  readonly #meter = new Meter(1);

  constructor(from: number, state: State) {
    this.#from = from;
    this.#standing = [...floorsOf(state, from), ...capacityOf(state, from)];
  }

  see(event: Event, state: State): void {
    this.#meter.see(event, state);
  }

  /** Undefined where no price list holds at the end. */
  finish(state: State, to: number): Costs | undefined {
    const book = { versions: state.books.versions, contracts: [...state.books.contracts.values()] };
    const currency = versionAt(book, to - 1)?.currency;
    if (currency === undefined) return undefined;
    this.#meter.finish(state);
    const period = { label: "what-if", fromAt: this.#from, toAt: to, zone: "UTC" };
    const windows = windowsBetween(book.versions, this.#from, to);
    const rating = new PeriodRating({ period, book, windows });
    const metered = meteredOf([...this.#standing, ...this.#meter.records]);
    rating.take({ ...metered, usage: [...metered.usage, ...openUsage(state, to)] });
    rating.advance(to);
    const shared = rating.shared();
    const microsOf = new Map<string, bigint>();
    for (const tenant of rating.tenants()) {
      const parts = { tenant, period, mode: "showback", book, windows, shared, corrections: [] } as const;
      for (const { kind, account, micros } of buildInvoice({ ...parts, lines: rating.lines(tenant) })!.lines) {
        // The least amount of an invoice is for a month, not for a part of it.
        if (kind !== "minimum") microsOf.set(account, (microsOf.get(account) ?? 0n) + micros);
      }
    }
    return { currency, microsOf };
  }
}

/** What accounts are promised when the stretch begins. */
function floorsOf({ accountByPath }: State, at: number): MeterRecord[] {
  return [...accountByPath].flatMap(([account, { terms }]) => {
    if (account === "") return [];
    const { guarantee, lendable } = terms.quota;
    const record = { account, at, revision: 0, guarantee, ...(lendable !== undefined && { lendable }) };
    return [{ is: "floor", record }];
  });
}

/** What is there when the stretch begins. */
function capacityOf({ fleet }: State, at: number): MeterRecord[] {
  return fleet.nodes.flatMap((node) =>
    node === undefined || node.mode === "down" || node.mode === "maintenance"
      ? []
      : node.facts.gpus.map(
          ({ model }) => ({ is: "capacity", record: { model, at, revision: 0, unitsAdded: unitsPerGpu } }) as const,
        ),
  );
}
