import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parseDcgm } from "./dcgm.ts";

const labels = (gpu: number, more = "") =>
  `gpu="${gpu}",UUID="GPU-${gpu}",pci_bus_id="00000000:0F:00.0",device="nvidia${gpu}",modelName="NVIDIA H100 80GB HBM3"${more},hostname="node1",DCGM_FI_DRIVER_VERSION="580.95"`;

const old = `# HELP DCGM_FI_DEV_SM_CLOCK SM clock frequency (in MHz).
# TYPE DCGM_FI_DEV_SM_CLOCK gauge
DCGM_FI_DEV_SM_CLOCK{${labels(0)}} 1980
DCGM_FI_DEV_MEM_CLOCK{${labels(0)}} 2619
DCGM_FI_DEV_GPU_TEMP{${labels(0)}} 61
DCGM_FI_DEV_MEMORY_TEMP{${labels(0)}} 9223372036854775794
DCGM_FI_DEV_POWER_USAGE{${labels(0)}} 641.327000
DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION{${labels(0)}} 2212883470523
DCGM_FI_DEV_GPU_UTIL{${labels(0)}} 100
DCGM_FI_DEV_MEM_COPY_UTIL{${labels(0)}} 55
DCGM_FI_DEV_ENC_UTIL{${labels(0)}} 0
DCGM_FI_DEV_FB_USED{${labels(0)}} 71424
DCGM_FI_DEV_FB_RESERVED{${labels(0)}} 551
DCGM_FI_DEV_CLOCK_THROTTLE_REASONS{${labels(0)}} 4
DCGM_FI_PROF_SM_ACTIVE{${labels(0)}} 0.964512
DCGM_FI_PROF_PIPE_TENSOR_ACTIVE{${labels(0)}} 0.936
DCGM_FI_PROF_DRAM_ACTIVE{${labels(0)}} 140737488355328.000000
DCGM_FI_PROF_PCIE_TX_BYTES{${labels(0)}} 1234567
DCGM_FI_DEV_XID_ERRORS{${labels(0)}} 0
`;

describe("DCGM exporter", () => {
  it("is read into our units, without what it does not know", () => {
    assert.deepEqual(parseDcgm(old), [
      {
        gpuUuid: "GPU-0",
        metrics: {
          smActive: 9_645,
          tensorActive: 9_360,
          memoryActive: 5_500,
          memoryUsedMiB: 71_424,
          pcieSent: 1_234_567,
          encoderActive: 0,
          memoryReservedMiB: 551,
          powerMilliwatts: 641_327,
          energyMillijoules: 2_212_883_470_523,
          temperatureCelsius: 61,
          smClockMhz: 1_980,
          memoryClockMhz: 2_619,
          throttleReasons: 4,
        },
      },
    ]);
  });

  it("is understood by the newer names too", () => {
    const text = `DCGM_FI_PROF_SM_UTIL_RATIO{${labels(1)}} 0.5
DCGM_FI_PROF_TENSOR_UTIL_RATIO{${labels(1)}} 0.25
DCGM_FI_PROF_DRAM_UTIL_RATIO{${labels(1)}} 0.125
DCGM_FI_DEV_BOARD_POWER_WATTS{${labels(1)}} 350
DCGM_FI_DEV_GPU_TEMP_CELSIUS{${labels(1)}} 50
DCGM_FI_DEV_CLOCKS_EVENT_REASONS{${labels(1)}} 2147483632
DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION{${labels(1)}} 9223372036854775792
`;
    assert.deepEqual(parseDcgm(text)[0]?.metrics, {
      ...{ smActive: 5_000, tensorActive: 2_500, memoryActive: 1_250 },
      ...{ powerMilliwatts: 350_000, temperatureCelsius: 50 },
    });
  });

  it("keeps instances apart from their GPU, and at most whole", () => {
    const mig = (id: number) => labels(2, `,GPU_I_PROFILE="1g.10gb",GPU_I_ID="${id}"`);
    const text = `DCGM_FI_DEV_POWER_USAGE{${mig(7)}} 120
DCGM_FI_DEV_POWER_USAGE{${mig(8)}} 120
DCGM_FI_PROF_SM_ACTIVE{${mig(7)}} 1.0731
DCGM_FI_PROF_SM_ACTIVE{${mig(8)}} 0
DCGM_FI_DEV_FB_USED{${mig(7)}} 9000
`;
    assert.deepEqual(parseDcgm(text), [
      { gpuUuid: "GPU-2", metrics: { powerMilliwatts: 120_000 } },
      { gpuUuid: "GPU-2", gpuInstance: 7, metrics: { smActive: 10_000, memoryUsedMiB: 9_000 } },
      { gpuUuid: "GPU-2", gpuInstance: 8, metrics: { smActive: 0 } },
    ]);
  });

  it("names the pod, in the old words as well", () => {
    const text = `DCGM_FI_DEV_GPU_UTIL{${labels(0)},container="c",namespace="ns",pod="p"} 93
DCGM_FI_DEV_GPU_UTIL{${labels(1)},container_name="c",pod_namespace="ns",pod_name="q"} 3
DCGM_FI_DEV_GPU_UTIL{${labels(2)},container="",namespace="",pod=""} 0
`;
    assert.deepEqual(
      parseDcgm(text).map(({ pod, metrics }) => [pod?.name, metrics.smActive]),
      [
        ["p", 9_300],
        ["q", 300],
        [undefined, 0],
      ],
    );
  });

  it("tells nothing of what is no exporter", () => {
    assert.deepEqual(parseDcgm("<html>not found</html>"), []);
  });
});
