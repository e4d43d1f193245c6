import type { LineName } from "./lines.ts";

/**
 * One line for each of these: everything of the accounts in `plus`, less what is of those in `minus`. A line that is less
 * something, or that is of deleted accounts, is left out where nothing is in it.
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
   * A gauge is a mean over the minutes that were sampled, and 0 where nothing was added. A quotient is divided by what was
   * added for that, and unknown where this is nothing; of several accounts it is known where it is known of each.
   */
  readonly kind: "gauge" | "counter" | "quotient" | { readonly quantile: number };
  /** Only lines with this key. */
  readonly key?: string;
  readonly groups: readonly AccountGroup[];
  /** Lines of the answer are told apart by their account groups, or by their keys. */
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
  /** Lines that are in no way in the answer. */
  readonly leftOut: number;
  /** Until when the journal has been read, where that is long ago: on the way through an old one. */
  readonly knownTo?: number;
}
