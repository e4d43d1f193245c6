import type { GpuMetrics } from "@tessera/engine";
import { chance } from "./chance.ts";
import type { ModelTraits } from "./models.ts";
import { activityOf, memoryOf, type Work } from "./work.ts";

const reservedMiB = 600;
const coolAt = 28;
/** How far it warms above that at full power, and how long it takes most of the way. */
const warms = 44;
const warmingMs = 40_000;
/** Bits of the driver. */
const idleClocks = 1;
const powerCap = 4;

/** One simulated GPU: what it draws and how warm it is follow from what runs on it. Samples are to be taken in the order of time. */
export class GpuLoad {
  readonly #traits: ModelTraits;
  readonly #memoryMiB: number;
  readonly #seed: number;
  #millijoules: number;
  #celsius = coolAt;
  #at: number | undefined;

  constructor(traits: ModelTraits, memoryMiB: number, seed: number) {
    this.#traits = traits;
    this.#memoryMiB = memoryMiB;
    this.#seed = seed;
    // It was switched on some time in the last weeks.
    this.#millijoules = Math.floor(chance(seed, 0) * 2_000_000) * traits.idleMilliwatts;
  }

  /** What it did up to now with these at work on it. Cut into instances it tells only what they have in common. */
  sample(at: number, works: readonly Work[], isCut = false): GpuMetrics {
    const traits = this.#traits;
    let [sm, tensor, memory, usedMiB, links] = [0, 0, 0, 0, 0];
    for (const work of works) {
      const busy = (activityOf(work, at) * work.compute) / 1000;
      sm += busy;
      tensor += busy * work.tensor;
      memory += busy * work.bandwidth;
      usedMiB += (memoryOf(work, at) * work.memory * this.#memoryMiB) / 1000;
      if (work.gang) links += busy;
    }
    const load = Math.min(1, 0.45 * Math.min(1, sm) + 0.55 * Math.min(1, tensor + 0.4 * memory));
    const milliwatts = Math.round(
      traits.idleMilliwatts + (traits.fullMilliwatts - traits.idleMilliwatts) * load * (sm > 0 ? 1 : 0),
    );
    this.#pass(at, milliwatts);
    const isBusy = sm > 0;
    const traffic = Math.min(1, sm) * traits.pcie;
    const nvlink = Math.round(0.3 * Math.min(1, links) * traits.nvlink);
    // Written out, not spread: there is one such object for each GPU every few seconds.
    return {
      smActive: isCut ? undefined : share(sm),
      tensorActive: isCut ? undefined : share(tensor),
      memoryActive: isCut ? undefined : share(memory),
      encoderActive: isCut ? undefined : 0,
      memoryUsedMiB: isCut ? undefined : this.#heldMiB(usedMiB),
      memoryReservedMiB: reservedMiB,
      powerMilliwatts: milliwatts,
      energyMillijoules: Math.round(this.#millijoules),
      temperatureCelsius: Math.round(this.#celsius + chance(this.#seed, Math.floor(at / 5_000))),
      smClockMhz: isBusy ? Math.round(traits.fullMhz * (1 - 0.12 * load)) : traits.idleMhz,
      memoryClockMhz: traits.memoryMhz,
      throttleReasons: milliwatts > 0.97 * traits.fullMilliwatts ? powerCap : isBusy ? 0 : idleClocks,
      pcieSent: Math.round(0.05 * traffic),
      pcieReceived: Math.round(0.09 * traffic),
      nvlinkSent: traits.nvlink > 0 && !isCut ? nvlink : undefined,
      nvlinkReceived: traits.nvlink > 0 && !isCut ? nvlink : undefined,
    };
  }

  /** What one instance did; compute and memory are of the instance alone. */
  sampleInstance(at: number, work: Work): GpuMetrics {
    const sm = activityOf(work, at);
    return {
      ...activity(sm, sm * work.tensor, sm * work.bandwidth),
      memoryUsedMiB: this.#heldMiB((memoryOf(work, at) * work.memory * this.#memoryMiB) / 1000),
    };
  }

  /** An instance on which nothing runs yet. */
  idleInstance(): GpuMetrics {
    return { ...activity(0, 0, 0), memoryUsedMiB: 0 };
  }

  #heldMiB(usedMiB: number): number {
    return Math.round(Math.min(usedMiB, this.#memoryMiB - reservedMiB));
  }

  #pass(at: number, milliwatts: number): void {
    const ms = Math.max(0, at - (this.#at ?? at));
    this.#millijoules += (milliwatts * ms) / 1000;
    const { idleMilliwatts, fullMilliwatts } = this.#traits;
    const target = coolAt + (warms * (milliwatts - idleMilliwatts)) / (fullMilliwatts - idleMilliwatts);
    this.#celsius += (target - this.#celsius) * (this.#at === undefined ? 1 : 1 - Math.exp(-ms / warmingMs));
    this.#at = at;
  }
}

function activity(sm: number, tensor: number, memory: number) {
  return {
    smActive: share(sm),
    tensorActive: share(tensor),
    memoryActive: share(memory),
    encoderActive: 0,
  };
}

function share(part: number): number {
  return Math.round(10_000 * Math.min(1, Math.max(0, part)));
}
