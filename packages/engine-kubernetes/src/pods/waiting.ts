import type { LeaseId } from "@tessera/core";
import type { Pod } from "../api/types.ts";
import type { Holding } from "./holding.ts";
import type { MemberRecord } from "./record.ts";
import type { Removal } from "./removal.ts";
import { type StartLimits, verdictOn } from "./start-limits.ts";
import { isHeld, isOver, startedAt } from "./status.ts";
import type { Turns } from "./turns.ts";

export interface WaitingPorts {
  readonly limits: StartLimits;
  readonly turns: Turns;
  readonly holding: Holding;
  readonly removal: Removal;
  readonly release: (lease: LeaseId) => Promise<void>;
  /** Its pod has changed, and what follows from that was not done or failed. */
  readonly advance: (record: MemberRecord) => void;
}

/**
 * Members for which time matters, looked at every second: let go and not started, held by another control plane, or with a
 * step that failed. A pod that does not change brings no event, so nothing else would look at them.
 */
export class Waiting {
  readonly #ports: WaitingPorts;
  readonly #records = new Set<MemberRecord>();

  constructor(ports: WaitingPorts) {
    this.#ports = ports;
  }

  add(record: MemberRecord): void {
    record.waitingSince ??= performance.now();
    this.#records.add(record);
  }

  delete(record: MemberRecord): void {
    this.#records.delete(record);
  }

  /** It runs: its start is not waited for any more. */
  started(record: MemberRecord): void {
    this.delete(record);
    record.waitingSince = undefined;
  }

  look(): void {
    for (const record of this.#records) {
      const { pod } = record;
      if (pod === undefined || record.ended) this.delete(record);
      else if (isHeld(pod) && !this.#ports.holding.isOurs(pod)) this.#sweepOrphan(record, pod);
      else if (record.releaseWanted) this.#inBackground(this.#ports.release(record.lease));
      else if (isHeld(pod)) this.delete(record);
      else if (isOver(pod) || startedAt(pod) !== undefined) this.#ports.advance(record);
      else this.#judge(record, pod);
    }
  }

  #judge(record: MemberRecord, pod: Pod): void {
    if (pod.metadata.deletionTimestamp !== undefined) return;
    const { limits, removal, turns } = this.#ports;
    const verdict = verdictOn(pod, waitedMs(record), limits);
    if (verdict === undefined) return;
    const { lease } = record;
    const giveUp = async () => {
      // The newest state: it may have changed, or gone, before its turn came.
      if (record.pod !== undefined) await removal.remove(lease, record.pod, { signal: "SIGKILL", graceMs: 0, verdict });
    };
    this.#inBackground(turns.run(lease, giveUp));
  }

  #sweepOrphan(record: MemberRecord, pod: Pod): void {
    const { holding, turns } = this.#ports;
    if (!holding.isOrphan(waitedMs(record))) return;
    const sweep = async () => {
      if (record.pod !== pod) return;
      await holding.sweep(record, pod);
      this.delete(record);
    };
    this.#inBackground(turns.run(record.lease, sweep));
  }

  /** What fails is tried again in a second. */
  #inBackground(work: Promise<void>): void {
    work.catch(() => {});
  }
}

function waitedMs({ waitingSince }: MemberRecord): number {
  return waitingSince === undefined ? 0 : performance.now() - waitingSince;
}
