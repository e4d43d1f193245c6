import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { unitsPerGpu } from "@tessera/core";
import { temporaryFolder } from "../order.fixture.ts";
import { watchMemory } from "./memory-watch.ts";
import { clientEnvironment, partMemoryMiB, threadPercentage } from "./mps/limits.ts";
import { overMemoryText, parseComputeApps, usedBy } from "./timeslice.ts";

const apps = `GPU-a, 11, 20480, /usr/bin/python, the one
GPU-a, 12, 3174, python
GPU-b, 11, 99, python
GPU-a, 13, [N/A], python
`;

describe("memory on a shared GPU", () => {
  it("is summed over the processes of a member, on its GPU", () => {
    assert.equal(usedBy(parseComputeApps(apps), "GPU-a", new Set([11, 12])), 23_654);
  });

  it("[S35] that the driver does not tell is not known, and not 0", () => {
    assert.equal(usedBy(parseComputeApps(apps), "GPU-a", new Set([13, 14])), undefined);
    assert.deepEqual(parseComputeApps("No devices were found\n"), []);
  });

  it("is told in the words of a user", () => {
    assert.equal(overMemoryText(23_654, 20_480), "used 23.1 GiB of GPU memory, asked for 20 GiB");
  });
});

describe("the limits of a part", () => {
  it("are its share of the memory, and of the threads in whole per cent", () => {
    const part = { memory: unitsPerGpu / 7, compute: unitsPerGpu / 7 };
    assert.deepEqual([partMemoryMiB(part, 143_771), threadPercentage(part)], [20_538, 14]);
    assert.equal(threadPercentage({ compute: 1 }), 1);
    assert.deepEqual(clientEnvironment("/p", { threads: 14, memoryMiB: 20_538 }), {
      CUDA_MPS_PIPE_DIRECTORY: "/p",
      CUDA_MPS_ACTIVE_THREAD_PERCENTAGE: "14",
      CUDA_MPS_PINNED_DEVICE_MEM_LIMIT: "0=20538M",
    });
  });
});

describe("the watch of a member's GPU memory", () => {
  /** Looks until it acts, or until it has asked `asksMax` times. */
  async function watched(folder: string, answer: (ask: number) => { code: number; text: string }, asksMax: number) {
    let asks = 0;
    return new Promise<number | "quiet">((resolve) => {
      const stop = watchMemory(
        {
          folder,
          smi: async () => {
            asks += 1;
            if (asks > asksMax) {
              stop();
              resolve("quiet");
            }
            return answer(asks);
          },
        },
        { gpu: "GPU-a", memoryMiB: 20_480 },
        () => [11],
        resolve,
        2,
      );
    });
  }
  const says = (used: string) => ({ code: 0, text: `GPU-a, 11, ${used}, python\nGPU-a, 12, 90000, other\n` });

  it("acts on what it uses, and on nothing that others use", async (t) => {
    assert.equal(await watched(await temporaryFolder(t), () => says("20481"), 99), 20_481);
    assert.equal(await watched(await temporaryFolder(t), () => says("20480"), 5), "quiet");
  });

  it("waits for a second look: one value may lie between an allocation and a release", async (t) => {
    const answer = (ask: number) => says(ask % 2 === 0 ? "30000" : "100");
    assert.equal(await watched(await temporaryFolder(t), answer, 6), "quiet");
  });

  it("[S35] does nothing where the driver fails or names no number", async (t) => {
    assert.equal(await watched(await temporaryFolder(t), () => ({ code: 9, text: "GPU is lost" }), 5), "quiet");
    assert.equal(await watched(await temporaryFolder(t), () => says("[N/A]"), 5), "quiet");
  });
});
