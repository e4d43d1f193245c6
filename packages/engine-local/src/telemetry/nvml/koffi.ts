import { createRequire } from "node:module";
import { join } from "node:path";
import type { Handle, Nvml, NvmlProcess } from "./library.ts";

/** A function of the library: all of those we use answer with a code. */
interface Call {
  (...args: readonly unknown[]): number;
  async(...args: readonly [...unknown[], (error: unknown, code: number) => void]): void;
}

/** The little of `koffi` that is used: handles are passed as numbers and structures as bytes, laid out below. */
interface Koffi {
  load(path: string): { func(name: string, result: string, args: readonly string[]): Call };
}

const handle = "uintptr_t";
const pointer = "void *";
const number = "uint32_t";

/** Signatures in nvml.h; an enum and an unsigned int are the same here. */
const signatures = {
  nvmlInit_v2: [],
  nvmlShutdown: [],
  nvmlDeviceGetCount_v2: [pointer],
  nvmlDeviceGetHandleByIndex_v2: [number, pointer],
  nvmlDeviceGetUUID: [handle, pointer, number],
  nvmlDeviceGetMemoryInfo_v2: [handle, pointer],
  nvmlDeviceGetPowerUsage: [handle, pointer],
  nvmlDeviceGetTotalEnergyConsumption: [handle, pointer],
  nvmlDeviceGetTemperature: [handle, number, pointer],
  nvmlDeviceGetClockInfo: [handle, number, pointer],
  nvmlDeviceGetCurrentClocksEventReasons: [handle, pointer],
  nvmlDeviceGetCurrentClocksThrottleReasons: [handle, pointer],
  nvmlDeviceGetUtilizationRates: [handle, pointer],
  nvmlDeviceGetEncoderUtilization: [handle, pointer, pointer],
  nvmlDeviceGetPcieThroughput: [handle, number, pointer],
  nvmlDeviceGetComputeRunningProcesses_v3: [handle, pointer, pointer],
  nvmlDeviceGetMigMode: [handle, pointer, pointer],
  nvmlDeviceGetMaxMigDeviceCount: [handle, pointer],
  nvmlDeviceGetMigDeviceHandleByIndex: [handle, number, pointer],
  nvmlDeviceGetGpuInstanceId: [handle, pointer],
  nvmlGpmQueryDeviceSupport: [handle, pointer],
  nvmlGpmSampleAlloc: [pointer],
  nvmlGpmSampleFree: [handle],
  nvmlGpmSampleGet: [handle, handle],
  nvmlGpmMigSampleGet: [handle, number, handle],
  nvmlGpmMetricsGet: [pointer],
} as const;
type Name = keyof typeof signatures;

const [success, noFunction] = [0, 13];
const uuidBytes = 96;
/** nvmlMemory_v2_t: version, then total, reserved, free and used, of eight bytes each. */
const memoryBytes = 40;
const memoryVersion = memoryBytes | (2 << 24);
/** nvmlProcessInfo_t: pid, bytes used, GPU instance and compute instance. */
const processBytes = 24;
const processesMax = 1_024;
const notKnown = 0xffff_ffff_ffff_ffffn;
/** nvmlGpmMetricsGet_t: version, count and two samples, then metrics: number, code, value and three texts. */
const metricsHeadBytes = 24;
const metricBytes = 40;
/** The library may write to as many metrics as its own version knows. */
const metricsMax = 512;

const libraryName = "libnvidia-ml.so.1";
/** Where drivers put it that the loader does not know of: container runtimes, NixOS, WSL. */
const otherFolders = ["/usr/local/nvidia/lib64", "/run/opengl-driver/lib", "/usr/lib/wsl/lib"];

/** Loads the library of the driver. Throws where there is none, or where `koffi` is not built for this machine. */
export function loadNvml(
  paths: readonly string[] = [libraryName, ...otherFolders.map((folder) => join(folder, libraryName))],
): KoffiNvml {
  const koffi: Koffi = createRequire(import.meta.url)(`@koromix/koffi-linux-${process.arch}`);
  const faults: unknown[] = [];
  for (const path of paths) {
    try {
      return new KoffiNvml(koffi.load(path));
    } catch (error) {
      faults.push(error);
    }
  }
  throw new AggregateError(faults, `${libraryName} cannot be loaded`);
}

