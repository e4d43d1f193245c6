import type { AccountId, NodeFacts } from "@tessera/core";
import type { Telemetry } from "@tessera/engine";
import { type Hold, SimulatedTelemetry } from "@tessera/engine-simulated";
import { askFromMix } from "../scheduler/mix.ts";
import { Plant } from "../scheduler/plant.ts";
import { Told } from "./told.ts";

const perBatch = 200;
const fullAt = 0.9;
/** Of one GPU, before they come again: a minute of samples has no value twice. */
const variants = 12;
/** The simulated load changes this often. */
const variantMs = 10_000;

/** A fleet nine tenths full of jobs of 300 teams, and what its engine would say of them, made beforehand. */
export class LeasedFleet {
  readonly plant: Plant;
  readonly nodes: readonly NodeFacts[];
  readonly #holds = new Map<number, Hold[]>();
  readonly #telemetry = new SimulatedTelemetry();
  /** By variant and slice of nodes. */
  #told: Told[][] = [];
  #readAt: number;

  constructor(gpus: number) {
    this.plant = new Plant(gpus, 1);
    const { plant } = this;
    const { state } = plant;
    for (let waited = 0; plant.fill < fullAt && waited < gpus; waited += perBatch) {
      plant.now += 1_000;
      plant.decide(Array.from({ length: perBatch }, () => plant.submit(askFromMix(plant.random))));
    }
    this.#readAt = plant.now;
    this.nodes = state.fleet.nodes.flatMap((node) => node?.facts ?? []);
    for (const lease of state.leases.values()) {
      const { facts, firstGpu } = state.fleet.nodes[lease.node]!;
      const gpuUuids = lease.gpus.map((no) => facts.gpus[no - firstGpu]!.uuid);
      const limits = { cpusMilli: 8_000, memoryMiB: 65_536 };
      const hold: Hold = {
        ...{ lease: lease.id, job: state.jobs.get(lease.job)!.id, size: 1, gpuUuids, limits, startedAt: plant.now },
        ...(lease.part !== undefined && { part: lease.part }),
      };
      this.#holds.set(lease.node, [...(this.#holds.get(lease.node) ?? []), hold]);
    }
  }

  /** Teams that hold GPUs, those with the most first. */
  teams(): AccountId[] {
    const { state } = this.plant;
    const held = new Map<AccountId, number>();
    for (const { job, gpus } of state.leases.values()) {
      const { id } = state.accounts[state.jobs.get(job)!.account]!;
      held.set(id, (held.get(id) ?? 0) + gpus.length);
    }
    return [...held].sort(([, a], [, b]) => b - a).map(([id]) => id);
  }

  /** How many samples a node gives: one for each GPU, and one more for each instance. */
  async samplesPerNode(): Promise<number> {
    const { gpus } = await this.#read(0, this.nodes.length);
    return gpus.length / this.nodes.length;
  }

  /** Makes what is told, in slices of so many nodes. */
  async prepare(nodesPerSlice: number): Promise<void> {
    this.#told = [];
    for (let variant = 0; variant < variants; variant++) {
      const slices: Told[] = [];
      for (let first = 0; first < this.nodes.length; first += nodesPerSlice)
        slices.push(new Told(await this.#read(first, nodesPerSlice), this.#told[0]?.[slices.length]));
      this.#told.push(slices);
      this.#readAt += variantMs;
    }
  }

  get slices(): number {
    return this.#told[0]?.length ?? 0;
  }

  /** What an engine says of a slice of its nodes, the `turn`th time, at this time. */
  tell(slice: number, turn: number, at: number): Telemetry {
    return this.#told[turn % variants]![slice]!.at(at);
  }

  async #read(first: number, count: number): Promise<Telemetry> {
    const some = this.nodes.slice(first, first + count);
    const holds = some.flatMap((_, index) => this.#holds.get(first + index) ?? []);
    return this.#telemetry.read(some, holds, this.#readAt);
  }
}
