import type { PackedRows } from "./packer.ts";
import type { BusyQuery, BusyRow, SeriesAnswer, SeriesQuery, TelemetryStatus } from "./port.ts";
import type { TelemetrySettings } from "./settings.ts";

/** What the thread starts with. */
export interface ThreadStart {
  readonly dir?: string;
  readonly settings: TelemetrySettings;
}

export interface Questions {
  readonly series: { readonly query: SeriesQuery; readonly answer: SeriesAnswer };
  readonly busy: { readonly query: BusyQuery; readonly answer: readonly BusyRow[] };
  readonly status: { readonly query: null; readonly answer: ThreadStatus };
  readonly flush: { readonly query: null; readonly answer: null };
  readonly close: { readonly query: null; readonly answer: null };
}
export type ThreadStatus = Omit<TelemetryStatus, "rowsDropped" | "fault">;

export type ToThread =
  | ({ readonly kind: "write" } & PackedRows)
  | {
      [Kind in keyof Questions]: { readonly kind: Kind; readonly id: number; readonly query: Questions[Kind]["query"] };
    }[keyof Questions];

export type FromThread =
  | { readonly kind: "ready" }
  /** A batch was taken in, but for this many rows. */
  | { readonly kind: "taken"; readonly dropped: number }
  | { readonly kind: "answer"; readonly id: number; readonly answer: Questions[keyof Questions]["answer"] }
  | { readonly kind: "refused"; readonly id: number; readonly why: "too-wide" | "failed"; readonly message: string }
  | { readonly kind: "warning"; readonly text: string };
