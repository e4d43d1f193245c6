import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createWhole } from "../lease/durable.ts";
import { readIfThere } from "../lease/folder.ts";
import { standardPath } from "../supervise/job.ts";
import { type Scrubber, ScrubFailed } from "./scrub.ts";

const program = fileURLToPath(new URL("../../probe/canary.py", import.meta.url));

/** Reading samples of the largest GPU takes a second or two. */
const probeMsMax = 60_000;

/** A look at memory with the CUDA driver, where that and Python are there. Needs no other program of a tenant or of ours. */
export function canaryProbe(folder: string, asRoot = process.getuid?.() === 0): Scrubber {
  return {
    async plant(gpu, device) {
      if (asRoot) await probe("plant", device, await patternOf(folder, gpu));
    },
    async look(gpu, device) {
      if (!asRoot) return "memory not looked at: that needs root";
      const answer = await probe("look", device, await patternOf(folder, gpu));
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

/** What the probe found, or why it could not look. */
function probe(act: "plant" | "look", device: string, pattern: string): Promise<Found | string> {
  const env = { PATH: standardPath, CUDA_VISIBLE_DEVICES: device };
  return new Promise((resolve) => {
    execFile("python3", ["-I", "-S", program, act, pattern], { env, timeout: probeMsMax }, (error, stdout, stderr) => {
      if (error === null) return resolve(JSON.parse(stdout) as Found);
      const missing = error.code === "ENOENT" ? "python3 is not here" : undefined;
      resolve(missing ?? (stderr.trim().split("\n").at(-1)?.slice(0, 200) || error.message.slice(0, 200)));
    });
  });
}
