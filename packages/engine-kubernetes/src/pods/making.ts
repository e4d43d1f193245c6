import type { LeaseOrder } from "@tessera/engine";
import { isStatus, MemberRefused, SeatGone } from "../api/error.ts";
import type { Mirror } from "../api/mirror.ts";
import type { Pod } from "../api/types.ts";
import { deviceAskOf } from "./devices.ts";
import type { Holding } from "./holding.ts";
import { isSameMember, type PodCalls } from "./pod-calls.ts";
import type { MembersPorts } from "./ports.ts";
import { MemberRecord } from "./record.ts";
import type { Records } from "./records.ts";
import { faultOf } from "./refusals.ts";
import { podSpec } from "./spec.ts";
import { isHeld } from "./status.ts";

export interface MakingPorts
  extends Pick<MembersPorts, "engine" | "instance" | "settings" | "walls" | "inventory" | "inside"> {
  readonly calls: PodCalls;
  readonly pods: Mirror<Pod>;
  readonly records: Records;
  readonly holding: Holding;
}

/** Makes the pod of an order, held, and what it needs besides itself. */
export class Making {
  readonly #ports: MakingPorts;

  constructor(ports: MakingPorts) {
    this.#ports = ports;
  }

  /** Can be repeated after a failure at any place. Throws MemberRefused for what will never do, and SeatGone. */
  async make(order: LeaseOrder): Promise<MemberRecord> {
    const { engine, instance, settings, walls, inventory, inside, calls, pods, records, holding } = this.#ports;
    await inventory().ready();
    const view = inventory().view(order.node);
    if (view === undefined) throw new SeatGone(`node ${order.node} is not in the cluster`);
    const devices = deviceAskOf(order, view);
    const fault = faultOf(order, settings);
    if (fault !== undefined) throw new MemberRefused(fault);
    const place = await walls.ensure(order);
    await inside().prepare(order, place.namespace);
    const wanted = podSpec(order, place, settings, { engine, instance, bootId: view.facts.bootId, devices });
    // The watch may show the pod before the call returns; nothing is told of it until it has all it needs.
    const record = records.add(new MemberRecord(order.lease));
    record.furnished = false;
    let pod = await this.#created(wanted);
    if (!holding.isOurs(pod) && isHeld(pod)) pod = await holding.claim(pod);
    record.pod ??= pod;
    await calls.furnish(pod, order, devices);
    record.furnished = true;
    pods.put(pod);
    return record;
  }

  /** The new pod, or the one that an earlier attempt at the same order made. */
  async #created(wanted: Pod): Promise<Pod> {
    const { calls } = this.#ports;
    try {
      return await calls.create(wanted);
    } catch (error) {
      if (!isStatus(error, 409)) throw error;
      const found = await calls.read(wanted);
      if (isSameMember(found, wanted)) return found;
      throw new MemberRefused(`another pod has its name, ${found.metadata.namespace}/${found.metadata.name}`);
    }
  }
}
