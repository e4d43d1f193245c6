import { recordGpu, recordName } from "../fleet/find-node.ts";
import type { Event, JobGrown, JobPlaced, Seat } from "../journal/event.ts";
import type { GpuNo, JobNo, NodeNo } from "../model/ids.ts";
import type { Lease } from "../model/lease.ts";
import { must } from "../model/must.ts";
import type { FleetNode, NodeFacts, NodeMode } from "../model/node.ts";
import { type Instant, unitsPerGpu } from "../model/units.ts";
import type { ReadonlyState } from "../state/readonly-state.ts";
import type { RestChange } from "./rest-watch.ts";
import { isStranded, StrandWatch } from "./strand-watch.ts";

/** What the free units of a device count as. */
export type DeviceMode = NodeMode | "removed" | "held" | "stranded" | "dedicated";

/** From `at` on, a device has this much capacity, of which this much is held by no lease. */
export interface DeviceChange {
  readonly gpu: string;
  readonly node: string;
  readonly model: string;
  readonly at: Instant;
  readonly capacityUnits: number;
  readonly freeUnits: number;
  readonly mode: DeviceMode;
}

const noSeats: readonly Seat[] = [];

/**
 * The fleet's own record of its capacity, device by device, from the fleet's counters of free units and the modes of
 * nodes. It never reads how long a lease was in which state: that is the other side of the balance, see `balance.ts`.
 * Call `see` for each event before it is applied, then `finish`.
 */
export class DeviceTimeline {
  /** In the order of events; of several changes of one device at one instant the last counts. */
  readonly changes: DeviceChange[] = [];
  readonly #stranded = new StrandWatch((node, at, state) => this.#strandedChanged(node, at, state));

  see(event: Event, state: ReadonlyState): void {
    this.#stranded.see(event, state);
    switch (event.kind) {
      case "node-added":
        this.#wholeNode(state, event.facts, event.at, () => ({ freeUnits: unitsPerGpu, mode: "up" }));
        return;
      case "node-changed": {
        const node = state.fleet.node(event.node);
        const { mode } = event;
        if (node.own.mode !== mode)
          this.#wholeNode(state, node.facts, event.at, (i) => ({ freeUnits: freeOf(state, gpuAt(node, i)), mode }));
        return;
      }
      case "node-removed":
        this.#wholeNode(state, state.fleet.node(event.node).facts, event.at, () => ({ freeUnits: 0, mode: "removed" }));
        return;
      case "job-claimed":
        this.#kept(state, event.seats, event.at, "held");
        return;
      case "claim-dropped":
      case "job-ended":
        this.#kept(state, claimedSeats(state, event.job), event.at, "free");
        return;
      case "job-grown":
      case "job-placed":
        this.#taken(state, event);
        return;
      case "lease-ended":
        this.#givenBack(state, must(state.leases.get(event.lease), "a lease that ends is held"), event.at);
        return;
    }
  }

  finish(state: ReadonlyState): void {
    this.#stranded.settle(state);
  }

  /** The unheld remainder of a dedicated node is metered to its tenant, so it does not count as idle [U3]. */
  restChanged({ gpu, at, rest }: RestChange, state: ReadonlyState): void {
    const { fleet } = state;
    const node = fleet.nodes[fleet.gpuNode[gpu]!];
    if (node === undefined) return;
    const mode = rest !== undefined ? "dedicated" : isHeld(state, gpu) ? "held" : node.mode;
    this.#change(state, gpu, { at, freeUnits: freeOf(state, gpu), mode });
  }

  /** The free GPUs of a node that has become stranded, or no longer is. */
  #strandedChanged(no: NodeNo, at: Instant, state: ReadonlyState): void {
    const node = state.fleet.node(no);
    for (let i = 0; i < node.facts.gpus.length; i++) {
      const gpu = gpuAt(node, i);
      const freeUnits = freeOf(state, gpu);
      if (freeUnits === 0) continue;
      const unclaimed = isStranded(node) ? "stranded" : node.mode;
      const mode = state.rest.has(gpu) ? "dedicated" : isHeld(state, gpu) ? "held" : unclaimed;
      this.#change(state, gpu, { at, freeUnits, mode });
    }
  }

  #wholeNode(
    { fleet }: ReadonlyState,
    facts: NodeFacts,
    at: Instant,
    now: (index: number) => Pick<DeviceChange, "freeUnits" | "mode">,
  ): void {
    const node = recordName(fleet, facts);
    for (const [i, { uuid, model }] of facts.gpus.entries()) {
      const { freeUnits, mode } = now(i);
      const capacityUnits = mode === "removed" ? 0 : unitsPerGpu;
      this.changes.push({ gpu: recordGpu(fleet, facts, uuid), node, model, at, capacityUnits, freeUnits, mode });
    }
  }

  /** Seats are taken. Several seats of one event may be on one device, and the state has none of them yet. */
  #taken(state: ReadonlyState, { seats, unitsEach, at }: JobPlaced | JobGrown): void {
    const freeAfter = new Map<GpuNo, number>();
    for (const { node, gpus, part } of seats) {
      const { mode } = state.fleet.node(node);
      for (const gpu of gpus) {
        const freeUnits = (freeAfter.get(gpu) ?? freeOf(state, gpu)) - (part?.compute ?? unitsEach);
        freeAfter.set(gpu, freeUnits);
        this.#change(state, gpu, { at, freeUnits, mode });
      }
    }
  }

  /** A lease gives its units back; where a claim holds the seats they are not idle. */
  #givenBack(state: ReadonlyState, { node, gpus, unitsEach }: Lease, at: Instant): void {
    const mode = gpus.some((gpu) => isHeld(state, gpu)) ? "held" : state.fleet.node(node).mode;
    for (const gpu of gpus) this.#change(state, gpu, { at, freeUnits: freeOf(state, gpu) + unitsEach, mode });
  }

  /** Free units are held for a claim from now on, or no longer. Units in use are recorded when they are given back. */
  #kept(state: ReadonlyState, seats: readonly Seat[], at: Instant, as: "held" | "free"): void {
    for (const { node, gpus } of seats) {
      const mode = state.fleet.nodes[node]?.mode;
      if (mode === undefined) continue;
      for (const gpu of gpus) {
        const freeUnits = freeOf(state, gpu);
        if (freeUnits > 0) this.#change(state, gpu, { at, freeUnits, mode: as === "held" ? as : mode });
      }
    }
  }

  #change({ fleet }: ReadonlyState, gpu: GpuNo, change: Pick<DeviceChange, "at" | "freeUnits" | "mode">): void {
    const { facts } = fleet.node(fleet.gpuNode[gpu] as NodeNo);
    this.changes.push({
      gpu: recordGpu(fleet, facts, must(fleet.gpuUuid[gpu], "a GPU of the fleet has a uuid")),
      node: recordName(fleet, facts),
      model: must(fleet.models[fleet.gpuModel[gpu]!], "a GPU of the fleet has a model"),
      capacityUnits: unitsPerGpu,
      ...change,
    });
  }
}

function claimedSeats({ jobs }: ReadonlyState, job: JobNo): readonly Seat[] {
  return must(jobs.get(job), "an event is about a live job").claim?.seats ?? noSeats;
}

function gpuAt({ firstGpu }: FleetNode, index: number): GpuNo {
  return (firstGpu + index) as GpuNo;
}

function freeOf({ fleet }: ReadonlyState, gpu: GpuNo): number {
  return fleet.gpuFree[gpu]!;
}

function isHeld({ fleet }: ReadonlyState, gpu: GpuNo): boolean {
  return fleet.gpuHeldFor[gpu]! > 0;
}
