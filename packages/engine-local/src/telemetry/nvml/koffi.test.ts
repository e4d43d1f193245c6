import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it } from "node:test";
import { loadNvml } from "./koffi.ts";
import { gpm } from "./library.ts";
import { NvmlSource } from "./source.ts";

/** Functions with the signatures and structures of the driver's library: the compiler lays them out, not we. */
const library = `
#include <string.h>
typedef struct device *Device;
typedef struct sample { double seconds; unsigned instance; } *Sample;
typedef struct { unsigned version; unsigned long long total, reserved, free, used; } Memory;
typedef struct { unsigned pid; unsigned long long used; unsigned gpu_instance, compute_instance; } Process;
typedef struct { unsigned gpu, memory; } Rates;
typedef struct { unsigned version, supported; } Support;
typedef struct { unsigned id; int code; double value; struct { char *a, *b, *c; } info; } Metric;
typedef struct { unsigned version, count; Sample from, to; Metric metrics[333]; } Metrics;

static struct sample samples[16];
static int taken, open;
static Device whole = (Device)0x7f0000001000, instance = (Device)0x7f0000002000;

int nvmlInit_v2(void) { open++; return 0; }
int nvmlShutdown(void) { open--; return 0; }
int nvmlDeviceGetCount_v2(unsigned *count) { if (!open) return 1; *count = 1; return 0; }
int nvmlDeviceGetHandleByIndex_v2(unsigned i, Device *device) { if (i) return 2; *device = whole; return 0; }
int nvmlDeviceGetUUID(Device device, char *text, unsigned length) {
  if (length < 96) return 7;
  strcpy(text, device == whole ? "GPU-1" : "MIG-1");
  return 0;
}
int nvmlDeviceGetMemoryInfo_v2(Device device, Memory *memory) {
  if (memory->version != (sizeof(Memory) | (2 << 24))) return 25;
  memory->total = 143771ULL << 20; memory->reserved = 616ULL << 20;
  memory->used = (device == whole ? 97ULL : 44ULL) << 20;
  return 0;
}
int nvmlDeviceGetPowerUsage(Device device, unsigned *milliwatts) { if (device != whole) return 3; *milliwatts = 118400; return 0; }
int nvmlDeviceGetTotalEnergyConsumption(Device device, unsigned long long *millijoules) { *millijoules = 1234567890123ULL; return 0; }
int nvmlDeviceGetTemperature(Device device, int sensor, unsigned *celsius) { if (sensor) return 2; *celsius = 35; return 0; }
int nvmlDeviceGetClockInfo(Device device, int type, unsigned *mhz) { *mhz = type == 1 ? 345 : type == 2 ? 3201 : 0; return 0; }
int nvmlDeviceGetCurrentClocksThrottleReasons(Device device, unsigned long long *bits) { *bits = 1; return 0; }
int nvmlDeviceGetPcieThroughput(Device device, int way, unsigned *kilobytes) { *kilobytes = way ? 20 : 10; return 0; }
int nvmlDeviceGetUtilizationRates(Device device, Rates *rates) { rates->gpu = 98; rates->memory = 41; return 0; }
int nvmlDeviceGetEncoderUtilization(Device device, unsigned *percent, unsigned *period) { *percent = 12; *period = 167000; return 0; }
int nvmlDeviceGetComputeRunningProcesses_v3(Device device, unsigned *count, Process *found) {
  if (*count < 2) return 7;
  *count = 2;
  found[0] = (Process){4711, 45056ULL << 20, 1, 0};
  found[1] = (Process){4712, ~0ULL, 1, 0};
  return 0;
}
int nvmlDeviceGetMigMode(Device device, unsigned *current, unsigned *pending) { *current = 1; *pending = 1; return 0; }
int nvmlDeviceGetMaxMigDeviceCount(Device device, unsigned *count) { *count = 7; return 0; }
int nvmlDeviceGetMigDeviceHandleByIndex(Device device, unsigned i, Device *found) { if (i) return 6; *found = instance; return 0; }
int nvmlDeviceGetGpuInstanceId(Device device, unsigned *id) { *id = 5; return 0; }
int nvmlGpmQueryDeviceSupport(Device device, Support *support) { if (support->version != 1) return 25; support->supported = 1; return 0; }
int nvmlGpmSampleAlloc(Sample *sample) { *sample = &samples[taken % 16]; return 0; }
int nvmlGpmSampleFree(Sample sample) { return sample ? 0 : 2; }
int nvmlGpmMigSampleGet(Device device, unsigned id, Sample sample) {
  if (device != whole) return 2;
  sample->seconds = ++taken; sample->instance = id;
  return 0;
}
int nvmlGpmMetricsGet(Metrics *ask) {
  if (ask->version != 1 || ask->from->instance != 5) return 25;
  for (unsigned i = 0; i < ask->count; i++) {
    ask->metrics[i].code = ask->metrics[i].id == 61 ? 3 : 0;
    ask->metrics[i].value = ask->metrics[i].id + (ask->to->seconds - ask->from->seconds) / 4;
    ask->metrics[i].info.c = "%";
  }
  return 0;
}
`;

const skip =
  (process.platform !== "linux" && "only on Linux") ||
  (spawnSync("cc", ["--version"]).status !== 0 && "there is no C compiler here");

it("calls the driver's library as C does", { skip }, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "tessera-nvml-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, "nvml.c"), library);
  const built = join(folder, "libnvidia-ml.so.1");
  execFileSync("cc", ["-shared", "-fPIC", "-o", built, join(folder, "nvml.c")]);
  assert.ok(existsSync(built));
  const nvml = loadNvml([join(folder, "absent.so"), built]);
  await assert.rejects(nvml.devices(), /nvmlDeviceGetCount_v2 answered 1/, "not open yet");

  let now = 0;
  const source = new NvmlSource(
    () => nvml,
    { all: async () => new Map() },
    () => now,
  );
  await source.read();
  now = 1_000;
  const { gpus, processes } = await source.read();
  assert.deepEqual(gpus, [
    {
      gpuUuid: "GPU-1",
      metrics: {
        memoryReservedMiB: 616,
        powerMilliwatts: 118_400,
        energyMillijoules: 1_234_567_890_123,
        temperatureCelsius: 35,
        smClockMhz: 345,
        memoryClockMhz: 3_201,
        throttleReasons: 1,
      },
    },
    {
      gpuUuid: "GPU-1",
      instance: "MIG-1",
      source: "nvml-raw",
      metrics: {
        memoryUsedMiB: 44,
        smActive: 225,
        tensorActive: 525,
        memoryActive: 1_025,
        pcieSent: 20.25 * 2 ** 20,
        pcieReceived: 21.25 * 2 ** 20,
        nvlinkReceived: 60.25 * 2 ** 20,
      },
    },
  ]);
  assert.deepEqual(processes, [{ pid: 4_711, memoryMiB: 45_056 }]);
  const [device] = await nvml.devices();
  assert.deepEqual(nvml.utilization(device!), { gpu: 98, memory: 41 });
  assert.equal(nvml.encoder(device!), 12);
  assert.equal(await nvml.pcie(device!, "received"), 20_480);
  assert.equal(nvml.take(device!, device!), false, "a function that this library lacks");
  source.letGo();
  await assert.rejects(nvml.devices(), /answered 1/, "closed");
  assert.equal(gpm.sm, 2);
});

it("is not loaded where there is no driver", { skip: existsSync("/dev/nvidiactl") && "there is one here" }, () => {
  assert.throws(() => loadNvml(), /libnvidia-ml.so.1 cannot be loaded/);
});
