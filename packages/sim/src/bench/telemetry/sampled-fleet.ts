import type { AccountId, JobId, LeaseId, NodeFacts, UserId } from "@tessera/core";
import { declareNodes, type Hold, SimulatedTelemetry } from "@tessera/engine-simulated";
import type { Holder, TelemetryRow } from "@tessera/telemetry";

const gpusPerNode = 8;
const unitsPerGpu = 21_000;
/** One GPU in ten is free; jobs hold one, four or eight of a node. */
const jobSizes = [8, 4, 4, 1, 1, 1, 1, 1, 1, 1] as const;

/** A fleet with jobs of many teams on it, and the samples that its engine would give. */
export class SampledFleet {
  readonly teams: number;
  readonly #nodes: readonly NodeFacts[];
  readonly #holds = new Map<string, Hold[]>();
  readonly #holders = new Map<string, Holder>();
  readonly #telemetry = new SimulatedTelemetry();
  readonly #lastAt = new Map<string, number>();

  constructor(gpus: number, teams: number, startedAt: number) {
    this.teams = teams;
    this.#nodes = declareNodes({ count: gpus / gpusPerNode, gpusEach: gpusPerNode, model: "H100" });
    let [job, size] = [0, 0];
    for (const node of this.#nodes) {
      const holds: Hold[] = [];
      for (let first = 0; first < gpusPerNode; ) {
        const wide = Math.min(jobSizes[size++ % jobSizes.length]!, gpusPerNode - first);
        const free = size % 10 === 0;
        if (!free) holds.push(this.#hold(job++, node, first, wide, startedAt));
        first += wide;
      }
      this.#holds.set(node.name, holds);
    }
  }

  get nodes(): number {
    return this.#nodes.length;
  }

  teamAt(index: number): AccountId {
    return `acc_team${index}` as AccountId;
  }

  /** The samples of some nodes, joined to who holds them. */
  async rows(at: number, firstNode: number, nodes: number): Promise<TelemetryRow[]> {
    const some = this.#nodes.slice(firstNode, firstNode + nodes);
    const holds = some.flatMap(({ name }) => this.#holds.get(name)!);
    const { gpus } = await this.#telemetry.read(some, holds, at);
    return gpus.map(({ node, gpuUuid, leases, source, metrics }) => {
      const spanMs = at - (this.#lastAt.get(gpuUuid) ?? at - 10_000);
      this.#lastAt.set(gpuUuid, at);
      const holder = leases[0] === undefined ? {} : this.#holders.get(leases[0]);
      return { at, spanMs, node, gpu: gpuUuid, model: "H100", share: unitsPerGpu, source, metrics, ...holder };
    });
  }

  #hold(no: number, node: NodeFacts, first: number, wide: number, startedAt: number): Hold {
    const job = `job_${no}` as JobId;
    const lease = `${job}-1-0` as LeaseId;
    const team = no % this.teams;
    const user = `usr_${team}_${no % 7}` as UserId;
    this.#holders.set(lease, { lease, job, rank: 0, account: this.teamAt(team), user });
    const gpuUuids = node.gpus.slice(first, first + wide).map(({ uuid }) => uuid);
    return { lease, job, size: 1, gpuUuids, limits: { cpusMilli: 8_000, memoryMiB: 65_536 }, startedAt };
  }
}
