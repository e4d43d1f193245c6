import { setImmediate } from "node:timers/promises";
import type { JobType, LeaseId, NodeFacts, PartSeat } from "@tessera/core";
import { declaredDevices, type GpuSample, type MemberSample, type Telemetry } from "@tessera/engine";
import { chance, seedOf } from "./chance.ts";
import { GpuLoad } from "./gpu-load.ts";
import { modelTraits } from "./models.ts";
import { activityOf, memoryOf, type Work, workOf } from "./work.ts";

/** A member as it is seen from outside. */
export interface Hold {
  readonly lease: LeaseId;
  readonly job: string;
  readonly type?: JobType;
  readonly size: number;
  readonly gpuUuids: readonly string[];
  readonly part?: PartSeat;
  readonly limits: { readonly cpusMilli: number; readonly memoryMiB: number };
  /** Absent while nothing of it runs. */
  readonly startedAt?: number;
}

interface Holder {
  readonly hold: Hold;
  readonly work: Work | undefined;
}

/** Of members without limits. */
const usualCpusMilli = 8_000;
const usualMemoryMiB = 65_536;

/** After so many GPUs others have their turn: a large fleet takes a while. */
const gpusAtOnce = 2_000;

/**
 * What can be seen of a simulated fleet. It follows from what runs there and from the time alone, except energy and warmth,
 * which add up from one reading to the next.
 */
export class SimulatedTelemetry {
  readonly #loads = new Map<string, GpuLoad>();
  /** Of the members that were there the last time. */
  #works = new Map<LeaseId, Work>();

  async read(nodes: Iterable<NodeFacts>, holds: Iterable<Hold>, at: number): Promise<Telemetry> {
    const holders = new Map<string, Holder[]>();
    const gpus: GpuSample[] = [];
    const members: MemberSample[] = [];
    const works = new Map<LeaseId, Work>();
    for (const hold of holds) {
      const work = this.#works.get(hold.lease) ?? workIn(hold);
      for (const uuid of hold.gpuUuids) {
        const others = holders.get(uuid);
        if (others === undefined) holders.set(uuid, [{ hold, work }]);
        else others.push({ hold, work });
      }
      if (work === undefined) continue;
      works.set(hold.lease, work);
      members.push(memberSample(hold, work, at));
    }
    this.#works = works;
    let sinceTurn = 0;
    for (const node of nodes) {
      for (const gpu of node.gpus) this.#sample(node.name, gpu, holders.get(gpu.uuid) ?? [], at, gpus);
      sinceTurn += node.gpus.length;
      if (sinceTurn < gpusAtOnce) continue;
      sinceTurn = 0;
      await setImmediate();
    }
    return { gpus, members };
  }

  #sample(
    node: string,
    gpu: NodeFacts["gpus"][number],
    holders: readonly Holder[],
    at: number,
    into: GpuSample[],
  ): void {
    const load = this.#loadOf(gpu);
    const works = holders.map(({ work }) => work).filter((work) => work !== undefined);
    const leases = holders.map(({ hold }) => hold.lease);
    const cut = holders.filter(({ hold }) => hold.part?.mode === "mig");
    const [gpuUuid, source] = [gpu.uuid, "simulated"] as const;
    into.push({ node, gpuUuid, leases, at, source, metrics: load.sample(at, works, cut.length > 0) });
    for (const { hold, work } of cut) {
      const metrics = work === undefined ? load.idleInstance() : load.sampleInstance(at, work);
      const [instance] = declaredDevices({ gpuUuids: [gpuUuid], part: hold.part });
      into.push({ node, gpuUuid, instance, leases: [hold.lease], at, source, metrics });
    }
  }

  #loadOf({ uuid, model, memoryMiB }: NodeFacts["gpus"][number]): GpuLoad {
    let load = this.#loads.get(uuid);
    if (load === undefined) {
      load = new GpuLoad(modelTraits(model), memoryMiB, seedOf(uuid));
      this.#loads.set(uuid, load);
    }
    return load;
  }
}

function workIn(hold: Hold): Work | undefined {
  const { startedAt, gpuUuids } = hold;
  return startedAt === undefined ? undefined : workOf({ ...hold, startedAt, gpus: gpuUuids.length });
}

function memberSample({ lease, limits }: Hold, work: Work, at: number): MemberSample {
  const busy = activityOf(work, at);
  const noise = chance(work.seed, Math.floor(at / 10_000) + 7);
  return {
    lease,
    at,
    cpusMilli: Math.round((limits.cpusMilli || usualCpusMilli) * (0.02 + 0.6 * busy + 0.1 * noise)),
    memoryMiB: Math.round((limits.memoryMiB || usualMemoryMiB) * (0.1 + 0.6 * memoryOf(work, at))),
    read: Math.round(busy * 200_000_000 * noise),
    written: work.type === "train" && busy < 0.05 ? 1_500_000_000 : Math.round(busy * 2_000_000),
  };
}
