import type { GpuMetrics } from "@tessera/engine";
import type { FullLoad, FullLoads } from "../../part/full-load.ts";
import type { GpuProcess, GpuReading, GpuSource, Reading } from "../source.ts";
import { gpm, type Handle, type Nvml } from "./library.ts";

const metrics = Object.values(gpm);
const mebibyte = 2 ** 20;

/** The driver asks for a tenth of a second between two samples. */
const apartMsMin = 100;

interface Sample {
  readonly handle: Handle;
  readonly at: number;
}

/** What the driver's library says of GPUs and of their instances, each apart. */
export class NvmlSource implements GpuSource {
  readonly name = "nvml";
  readonly #load: () => Nvml;
  readonly #fullLoads: Pick<FullLoads, "all">;
  readonly #now: () => number;
  #library: Nvml | undefined;
  #isOpen = false;
  /** The last sample of each GPU or instance, by uuid. */
  #samples = new Map<string, Sample>();

  constructor(load: () => Nvml, fullLoads: Pick<FullLoads, "all">, now: () => number = () => performance.now()) {
    this.#load = load;
    this.#fullLoads = fullLoads;
    this.#now = now;
  }

  async read(): Promise<Reading> {
    this.#library ??= this.#load();
    if (!this.#isOpen) await this.#library.open();
    this.#isOpen = true;
    const before = this.#samples;
    this.#samples = new Map();
    try {
      return await this.#readAll(this.#library, before);
    } catch (error) {
      this.letGo(); // a GPU that fell off the bus makes all handles useless
      throw error;
    }
  }

  async #readAll(nvml: Nvml, before: Map<string, Sample>): Promise<Reading> {
    const gpus: GpuReading[] = [];
    const processes: GpuProcess[] = [];
    try {
      for (const device of await nvml.devices()) {
        gpus.push(...(await this.#readDevice(nvml, device, before)));
        for (const { pid, bytes } of nvml.processes(device)) processes.push({ pid, memoryMiB: mib(bytes) });
      }
    } finally {
      for (const { handle } of before.values()) nvml.freeSample(handle);
    }
    return { gpus, processes };
  }

  letGo(): void {
    if (!this.#isOpen || this.#library === undefined) return;
    for (const { handle } of this.#samples.values()) this.#library.freeSample(handle);
    this.#samples = new Map();
    this.#library.close();
    this.#isOpen = false;
  }

  async #readDevice(nvml: Nvml, device: Handle, before: Map<string, Sample>): Promise<GpuReading[]> {
    const gpuUuid = nvml.uuid(device);
    if (gpuUuid === undefined) return [];
    const common = commonMetrics(nvml, device);
    const canSample = nvml.canSample(device);
    if (nvml.isCut(device)) {
      const fullLoads = canSample ? await this.#fullLoads.all() : new Map<string, FullLoad>();
      const instances = nvml.instances(device).flatMap((instance): GpuReading[] => {
        const [uuid, number] = [nvml.uuid(instance), nvml.gpuInstance(instance)];
        if (uuid === undefined || number === undefined) return [];
        const sampled = canSample ? this.#sampled(nvml, uuid, before, device, number) : {};
        const full = fullLoads.get(uuid);
        const activity = full === undefined ? sampled : ofFullLoad(sampled, full);
        const source = full === undefined && canSample ? { source: "nvml-raw" as const } : {};
        return [{ gpuUuid, instance: uuid, ...source, metrics: { ...usedMemory(nvml, instance), ...activity } }];
      });
      return [{ gpuUuid, metrics: common }, ...instances];
    }
    const activity = canSample ? this.#sampled(nvml, gpuUuid, before, device) : await plainActivity(nvml, device);
    const encoder = nvml.encoder(device);
    const own = { ...usedMemory(nvml, device), ...activity, ...common };
    return [{ gpuUuid, metrics: { ...own, ...(encoder !== undefined && { encoderActive: share(encoder) }) } }];
  }

  /** Takes a sample, and compares it with the one before. The first of a GPU tells nothing yet. */
  #sampled(nvml: Nvml, uuid: string, before: Map<string, Sample>, device: Handle, gpuInstance?: number): GpuMetrics {
    const last = before.get(uuid);
    if (last !== undefined && this.#now() - last.at < apartMsMin) {
      before.delete(uuid);
      this.#samples.set(uuid, last);
      return {};
    }
    const handle = nvml.newSample();
    if (handle === undefined) return {};
    if (!nvml.take(handle, device, gpuInstance)) {
      nvml.freeSample(handle);
      return {};
    }
    this.#samples.set(uuid, { handle, at: this.#now() });
    return last === undefined ? {} : activityIn(nvml.between(last.handle, handle, metrics));
  }
}

/** The share of the instance's own multiprocessors, where the driver counts all those of its slots. */
function ofFullLoad(metrics: GpuMetrics, { multiprocessors, dividedBy }: FullLoad): GpuMetrics {
  const { smActive } = metrics;
  if (smActive === undefined) return metrics;
  return { ...metrics, smActive: share((smActive / 100) * (dividedBy / multiprocessors)) };
}

/** What a GPU has as a whole, also where it is cut. */
function commonMetrics(nvml: Nvml, device: Handle): GpuMetrics {
  const reserved = nvml.memory(device)?.reserved;
  return known({
    memoryReservedMiB: reserved === undefined ? undefined : mib(reserved),
    powerMilliwatts: nvml.milliwatts(device),
    energyMillijoules: nvml.millijoules(device),
    temperatureCelsius: nvml.celsius(device),
    smClockMhz: nvml.clockMhz(device, "sm"),
    memoryClockMhz: nvml.clockMhz(device, "memory"),
    throttleReasons: nvml.throttleReasons(device),
  });
}

function usedMemory(nvml: Nvml, device: Handle): GpuMetrics {
  const used = nvml.memory(device)?.used;
  return used === undefined ? {} : { memoryUsedMiB: mib(used) };
}

/** Where the hardware cannot be sampled: the share of time in which anything ran. */
async function plainActivity(nvml: Nvml, device: Handle): Promise<GpuMetrics> {
  const rates = nvml.utilization(device);
  return known({
    smActive: rates === undefined ? undefined : share(rates.gpu),
    memoryActive: rates === undefined ? undefined : share(rates.memory),
    pcieSent: await nvml.pcie(device, "sent"),
    pcieReceived: await nvml.pcie(device, "received"),
  });
}

function activityIn(values: ReadonlyMap<number, number>): GpuMetrics {
  const percent = (metric: number) => {
    const value = values.get(metric);
    return value === undefined ? undefined : share(value);
  };
  const bytes = (metric: number) => {
    const value = values.get(metric);
    return value === undefined ? undefined : Math.max(0, Math.round(value * mebibyte));
  };
  return known({
    smActive: percent(gpm.sm),
    tensorActive: percent(gpm.tensor),
    memoryActive: percent(gpm.memory),
    pcieSent: bytes(gpm.pcieSent),
    pcieReceived: bytes(gpm.pcieReceived),
    nvlinkSent: bytes(gpm.nvlinkSent),
    nvlinkReceived: bytes(gpm.nvlinkReceived),
  });
}

/** Without what is not known. */
function known(values: { readonly [Name in keyof GpuMetrics]: number | undefined }): GpuMetrics {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

function share(percent: number): number {
  return Math.round(100 * Math.min(100, Math.max(0, percent)));
}

function mib(bytes: number): number {
  return Math.round(bytes / mebibyte);
}
