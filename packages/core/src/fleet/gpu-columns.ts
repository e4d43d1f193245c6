import type { PartDevice } from "../gpu/seat.ts";
import { modelMatches } from "../model/gpu-name.ts";
import type { GpuFacts } from "../model/node.ts";
import type { Sharing } from "../model/part.ts";
import { unitsPerGpu } from "../model/units.ts";

/**
 * All GPUs as columns, indexed by GPU number. Numbers are given once and never reused, so a lease can name a GPU for
 * ever; the GPUs of a removed node keep their numbers with a capacity of 0. The fleet extends this class because the
 * columns are read in its hottest loops, where another object in between would cost a load each.
 */
export class GpuColumns {
  /**
   * GPU models in order of appearance; the number of a model is its index here. The same GPU in two engines is two
   * models, so that what is placed on one model is placed in one engine [P9]; quotas and prices go by the name.
   */
  readonly models: string[] = [];
  /** By model number: the number of its engine. */
  readonly modelEngine: number[] = [];
  /** Engines that have had nodes, in order of appearance; the number of an engine is its index here. */
  readonly engines: string[] = [];
  gpus = 0;
  gpuNode = new Int32Array(64);
  gpuModel = new Uint16Array(64);
  gpuMemoryMiB = new Int32Array(64);
  gpuCapacity = new Int32Array(64);
  gpuFree = new Int32Array(64);
  gpuFreeMemory = new Int32Array(64);
  /** Units of leases that have been asked to stop. */
  gpuLeaving = new Int32Array(64);
  /** The job for which a GPU is held; 0 = none, below 0 = its engine withholds it from all. */
  gpuHeldFor = new Int32Array(64);
  /** The tenant whose data may still be in a GPU's memory (see state/marks.ts), and the last mode of the GPU. */
  gpuMark = new Int32Array(64);
  gpuMode = new Uint16Array(64);
  /** 1 = its engine says that it cannot be offered. What holds it keeps it. */
  gpuWithheld = new Uint16Array(64);
  readonly gpuUuid: string[] = [];

  /** The number of a model of an engine, which is given to it on first use. */
  modelNo(model: string, engine: number): number {
    let no = this.models.indexOf(model);
    while (no >= 0 && this.modelEngine[no] !== engine) no = this.models.indexOf(model, no + 1);
    if (no >= 0) return no;
    this.modelEngine.push(engine);
    return this.models.push(model) - 1;
  }

  /** The engine in which members are placed that were given this model number. */
  engineOf(model: number): string | undefined {
    return this.engines[model < 0 ? engineWithout(model) : this.modelEngine[model]!];
  }

  /** Any GPU of a model. */
  someGpuOf(model: number): number {
    return this.gpuModel.indexOf(model);
  }

  /** Whether a GPU is of a model that a name covers [U2]. */
  isOf(gpu: number, name: string): boolean {
    return name === "*" || modelMatches(name, this.models[this.gpuModel[gpu]!]!);
  }

  /** Wholly free, and held for no job. */
  isFree(gpu: number): boolean {
    return this.gpuFree[gpu] === unitsPerGpu && this.gpuFreeMemory[gpu] === unitsPerGpu && this.gpuHeldFor[gpu] === 0;
  }

  /** Units that no lease holds and that its engine offers. */
  unitsOffered(gpu: number): number {
    return this.gpuWithheld[gpu] === 0 ? this.gpuFree[gpu]! : 0;
  }

  protected addGpus(node: number, engine: number, facts: readonly GpuFacts[]): void {
    this.#grow(this.gpus + facts.length);
    for (const { uuid, model, memoryMiB } of facts) {
      const gpu = this.gpus++;
      this.gpuNode[gpu] = node;
      this.gpuModel[gpu] = this.modelNo(model, engine);
      this.gpuMemoryMiB[gpu] = memoryMiB;
      this.gpuCapacity[gpu] = unitsPerGpu;
      this.gpuFree[gpu] = unitsPerGpu;
      this.gpuFreeMemory[gpu] = unitsPerGpu;
      this.gpuUuid.push(uuid);
    }
  }

  /** Offers a GPU or withholds it; a claim that holds it is dropped by the scheduler. */
  protected withhold(gpu: number, withheld: boolean): void {
    this.gpuWithheld[gpu] = withheld ? 1 : 0;
    if (this.gpuHeldFor[gpu]! <= 0) this.release(gpu);
  }

  /** Ends what a GPU is held for. */
  protected release(gpu: number): void {
    this.gpuHeldFor[gpu] = this.gpuWithheld[gpu] === 0 ? 0 : forNoJob;
  }

  /** Uses up the numbers of the GPUs of a node that has left the fleet. */
  protected skipGpus(node: number, count: number): void {
    this.#grow(this.gpus + count);
    for (let i = 0; i < count; i++) {
      this.gpuNode[this.gpus] = node;
      this.gpuUuid.push("");
      this.gpus++;
    }
  }

  protected removeGpu(gpu: number): void {
    this.gpuCapacity[gpu] = 0;
    this.gpuFree[gpu] = 0;
    this.gpuFreeMemory[gpu] = 0;
    this.withhold(gpu, false);
  }

  protected deviceIn(sharing: Sharing, gpu: number): PartDevice {
    return { model: this.models[this.gpuModel[gpu]!]!, memoryMiB: this.gpuMemoryMiB[gpu]!, sharing };
  }

  #grow(gpus: number): void {
    if (gpus <= this.gpuNode.length) return;
    const size = Math.max(gpus, this.gpuNode.length * 2);
    this.gpuNode = grown(this.gpuNode, new Int32Array(size));
    this.gpuModel = grown(this.gpuModel, new Uint16Array(size));
    this.gpuMemoryMiB = grown(this.gpuMemoryMiB, new Int32Array(size));
    this.gpuCapacity = grown(this.gpuCapacity, new Int32Array(size));
    this.gpuFree = grown(this.gpuFree, new Int32Array(size));
    this.gpuFreeMemory = grown(this.gpuFreeMemory, new Int32Array(size));
    this.gpuHeldFor = grown(this.gpuHeldFor, new Int32Array(size));
    this.gpuLeaving = grown(this.gpuLeaving, new Int32Array(size));
    this.gpuMark = grown(this.gpuMark, new Int32Array(size));
    this.gpuWithheld = grown(this.gpuWithheld, new Uint16Array(size));
    this.gpuMode = grown(this.gpuMode, new Uint16Array(size));
  }
}

/** What a GPU is held for that its engine withholds. */
const forNoJob = -1;

/** Stands for the model of members without GPUs in one engine; -1 in the first, as ever. */
export function withoutGpus(engine: number): number {
  return -1 - engine;
}

/** The engine that a number from `withoutGpus` stands for. */
function engineWithout(model: number): number {
  return -1 - model;
}

/** A longer column with the values of a shorter one. */
export function grown<Column extends Int32Array | Uint16Array>(from: Column, to: Column): Column {
  to.set(from);
  return to;
}
