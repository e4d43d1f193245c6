import { randomBytes } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { createWhole } from "../lease/durable.ts";
import { readIfThere } from "../lease/folder.ts";
import { runProbe } from "./probe.ts";
import { type Scrubber, ScrubFailed } from "./scrub.ts";

/** Reading samples of the largest GPU takes a second or two. */
const probeMsMax = 60_000;

/** A look at memory with the CUDA driver, where that and Python are there. Needs no other program of a tenant or of ours. */
export function canaryProbe(folder: string, asRoot = process.getuid?.() === 0): Scrubber {
  return {
    async plant(gpu, device) {
      if (asRoot) await canary(device, "plant", await patternOf(folder, gpu));
    },
    async look(gpu, device) {
      if (!asRoot) return "memory not looked at: that needs root";
      const answer = await canary(device, "look", await patternOf(folder, gpu));
      if (typeof answer === "string") return `memory not looked at: ${answer}`;
      if (answer.hits > 0) throw new ScrubFailed(`GPU ${gpu}: what the last tenant had is still in its memory`);
      return `no trace of the last tenant in ${answer.readMiB} of ${answer.totalMiB} MiB`;
    },
  };
}

/** The mark of one GPU: random, so that no tenant can know it or write it by chance. */
async function patternOf(folder: string, gpu: string): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, `${gpu}.canary`);
  await createWhole(path, randomBytes(16).toString("hex"));
  return (await readIfThere(path))!;
}

interface Found {
  readonly hits: number;
  readonly readMiB: number;
  readonly totalMiB: number;
}

function canary(device: string, act: "plant" | "look", pattern: string): Promise<Found | string> {
  return runProbe<Found>("canary.py", device, [act, pattern], probeMsMax);
}
