import type { LeaseId, Report } from "@tessera/core";
import type { EngineLease } from "@tessera/engine";
import type { Pod } from "../api/types.ts";
import { isHeld } from "./status.ts";

/** One lease, as far as this engine knows it. */
export class MemberRecord {
  readonly lease: LeaseId;
  pod: Pod | undefined;
  /** What was told, oldest first. After a restart, of a lease without a pod, only how it ended. */
  reports: Report[] = [];
  acknowledged = 0;
  /** Its end was told; nothing about it changes any more. */
  ended = false;
  /** What its pod needs besides itself is there. Until then nothing is told of it. */
  furnished = true;
  /** Stop orders for it that this process was given. */
  stopAsked = false;
  /** It is to be let go as soon as the address of rank 0 is known. */
  releaseWanted = false;
  /** When this process first saw it neither held nor running, by a clock that only runs forward. */
  waitingSince: number | undefined;
  /** Its container was seen running, and others were told. */
  announced = false;

  constructor(lease: LeaseId, pod?: Pod) {
    this.lease = lease;
    this.pod = pod;
  }

  get sequence(): number {
    return this.reports.at(-1)?.sequence ?? 0;
  }

  get state(): EngineLease["state"] {
    if (this.ended || this.pod === undefined) return this.ended ? "gone" : "held";
    if (this.stopAsked || this.pod.metadata.deletionTimestamp !== undefined) return "stopping";
    if (isHeld(this.pod)) return "held";
    return this.reports.some(({ what }) => what.kind === "started") ? "running" : "held";
  }
}
