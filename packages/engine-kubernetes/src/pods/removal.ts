import type { LeaseId } from "@tessera/core";
import { isStatus } from "../api/error.ts";
import type { Mirror } from "../api/mirror.ts";
import type { Pod } from "../api/types.ts";
import { takeSecondsOf } from "../inside/parts.ts";
import { annotation } from "../names.ts";
import type { PodCalls } from "./pod-calls.ts";
import type { MembersPorts } from "./ports.ts";
import { graceSeconds } from "./spec.ts";
import { isHeld, isOver, type StopMark, startedAt, stopMarkOf } from "./status.ts";
import { orderPath, signalName } from "./wrapper.ts";

export interface RemovalPorts extends Pick<MembersPorts, "inside" | "warn"> {
  readonly calls: PodCalls;
  readonly pods: Mirror<Pod>;
}

/** Ends members by deleting their pods: stop orders, and verdicts of the engine itself. */
export class Removal {
  readonly #ports: RemovalPorts;

  constructor(ports: RemovalPorts) {
    this.#ports = ports;
  }

  /** Marks why a pod goes, then deletes it; its end comes as a change of the pod. */
  async remove(lease: LeaseId, known: Pod, mark: StopMark): Promise<void> {
    const { calls, inside, pods } = this.#ports;
    let pod = known;
    try {
      // What is marked may be further than what was known: let go, or started.
      if (stopMarkOf(known) === undefined) {
        pod = await calls.mark(known, mark);
        pods.put(pod);
      }
    } catch (error) {
      if (isStatus(error, 404) || isStatus(error, 409)) return; // its end is on its way
      throw error;
    }
    const { deletionTimestamp, deletionGracePeriodSeconds } = pod.metadata;
    const grace = graceSeconds(mark.graceMs) + takeSecondsOf(pod);
    if (deletionTimestamp !== undefined && grace >= (deletionGracePeriodSeconds ?? 0)) return;
    if (deletionTimestamp === undefined && startedAt(pod) !== undefined && !isOver(pod)) {
      inside().stopping(lease, pod, mark.returns === true);
      await this.#leaveOrder(lease, pod, mark);
    }
    await calls.delete(pod, isHeld(pod) ? 0 : grace);
  }

  /** A pod has one stop signal and one grace for all its life; others are left inside, where the stop script finds them. */
  async #leaveOrder(lease: LeaseId, pod: Pod, { signal, graceMs }: StopMark): Promise<void> {
    const usualSignal = pod.metadata.annotations?.[annotation.signal] ?? "SIGTERM";
    const take = takeSecondsOf(pod);
    const usualGrace = Number(pod.spec.terminationGracePeriodSeconds) - take;
    // A shorter grace is kept by the cluster itself, unless it leaves the pod more time for its outputs.
    const graceHolds = take > 0 ? graceSeconds(graceMs) === usualGrace : graceSeconds(graceMs) <= usualGrace;
    if (signal === usualSignal && graceHolds) return;
    try {
      const command = `echo ${signalName(signal)} ${graceSeconds(graceMs)} > ${orderPath}`;
      const entry = await this.#ports.inside().open(lease, { kind: "exec", command });
      entry.output.resume();
      entry.errors.resume();
      entry.input.end();
      await entry.ended;
    } catch (error) {
      this.#ports.warn(`${lease}: gets its usual signal and grace: ${(error as Error).message}`);
    }
  }
}
