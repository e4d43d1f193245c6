import { minute, second } from "../model/units.ts";

/**
 * What is known of a device's memory. `used`: someone's work may still be in it. `scrubbing`: being reset, takes
 * nothing. `quarantined`: a scrub failed; only the owner can free it.
 */
export type ScrubState = "clean" | "used" | "scrubbing" | "quarantined";

/** The holder before of a device that nobody has held. */
export const nobody = -1;

/** How long things take between two holders. Engines report the real end; plans count on these. */
export interface HandoverTimes {
  readonly scrubMs: number;
  /** Creating other MIG instances, or starting and stopping MPS. */
  readonly reshapeMs: number;
  /** A scrub that has not ended by then has failed. */
  readonly scrubMsMax: number;
}

export const usualHandover: HandoverTimes = { scrubMs: 10 * second, reshapeMs: 15 * second, scrubMsMax: 5 * minute };

/** A device (or the slices of an instance) passes to another tenant only after a recorded scrub (S4). */
export function needsScrub(previousTenant: number, nextTenant: number): boolean {
  return previousTenant !== nobody && previousTenant !== nextTenant;
}

/** Whether a tenant may be given the device as it is; `scrub` = not before a scrub, `no` = not at all for now. */
export function handover(state: ScrubState, previousTenant: number, nextTenant: number): "yes" | "scrub" | "no" {
  switch (state) {
    case "clean":
      return "yes";
    case "used":
      return needsScrub(previousTenant, nextTenant) ? "scrub" : "yes";
    case "scrubbing":
    case "quarantined":
      return "no";
  }
}

/** A failed scrub never ends as clean. */
export function afterScrub(succeeded: boolean): ScrubState {
  return succeeded ? "clean" : "quarantined";
}
