import { existsSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { driverFolder } from "./smi.ts";

/** The folder of device nodes that open instances, named after their minor numbers. */
export const capabilityFolder = "/dev/nvidia-caps";

/** The minor numbers of the device nodes that open one instance and its compute instance. */
export async function capabilitiesOf(
  gpuMinor: number,
  { gi, ci }: { readonly gi: number; readonly ci: number },
): Promise<number[]> {
  const folder = join(driverFolder(), "capabilities", `gpu${gpuMinor}`, "mig", `gi${gi}`);
  return Promise.all([join(folder, "access"), join(folder, `ci${ci}`, "access")].map(minorIn));
}

async function minorIn(path: string): Promise<number> {
  const text = await readFile(path, "utf8");
  const minor = /^DeviceFileMinor:\s*(\d+)$/m.exec(text)?.[1];
  if (minor === undefined) throw new Error(`${path} names no device node`);
  return Number(minor);
}

/** The major number of these device nodes; undefined where the driver is not loaded. */
export function capabilityMajor(table = "/proc/devices"): number | undefined {
  if (!existsSync(table)) return undefined;
  const major = /^\s*(\d+) nvidia-caps$/m.exec(readFileSync(table, "utf8"))?.[1];
  return major === undefined ? undefined : Number(major);
}