export class KoffiNvml implements Nvml {
  readonly #library: ReturnType<Koffi["load"]>;
  readonly #calls = new Map<Name, Call | undefined>();

  constructor(library: ReturnType<Koffi["load"]>) {
    this.#library = library;
  }

  async open(): Promise<void> {
    await this.#must("nvmlInit_v2");
  }

  close(): void {
    this.code("nvmlShutdown");
  }

  async devices(): Promise<readonly Handle[]> {
    const count = Buffer.alloc(4);
    await this.#must("nvmlDeviceGetCount_v2", count);
    const found: Handle[] = [];
    for (let i = 0; i < count.readUInt32LE(); i++) {
      const device = Buffer.alloc(8);
      await this.#must("nvmlDeviceGetHandleByIndex_v2", i, device);
      found.push(device.readBigUInt64LE());
    }
    return found;
  }

  uuid(device: Handle): string | undefined {
    const text = Buffer.alloc(uuidBytes);
    if (this.code("nvmlDeviceGetUUID", device, text, uuidBytes) !== success) return undefined;
    return text.toString("latin1", 0, text.indexOf(0));
  }

  memory(device: Handle) {
    const memory = Buffer.alloc(memoryBytes);
    memory.writeUInt32LE(memoryVersion);
    if (this.code("nvmlDeviceGetMemoryInfo_v2", device, memory) !== success) return undefined;
    return { reserved: Number(memory.readBigUInt64LE(16)), used: Number(memory.readBigUInt64LE(32)) };
  }

  milliwatts(device: Handle): number | undefined {
    return this.#number("nvmlDeviceGetPowerUsage", device);
  }

  millijoules(device: Handle): number | undefined {
    return this.#long("nvmlDeviceGetTotalEnergyConsumption", device);
  }

  celsius(device: Handle): number | undefined {
    return this.#number("nvmlDeviceGetTemperature", device, 0);
  }

  clockMhz(device: Handle, of: "sm" | "memory"): number | undefined {
    return this.#number("nvmlDeviceGetClockInfo", device, of === "sm" ? 1 : 2);
  }

  throttleReasons(device: Handle): number | undefined {
    return (
      this.#long("nvmlDeviceGetCurrentClocksEventReasons", device) ??
      this.#long("nvmlDeviceGetCurrentClocksThrottleReasons", device)
    );
  }

  utilization(device: Handle) {
    const rates = Buffer.alloc(8);
    if (this.code("nvmlDeviceGetUtilizationRates", device, rates) !== success) return undefined;
    return { gpu: rates.readUInt32LE(), memory: rates.readUInt32LE(4) };
  }

  encoder(device: Handle): number | undefined {
    const [percent, period] = [Buffer.alloc(4), Buffer.alloc(4)];
    if (this.code("nvmlDeviceGetEncoderUtilization", device, percent, period) !== success) return undefined;
    return percent.readUInt32LE();
  }

  async pcie(device: Handle, way: "sent" | "received"): Promise<number | undefined> {
    const kilobytes = Buffer.alloc(4);
    const code = await this.#elsewhere("nvmlDeviceGetPcieThroughput", device, way === "sent" ? 0 : 1, kilobytes);
    return code === success ? kilobytes.readUInt32LE() * 1024 : undefined;
  }

  processes(device: Handle): readonly NvmlProcess[] {
    const count = Buffer.alloc(4);
    count.writeUInt32LE(processesMax);
    const found = Buffer.alloc(processesMax * processBytes);
    if (this.code("nvmlDeviceGetComputeRunningProcesses_v3", device, count, found) !== success) return [];
    return Array.from({ length: count.readUInt32LE() }, (_, i) => i * processBytes)
      .filter((at) => found.readBigUInt64LE(at + 8) !== notKnown)
      .map((at) => ({ pid: found.readUInt32LE(at), bytes: Number(found.readBigUInt64LE(at + 8)) }));
  }

  isCut(device: Handle): boolean {
    const [current, pending] = [Buffer.alloc(4), Buffer.alloc(4)];
    return this.code("nvmlDeviceGetMigMode", device, current, pending) === success && current.readUInt32LE() === 1;
  }

