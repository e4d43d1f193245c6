import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { FullLoad } from "../../part/full-load.ts";
import { gpm, type Handle, type Nvml } from "./library.ts";
import { NvmlSource } from "./source.ts";

/** Two GPUs of which the second is cut in two; each sample remembers of what it was taken. */
class FakeNvml implements Nvml {
  opened = 0;
  lost = false;
  gpm = true;
  /** Of each device or GPU instance: what GPM would say. */
  readonly activity = new Map<string, number>();
  readonly samples = new Map<Handle, string>();
  #last = 100n;

  async open(): Promise<void> {
    this.opened += 1;
  }
  close(): void {
    assert.equal(this.samples.size, 0, "samples are freed before the library is closed");
    this.opened -= 1;
  }
  async devices(): Promise<readonly Handle[]> {
    if (this.lost) throw new Error("nvmlDeviceGetCount_v2 answered 15");
    return [1n, 2n];
  }
  uuid(device: Handle): string {
    return device < 10n ? `GPU-${device}` : `MIG-${device}`;
  }
  memory(device: Handle) {
    return device === 21n ? undefined : { used: Number(device) * 2 ** 20, reserved: 600 * 2 ** 20 };
  }
  milliwatts = () => 100_000;
  millijoules = () => 5;
  celsius = () => 40;
  clockMhz = (_device: Handle, of: "sm" | "memory") => (of === "sm" ? 1_980 : 3_201);
  throttleReasons = () => undefined;
  utilization = () => ({ gpu: 97, memory: 30 });
  encoder = (device: Handle) => (device === 1n ? 0 : undefined);
  pcie = async (_device: Handle, way: "sent" | "received") => (way === "sent" ? 1_024 : undefined);
  processes = (device: Handle) => (device === 1n ? [{ pid: 7, bytes: 3 * 2 ** 20 }] : []);
  isCut = (device: Handle) => device === 2n;
  instances = () => [20n, 21n];
  gpuInstance = (instance: Handle) => Number(instance) - 13;
  canSample = () => this.gpm;
  newSample(): Handle {
    this.#last += 1n;
    this.samples.set(this.#last, "");
    return this.#last;
  }
  freeSample(sample: Handle): void {
    assert.ok(this.samples.delete(sample), "a sample is freed once");
  }
  take(sample: Handle, device: Handle, gpuInstance?: number): boolean {
    this.samples.set(sample, `${device}/${gpuInstance}`);
    return true;
  }
  between(from: Handle, to: Handle): ReadonlyMap<number, number> {
    const of = this.samples.get(to)!;
    assert.equal(this.samples.get(from), of, "samples of one device are compared");
    return new Map([
      [gpm.sm, this.activity.get(of) ?? 0],
      [gpm.memory, 200],
      [gpm.pcieSent, 2],
    ]);
  }
}

function open() {
  const nvml = new FakeNvml();
  const time = { now: 0 };
  const fullLoads = new Map<string, FullLoad>();
  const source = new NvmlSource(
    () => nvml,
    { all: async () => fullLoads },
    () => time.now,
  );
  const read = async (ms: number) => {
    time.now += ms;
    return (await source.read()).gpus;
  };
  return { nvml, source, read, fullLoads };
}

describe("NVML", () => {
  it("tells what each GPU and each instance did between two readings, and nothing after one", async () => {
    const { nvml, read } = open();
    const first = await read(0);
    assert.deepEqual(
      first.map(({ gpuUuid, instance, metrics }) => [gpuUuid, instance, metrics.smActive]),
      [
        ["GPU-1", undefined, undefined],
        ["GPU-2", undefined, undefined],
        ["GPU-2", "MIG-20", undefined],
        ["GPU-2", "MIG-21", undefined],
      ],
    );
    nvml.activity.set("1/undefined", 96.5).set("2/7", 50.25);
    const [whole, cut, one, other] = await read(1_000);
    assert.deepEqual(whole!.metrics, {
      ...{ memoryUsedMiB: 1, smActive: 9_650, memoryActive: 10_000, pcieSent: 2 * 2 ** 20, memoryReservedMiB: 600 },
      ...{ powerMilliwatts: 100_000, energyMillijoules: 5, temperatureCelsius: 40, smClockMhz: 1_980 },
      ...{ memoryClockMhz: 3_201, encoderActive: 0 },
    });
    assert.equal(cut!.metrics.smActive, undefined, "activity of a GPU that is cut belongs to its instances");
    assert.deepEqual(one!.metrics, { memoryUsedMiB: 20, smActive: 5_025, memoryActive: 10_000, pcieSent: 2 * 2 ** 20 });
    assert.deepEqual([other!.metrics.smActive, other!.metrics.memoryUsedMiB], [0, undefined]);
    assert.equal(nvml.samples.size, 3, "one of each is kept for the next reading");
  });

  it("compares an instance with its own full load, and says so where that is not known", async () => {
    const { nvml, read, fullLoads } = open();
    fullLoads.set("MIG-20", { multiprocessors: 60, dividedBy: 66 });
    await read(0);
    for (const [seen, told] of [
      [90.77, 9_985],
      [45.4, 4_994],
      [99, 10_000],
      [0, 0],
    ] as const) {
      nvml.activity.set("2/7", seen).set("2/8", seen);
      const [, , known, raw] = await read(1_000);
      assert.deepEqual([known!.metrics.smActive, known!.source], [told, undefined]);
      assert.deepEqual([raw!.metrics.smActive, raw!.source], [Math.round(seen * 100), "nvml-raw"]);
    }
  });

  it("keeps the older sample while the next comes too soon", async () => {
    const { read, nvml } = open();
    await read(0);
    assert.equal((await read(50))[0]!.metrics.smActive, undefined);
    assert.equal((await read(60))[0]!.metrics.smActive, 0);
    assert.equal(nvml.samples.size, 3);
  });

  it("uses plain rates where the hardware cannot be sampled, and has none of instances", async () => {
    const { nvml, read } = open();
    nvml.gpm = false;
    const [whole, , one] = await read(0);
    const { smActive, memoryActive, pcieSent, pcieReceived } = whole!.metrics;
    assert.deepEqual([smActive, memoryActive, pcieSent, pcieReceived], [9_700, 3_000, 1_024, undefined]);
    assert.deepEqual(one!.metrics, { memoryUsedMiB: 20 });
  });

  it("lets go of everything when told, and when a GPU is lost, and takes it up again", async () => {
    const { nvml, source, read } = open();
    await read(0);
    assert.equal(nvml.opened, 1);
    source.letGo();
    source.letGo();
    assert.equal(nvml.opened, 0);
    await read(1_000);
    nvml.lost = true;
    await assert.rejects(read(1_000), /answered 15/);
    assert.deepEqual([nvml.opened, nvml.samples.size], [0, 0]);
    nvml.lost = false;
    assert.equal((await read(1_000))[0]!.metrics.smActive, undefined);
    assert.equal((await read(1_000))[0]!.metrics.smActive, 0);
    assert.equal(nvml.opened, 1);
  });

  it("names processes with the memory they hold", async () => {
    assert.deepEqual((await open().source.read()).processes, [{ pid: 7, memoryMiB: 3 }]);
  });
});
