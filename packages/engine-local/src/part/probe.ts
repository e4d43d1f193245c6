import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { standardPath } from "../supervise/job.ts";

/** Runs one of our probes on one device: what it found, or why it could not look. Needs Python and the driver alone. */
export function runProbe<Found>(
  name: string,
  device: string,
  words: readonly string[],
  msMax: number,
): Promise<Found | string> {
  const program = fileURLToPath(new URL(`../../probe/${name}`, import.meta.url));
  const env = { PATH: standardPath, CUDA_VISIBLE_DEVICES: device };
  return new Promise((resolve) => {
    execFile("python3", ["-I", "-S", program, ...words], { env, timeout: msMax }, (error, stdout, stderr) => {
      if (error === null) return resolve(JSON.parse(stdout) as Found);
      const missing = error.code === "ENOENT" ? "python3 is not here" : undefined;
      resolve(missing ?? (stderr.trim().split("\n").at(-1)?.slice(0, 200) || error.message.slice(0, 200)));
    });
  });
}
