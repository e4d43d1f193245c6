import type { RollUpAnswer, RollUpQuery } from "../flow/series/query.ts";
import type { StoreConfig } from "../store/config.ts";

/** With which the thread of the series starts. */
export interface SeriesStart {
  readonly store: StoreConfig;
  /** Where the roll-ups are kept. */
  readonly file: string;
}

/** What the asking thread has seen of the journal, and its time. */
export interface SeriesSeen {
  readonly seq: number;
  readonly now: number;
}

export type ToSeries =
  | (SeriesSeen & { readonly kind: "seen" })
  | (SeriesSeen & { readonly kind: "ask"; readonly id: number; readonly query: RollUpQuery })
  | { readonly kind: "close" };

export type FromSeries =
  | { readonly kind: "answer"; readonly id: number; readonly answer: RollUpAnswer }
  | { readonly kind: "failed"; readonly id: number; readonly message: string }
  | { readonly kind: "warning"; readonly text: string }
  | { readonly kind: "closed" };
