import type { LineName } from "./lines.ts";

/**
 * A line: the sum of the accounts in `plus`, less those in `minus`. A line with `minus`, or of deleted accounts, is left
 * out if it is empty.
 */
export interface AccountGroup {
  readonly key: string;
  readonly plus: readonly string[];
  readonly minus: readonly string[];
  /** Also the accounts that were deleted right below these. */
  readonly plusFormerOf?: readonly string[];
  readonly minusFormerOf?: readonly string[];
}

/** A question for the roll-ups. */
export interface RollUpQuery {
  readonly name: LineName;
  /**
   * A gauge is the mean over sampled minutes, 0 without any amount; `last` is what stood in the last of them. A quotient has its own divisor and is unknown without
   * one; for several accounts it is known only where each one's is.
   */
  readonly kind: "gauge" | "last" | "counter" | "quotient" | { readonly quantile: number };
  /** Only lines with this key. */
  readonly key?: string;
  readonly groups: readonly AccountGroup[];
  /** One line for each key, instead of one for each account group. */
  readonly byKey: boolean;
  readonly from: number;
  readonly to: number;
  readonly stepMs: number;
  readonly linesMax: number;
}

export interface RollUpAnswer {
  readonly stepMs: number;
  readonly times: readonly number[];
  readonly lines: readonly { readonly key: string; readonly values: readonly (number | null)[] }[];
  /** How many lines the answer omits, also from its sums. */
  readonly leftOut: number;
  /** Until when the journal has been read, while an old one is still being read. */
  readonly knownTo?: number;
}
