import { type NodeList, type TaskKind, wholeGpu } from "./read.ts";

/** The nodes of a run in the order that settles ties, with what is free on each. */
export class Cluster {
  readonly nodes: number;
  readonly names: readonly string[];
  readonly modelNames: readonly string[];
  readonly model: Uint8Array;
  readonly cpuFree: Float64Array;
  readonly memoryFree: Float64Array;
  readonly gpus: Uint8Array;
  /** Free thousandths of each device: device d of node n at n * stride + d. */
  readonly free: Int16Array;
  readonly stride: number;
  /** Sum of the free thousandths of a node. */
  readonly idle: Int32Array;
  /** Devices of a node that are fully free. */
  readonly whole: Uint8Array;
  /** Grows with each change of the node. */
  readonly version: Int32Array;
  readonly capacityMilli: number;
  allocatedMilli = 0;

  constructor(list: NodeList, order: readonly number[]) {
    this.nodes = order.length;
    this.names = order.map((at) => list.names[at]!);
    this.modelNames = [...new Set(list.model)].sort();
    this.model = Uint8Array.from(order, (at) => this.modelNames.indexOf(list.model[at]!));
    this.cpuFree = Float64Array.from(order, (at) => list.cpuMilli[at]!);
    this.memoryFree = Float64Array.from(order, (at) => list.memoryMiB[at]!);
    this.gpus = Uint8Array.from(order, (at) => list.gpus[at]!);
    this.whole = this.gpus.slice();
    this.stride = Math.max(1, ...this.gpus);
    this.free = new Int16Array(this.nodes * this.stride);
    for (let node = 0; node < this.nodes; node++) {
      this.free.fill(wholeGpu, node * this.stride, node * this.stride + this.gpus[node]!);
    }
    this.idle = Int32Array.from(this.gpus, (count) => count * wholeGpu);
    this.version = new Int32Array(this.nodes);
    this.capacityMilli = this.idle.reduce((sum, milli) => sum + milli, 0);
  }

  /** Whether the kind fits on the node now; memory is asked apart, because no score knows it. */
  fits(node: number, kind: TaskKind, allowed: Uint8Array): boolean {
    if (this.cpuFree[node]! < kind.cpuMilli) return false;
    if (kind.gpus === 0) return true;
    if (allowed[this.model[node]!] === 0) return false;
    if (kind.milli === wholeGpu) return this.whole[node]! >= kind.gpus;
    return this.tightest(node, kind.milli) >= 0;
  }

  /** The device with the least free thousandths of those that have enough; the lowest of equals, -1 for none. */
  tightest(node: number, milli: number): number {
    const first = node * this.stride;
    let best = -1;
    let least = wholeGpu + 1;
    for (let device = 0; device < this.gpus[node]!; device++) {
      const free = this.free[first + device]!;
      if (free >= milli && free < least) {
        least = free;
        best = device;
      }
    }
    return best;
  }

  /** Takes what the task needs: a share of `device`, or the lowest devices that are fully free. Answers the devices. */
  take(node: number, kind: TaskKind, memoryMiB: number, device: number): number[] {
    const devices = kind.gpus === 0 ? [] : kind.milli < wholeGpu ? [device] : this.wholeDevices(node, kind.gpus);
    const first = node * this.stride;
    for (const taken of devices) {
      if (this.free[first + taken] === wholeGpu) this.whole[node]!--;
      this.free[first + taken]! -= kind.milli;
    }
    const milli = devices.length * kind.milli;
    this.idle[node]! -= milli;
    this.allocatedMilli += milli;
    this.cpuFree[node]! -= kind.cpuMilli;
    this.memoryFree[node]! -= memoryMiB;
    this.version[node]!++;
    return devices;
  }

  /** Gives back what a task took. */
  leave(node: number, kind: TaskKind, memoryMiB: number, devices: readonly number[]): void {
    const first = node * this.stride;
    for (const device of devices) {
      this.free[first + device]! += kind.milli;
      if (this.free[first + device] === wholeGpu) this.whole[node]!++;
    }
    const milli = devices.length * kind.milli;
    this.idle[node]! += milli;
    this.allocatedMilli -= milli;
    this.cpuFree[node]! += kind.cpuMilli;
    this.memoryFree[node]! += memoryMiB;
    this.version[node]!++;
  }

  wholeDevices(node: number, count: number): number[] {
    const first = node * this.stride;
    const devices: number[] = [];
    for (let device = 0; devices.length < count; device++) {
      if (this.free[first + device] === wholeGpu) devices.push(device);
    }
    return devices;
  }
}

/** For each kind, which of the cluster's models it may run on. */
export function allowedModels(kinds: readonly TaskKind[], modelNames: readonly string[]): Uint8Array[] {
  return kinds.map(({ models }) =>
    Uint8Array.from(modelNames, (name) => (models.length === 0 || models.includes(name) ? 1 : 0)),
  );
}
