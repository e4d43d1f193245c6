import { isStatus } from "../api/error.ts";
import type { Mirror } from "../api/mirror.ts";
import type { Pod } from "../api/types.ts";
import { annotation } from "../names.ts";
import type { PodCalls } from "./pod-calls.ts";
import type { MemberRecord } from "./record.ts";
import type { Records } from "./records.ts";
import { isHeld } from "./status.ts";

const callsAtOnce = 32;
/** A held pod that another control plane made after we took over is removed after this long, unless it is ordered here too. */
const orphanMs = 60_000;
const releaseAttempts = 5;

export interface HoldingPorts {
  readonly instance: string;
  readonly calls: PodCalls;
  readonly pods: Mirror<Pod>;
  readonly records: Records;
}

/** Which control plane holds a pod. Only the one that took it last can let it go: the version of the pod fences the others. */
export class Holding {
  readonly #ports: HoldingPorts;
  #inCharge = false;
  /** Of the control plane that drives this process. */
  #epoch = 0;

  constructor(ports: HoldingPorts) {
    this.#ports = ports;
  }

  /** What this process writes from now on says this epoch, unless it knows a later one. */
  reach(epoch: number): void {
    this.#epoch = Math.max(this.#epoch, epoch);
  }

  isOurs({ metadata }: Pod): boolean {
    return metadata.annotations?.[annotation.instance] === this.#ports.instance;
  }

  /** Every held pod becomes ours: a release that an earlier control plane has under way fails on its version. */
  async takeAll(): Promise<void> {
    const held = [...this.#ports.records.values()].filter(({ pod }) => pod !== undefined && isHeld(pod));
    const taker = async () => {
      for (let record = held.pop(); record !== undefined; record = held.pop()) await this.take(record);
    };
    await Promise.all(Array.from({ length: callsAtOnce }, taker));
    this.#inCharge = true;
  }

  async take(record: MemberRecord): Promise<void> {
    const { calls, pods, records } = this.#ports;
    const { pod } = record;
    if (pod === undefined) return;
    try {
      const furnished = await calls.isFurnished(pod);
      const newest = record.pod ?? pod;
      if (furnished) {
        pods.put(await this.claim(newest));
        return;
      }
      // Its control plane died before that, and has told nothing of it: it is made again when it is ordered again.
      await calls.sweep(newest);
      records.delete(record.lease);
    } catch (error) {
      if (!isStatus(error, 404) && !isStatus(error, 409)) throw error;
    }
  }

  /** Notes on a held pod that it is ours. */
  claim(pod: Pod): Promise<Pod> {
    return this.#ports.calls.take(pod, this.#ports.instance, this.#epoch);
  }

  async letGo(record: MemberRecord, master: string | undefined): Promise<void> {
    const { calls, pods } = this.#ports;
    for (let attempts = 1; ; attempts++) {
      const { pod } = record;
      if (pod === undefined || record.ended || !isHeld(pod)) return;
      if (pod.metadata.deletionTimestamp !== undefined) return; // its end is on its way
      // Only a version that says that it is ours: if another control plane took it since, this version is out of date.
      if (!this.isOurs(pod)) throw new Error("its pod is held by another control plane");
      try {
        const released = await calls.release(pod, this.#epoch, master);
        if (released !== undefined) pods.put(released);
        return;
      } catch (error) {
        if (isStatus(error, 404)) return; // its end is on its way
        if (!isStatus(error, 409) || attempts >= releaseAttempts) throw error;
        pods.put(await calls.read(pod));
      }
    }
  }

  /** Another control plane has held it for so long: it was replaced before it let the pod go, and cannot any more. */
  isOrphan(heldMs: number): boolean {
    return this.#inCharge && heldMs >= orphanMs;
  }

  async sweep(record: MemberRecord, pod: Pod): Promise<void> {
    await this.#ports.calls.sweep(pod);
    this.#ports.records.delete(record.lease);
  }
}
