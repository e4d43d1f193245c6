import type { LeaseId } from "../model/ids.ts";
import type { StopCause } from "../model/job.ts";
import type { KeptOutput } from "../model/output.ts";
import type { Instant } from "../model/units.ts";

/**
 * An engine's report about a lease. The reports of one lease are numbered from 1 without gaps and may arrive late, twice
 * or after an outage; `at` is the engine's clock and is clamped between the last event and now.
 */
export interface Report {
  readonly lease: LeaseId;
  readonly sequence: number;
  readonly bootId: string;
  readonly at: Instant;
  /** For how long the machine had been up then: the server places it in its own time, since clocks can be set. */
  readonly upMs?: number;
  readonly what: ReportWhat;
}

export type ReportWhat =
  /** Before `prepared`, if the order says so: the GPUs are scrubbed, or their mode is changed; `how` is the method. */
  | { readonly kind: "scrubbed"; readonly how: string }
  | { readonly kind: "reshaped"; readonly how: string }
  /** The GPUs could not be scrubbed: nothing ran, and no other lease may have them either. */
  | { readonly kind: "scrub-failed"; readonly reason: string }
  /** Everything is ready and held; no user code has run. */
  | {
      readonly kind: "prepared";
      readonly engineId: string;
      readonly enforcement: { readonly [limit: string]: string };
      /** What it holds where that is no whole GPU, such as `MIG-…`. */
      readonly devices?: readonly string[];
    }
  /** The lease cannot be prepared on this node; nothing ran. */
  | { readonly kind: "refused"; readonly reason: string }
  | { readonly kind: "started" }
  /** The engine began to stop it by itself, for instance at the time limit. */
  | { readonly kind: "stopping"; readonly cause: StopCause }
  /** It has stopped and no process is left. `ran: false` = it was stopped before user code ran. */
  | {
      readonly kind: "exited";
      readonly ran: boolean;
      readonly code?: number;
      readonly signal?: string;
      /** The limit that ended it: `memory`, `time`, `gpu-memory`. */
      readonly limit?: string;
      /** Another member on the same GPU brought it down: it is not to blame [L3]. */
      readonly neighbour?: true;
      /** The member wrote its done file, `$TESS_DONE`; only that of rank 0 counts [L1]. */
      readonly done?: boolean;
      /** What it left that is kept, if its job does not start again. */
      readonly outputs?: readonly KeptOutput[];
      readonly reason?: string;
    }
  /** Its supervisor or machine is gone, and its end is unknown. */
  | { readonly kind: "lost"; readonly reason: string };

export interface ReportInput {
  readonly kind: "report";
  readonly v: 1;
  readonly engine: string;
  readonly report: Report;
}