  instances(device: Handle): readonly Handle[] {
    const most = this.#number("nvmlDeviceGetMaxMigDeviceCount", device) ?? 0;
    return Array.from({ length: most }, (_, i) => {
      const instance = Buffer.alloc(8);
      const code = this.code("nvmlDeviceGetMigDeviceHandleByIndex", device, i, instance);
      return code === success ? instance.readBigUInt64LE() : undefined;
    }).filter((instance) => instance !== undefined);
  }

  gpuInstance(instance: Handle): number | undefined {
    return this.#number("nvmlDeviceGetGpuInstanceId", instance);
  }

  canSample(device: Handle): boolean {
    const support = Buffer.alloc(8);
    support.writeUInt32LE(1); // the version of the structure
    return this.code("nvmlGpmQueryDeviceSupport", device, support) === success && support.readUInt32LE(4) !== 0;
  }

  newSample(): Handle | undefined {
    const sample = Buffer.alloc(8);
    return this.code("nvmlGpmSampleAlloc", sample) === success ? sample.readBigUInt64LE() : undefined;
  }

  freeSample(sample: Handle): void {
    this.code("nvmlGpmSampleFree", sample);
  }

  take(sample: Handle, device: Handle, gpuInstance?: number): boolean {
    const code =
      gpuInstance === undefined
        ? this.code("nvmlGpmSampleGet", device, sample)
        : this.code("nvmlGpmMigSampleGet", device, gpuInstance, sample);
    return code === success;
  }

  between(from: Handle, to: Handle, metrics: readonly number[]): ReadonlyMap<number, number> {
    const ask = Buffer.alloc(metricsHeadBytes + metricsMax * metricBytes);
    ask.writeUInt32LE(1);
    ask.writeUInt32LE(metrics.length, 4);
    ask.writeBigUInt64LE(from, 8);
    ask.writeBigUInt64LE(to, 16);
    const at = (i: number) => metricsHeadBytes + i * metricBytes;
    for (const [i, metric] of metrics.entries()) ask.writeUInt32LE(metric, at(i));
    if (this.code("nvmlGpmMetricsGet", ask) !== success) return new Map();
    return new Map(
      metrics.flatMap((metric, i) => {
        const value = ask.readDoubleLE(at(i) + 8);
        const isKnown = ask.readUInt32LE(at(i) + 4) === success && Number.isFinite(value);
        return isKnown ? [[metric, value] as const] : [];
      }),
    );
  }

  /** What the library answers to a call; a function that this driver lacks answers as the library would. */
  code(name: Name, ...args: readonly (Handle | number | Buffer)[]): number {
    return this.#call(name)?.(...args) ?? noFunction;
  }

  /** In another thread: what takes long must not hold up everything else in this process. */
  #elsewhere(name: Name, ...args: readonly (Handle | number | Buffer)[]): Promise<number> {
    const call = this.#call(name);
    if (call === undefined) return Promise.resolve(noFunction);
    return new Promise((resolve, reject) => {
      call.async(...args, (error: unknown, code: number) => (error === null ? resolve(code) : reject(error)));
    });
  }

  async #must(name: Name, ...args: readonly (Handle | number | Buffer)[]): Promise<void> {
    const code = await this.#elsewhere(name, ...args);
    if (code !== success) throw new Error(`${name} answered ${code}`);
  }

  #number(name: Name, ...args: readonly (Handle | number)[]): number | undefined {
    const value = Buffer.alloc(4);
    return this.code(name, ...args, value) === success ? value.readUInt32LE() : undefined;
  }

  #long(name: Name, ...args: readonly (Handle | number)[]): number | undefined {
    const value = Buffer.alloc(8);
    return this.code(name, ...args, value) === success ? Number(value.readBigUInt64LE()) : undefined;
  }

  #call(name: Name): Call | undefined {
    if (!this.#calls.has(name)) this.#calls.set(name, this.#find(name));
    return this.#calls.get(name);
  }

  #find(name: Name): Call | undefined {
    try {
      return this.#library.func(name, "int", signatures[name]);
    } catch {
      return undefined; // an older driver
    }
  }
}
