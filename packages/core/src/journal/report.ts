import type { LeaseId } from "../model/ids.ts";
import type { StopCause } from "../model/job.ts";
import type { Instant } from "../model/units.ts";

/**
 * What an engine says has become of a lease. Reports of one lease are numbered from 1 without gaps and may come
 * late, twice or after an outage; `at` is the engine's clock and is clamped between the last event and now.
 */
export interface Report {
  readonly lease: LeaseId;
  readonly sequence: number;
  readonly bootId: string;
  readonly at: Instant;
  readonly what: ReportWhat;
}

export type ReportWhat =
  /** Before `prepared`, where the order asks for it: the devices are cleared, or cut otherwise, and how that was done. */
  | { readonly kind: "scrubbed"; readonly how: string }
  | { readonly kind: "reshaped"; readonly how: string }
  /** The devices could not be cleared: nothing ran, and nobody else may have them either. */
  | { readonly kind: "scrub-failed"; readonly reason: string }
  /** Everything is ready and held; nothing of the user has run. */
  | { readonly kind: "prepared"; readonly engineId: string; readonly enforcement: { readonly [limit: string]: string } }
  /** It cannot be made ready here; nothing ran. */
  | { readonly kind: "refused"; readonly reason: string }
  | { readonly kind: "started" }
  /** The engine itself began to stop it, for instance at the time limit. */
  | { readonly kind: "stopping"; readonly cause: StopCause }
  /** Gone, and nothing of it is left. `ran: false` = it was stopped before it was released. */
  | {
      readonly kind: "exited";
      readonly ran: boolean;
      readonly code?: number;
      readonly signal?: string;
      /** A limit that ended it: `memory`, `time`. */
      readonly limit?: string;
      readonly reason?: string;
    }
  /** Its supervisor or machine is gone and how it ended cannot be known. */
  | { readonly kind: "lost"; readonly reason: string };

export interface ReportInput {
  readonly kind: "report";
  readonly v: 1;
  readonly engine: string;
  readonly report: Report;
}
