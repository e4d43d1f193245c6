import type { LeaseId, NodeFacts } from "@tessera/core";
import type { GpuSample, MemberSample, Telemetry } from "@tessera/engine";
import { type Measured, MemberMeter } from "./members.ts";
import { ownerOf } from "./process-usage.ts";
import type { GpuProcess, GpuSource, Reading } from "./source.ts";

/** A lease that holds GPUs here, or parts of them. */
export interface Holding extends Measured {
  readonly gpuUuids: readonly string[];
  /** The MIG instances that it has, instead of the whole of its GPUs. */
  readonly instances?: readonly string[];
}

const nothing: Reading = { gpus: [], processes: [] };

/** Joins what the GPUs of this machine do and what the members use with the leases that are held. */
export class Telemeter {
  readonly #sources: readonly GpuSource[];
  readonly #members = new MemberMeter();
  /** Reading and letting go, one after the other. */
  #turn: Promise<unknown> = Promise.resolve();

  /** The first source that answers counts, each time. */
  constructor(sources: readonly GpuSource[]) {
    this.#sources = sources;
  }

  /** While GPUs are reset or cut they must not be looked at: `quiet`. What is not seen then is missing, not idle. */
  async read(nodes: readonly NodeFacts[], held: readonly Holding[], at: number, quiet = false): Promise<Telemetry> {
    if (quiet) await this.letGo();
    const seen = quiet ? nodes.filter(({ virtual }) => virtual) : nodes;
    const gpus = this.#inTurn(() => this.#gpus(seen, held, at));
    const members = await this.#members.read(held, at);
    const { samples, processes } = await gpus;
    return { gpus: samples, members: await withGpuMemory(members, held, processes) };
  }

  /** No source has a device open when this is done. */
  async letGo(): Promise<void> {
    await this.#inTurn(async () => {
      for (const source of this.#sources) source.letGo?.();
    });
  }

  #inTurn<Result>(act: () => Promise<Result>): Promise<Result> {
    const turn = this.#turn.then(act);
    this.#turn = turn.catch(() => {});
    return turn;
  }

  async #gpus(nodes: readonly NodeFacts[], held: readonly Holding[], at: number) {
    const samples = nodes.filter(({ virtual }) => virtual).flatMap((node) => virtualSamples(node, held, at));
    const real = nodes.find(({ virtual }) => !virtual);
    if (real === undefined) return { samples, processes: [] };
    const { source, reading } = await this.#ask();
    const known = reading.gpus.filter(({ gpuUuid }) => real.gpus.some(({ uuid }) => uuid === gpuUuid));
    const seen = known.map(({ gpuUuid, instance, source: own = source, metrics }): GpuSample => {
      const leases = held.filter((lease) => holds(lease, gpuUuid, instance)).map(({ lease }) => lease);
      return {
        node: real.name,
        gpuUuid,
        ...(instance !== undefined && { instance }),
        leases,
        at,
        source: own,
        metrics,
      };
    });
    return { samples: [...samples, ...seen], processes: reading.processes };
  }

  async #ask(): Promise<{ source: GpuSource["name"]; reading: Reading }> {
    for (const source of this.#sources) {
      const reading = await source.read().catch(() => undefined);
      if (reading !== undefined) return { source: source.name, reading };
    }
    return { source: "nvidia-smi", reading: nothing };
  }
}

/** A GPU that is cut is held by all leases on it together; an instance by the one that has it. */
function holds({ gpuUuids, instances }: Holding, gpuUuid: string, instance: string | undefined): boolean {
  return instance === undefined ? gpuUuids.includes(gpuUuid) : (instances ?? []).includes(instance);
}

/** There is nothing to measure; that a lease holds it is all there is to say. */
function virtualSamples({ name, gpus }: NodeFacts, held: readonly Holding[], at: number): GpuSample[] {
  const byGpu = new Map<string, Holding[]>();
  for (const holding of held) {
    for (const uuid of holding.gpuUuids) byGpu.set(uuid, [...(byGpu.get(uuid) ?? []), holding]);
  }
  return gpus.flatMap(({ uuid }): GpuSample[] => {
    const holders = byGpu.get(uuid) ?? [];
    const common = { node: name, gpuUuid: uuid, at, source: "virtual", metrics: {} } as const;
    const instances = holders.flatMap(({ lease, instances = [] }) =>
      instances.filter(isInstance).map((instance) => ({ ...common, instance, leases: [lease] })),
    );
    return holders.length === 0 ? [] : [{ ...common, leases: holders.map(({ lease }) => lease) }, ...instances];
  });
}

/** Members of GPUs that are not cut have the uuids of these. */
function isInstance(uuid: string): boolean {
  return uuid.startsWith("MIG-");
}

/** Adds the memory that the processes of each member hold on its GPUs. */
async function withGpuMemory(
  members: readonly MemberSample[],
  held: readonly Holding[],
  processes: readonly GpuProcess[],
): Promise<MemberSample[]> {
  const leases = new Map(held.map(({ mark, lease }) => [mark, lease]));
  const marks = new Set(leases.keys());
  const memory = new Map<LeaseId, number>();
  for (const { pid, memoryMiB } of processes) {
    const owner = leases.get((await ownerOf(pid, marks)) ?? "");
    if (owner !== undefined) memory.set(owner, (memory.get(owner) ?? 0) + memoryMiB);
  }
  return members.map((member) => {
    const gpuMemoryMiB = memory.get(member.lease);
    return gpuMemoryMiB === undefined ? member : { ...member, gpuMemoryMiB };
  });
}
