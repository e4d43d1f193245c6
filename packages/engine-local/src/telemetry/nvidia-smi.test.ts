import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { NvidiaSmi, parseGpus, parseProcesses } from "./nvidia-smi.ts";

const h200 = "GPU-7e5c2f8d-0000-0000-0000-000000000001";
const busy = `${h200}, Disabled, 0x0000000000000004, 98, 41, 0, 71424, 616, 694.21, 61, 1965, 3201\n`;

describe("nvidia-smi", () => {
  it("is read into our units", () => {
    assert.deepEqual(parseGpus(busy), [
      {
        gpuUuid: h200,
        metrics: {
          smActive: 9_800,
          memoryActive: 4_100,
          encoderActive: 0,
          memoryUsedMiB: 71_424,
          memoryReservedMiB: 616,
          powerMilliwatts: 694_210,
          temperatureCelsius: 61,
          smClockMhz: 1_965,
          memoryClockMhz: 3_201,
          throttleReasons: 4,
        },
      },
    ]);
  });

  it("[S35] leaves out what it does not know, instead of calling it 0", () => {
    const lost = `${h200}, [N/A], [N/A], [N/A], [Not Supported], N/A, 12, [Unknown Error], [GPU is lost], 40, , 3201\n`;
    assert.deepEqual(parseGpus(lost)[0]?.metrics, { memoryUsedMiB: 12, temperatureCelsius: 40, memoryClockMhz: 3_201 });
  });

  it("tells of a GPU that is cut only what its instances have in common", () => {
    const cut = `${h200}, Enabled, 0x0000000000000001, [N/A], [N/A], [N/A], 97, 616, 118.40, 35, 345, 3201\n`;
    assert.deepEqual(parseGpus(cut)[0]?.metrics, {
      memoryReservedMiB: 616,
      powerMilliwatts: 118_400,
      temperatureCelsius: 35,
      smClockMhz: 345,
      memoryClockMhz: 3_201,
      throttleReasons: 1,
    });
  });

  it("reads processes, and nothing where there are none", () => {
    assert.deepEqual(parseProcesses("4711, 45056\n4712, [N/A]\n"), [{ pid: 4_711, memoryMiB: 45_056 }]);
    assert.deepEqual(parseProcesses(""), []);
  });

  it("asks older drivers by the names that they know", async () => {
    const asked: string[] = [];
    const old = new NvidiaSmi(async ([query = ""]) => {
      asked.push(query);
      if (query.includes("clocks_event_reasons"))
        throw new Error('Field "clocks_event_reasons.active" is not a valid field');
      return query.startsWith("--query-gpu") ? busy : "";
    });
    for (let i = 0; i < 2; i++) assert.equal((await old.read()).gpus[0]?.metrics.throttleReasons, 4);
    assert.equal(asked.filter((query) => query.includes("clocks_event_reasons")).length, 1);
  });

  it("fails when the driver does not answer", async () => {
    const dead = new NvidiaSmi(async () => {
      throw new Error("Unable to determine the device handle");
    });
    await assert.rejects(dead.read(), /device handle/);
  });
});
