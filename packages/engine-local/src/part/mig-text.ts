/** A GPU instance as `nvidia-smi mig -lgi` lists it. */
export interface GpuInstance {
  readonly gi: number;
  readonly profile: string;
  /** Its first memory slice, and how many it has. */
  readonly start: number;
  readonly size: number;
}

/** Column widths differ between drivers, so rows are read by words and never cut by position. */
export function parseGpuInstances(text: string): GpuInstance[] {
  return [...text.matchAll(/^\|\s+\d+\s+MIG (\S+)\s+\d+\s+(\d+)\s+(\d+):(\d+)\s+\|$/gm)].map(
    ([, profile = "", gi, start, size]) => ({ gi: Number(gi), profile, start: Number(start), size: Number(size) }),
  );
}

/** The GPU instances that have a compute instance, as `nvidia-smi mig -lci` lists them, each with the id of that. */
export function parseComputeInstances(text: string): { readonly gi: number; readonly ci: number }[] {
  return [...text.matchAll(/^\|\s+\d+\s+(\d+)\s+MIG \S+\s+\d+\s+(\d+)\s+\d+:\d+\s+\|$/gm)].map(([, gi, ci]) => ({
    gi: Number(gi),
    ci: Number(ci),
  }));
}

/** The MIG devices of one GPU as `nvidia-smi -L` lists them: their uuids by index. */
export function parseMigUuids(text: string, gpu: string): ReadonlyMap<number, string> {
  const found = new Map<number, string>();
  let here = false;
  for (const line of text.split("\n")) {
    const device = /^GPU \d+: .+ \(UUID: (GPU-[0-9a-f-]+)\)$/.exec(line);
    if (device !== null) here = device[1] === gpu;
    const mig = /^\s+MIG \S+\s+Device\s+(\d+): \(UUID: (MIG-[0-9a-zA-Z/-]+)\)$/.exec(line);
    if (here && mig !== null) found.set(Number(mig[1]), mig[2]!);
  }
  return found;
}

/** The MIG devices of one GPU in `nvidia-smi -q -x`: which index has which instance. */
export function parseMigDevices(xml: string): { readonly index: number; readonly gi: number; readonly ci: number }[] {
  const devices = /<mig_devices>([\s\S]*?)<\/mig_devices>/.exec(xml)?.[1] ?? "";
  return [...devices.matchAll(/<mig_device>([\s\S]*?)<\/mig_device>/g)].map(([, block = ""]) => {
    const numberIn = (name: string) => Number(new RegExp(`<${name}>\\s*(\\d+)\\s*<`).exec(block)?.[1] ?? Number.NaN);
    return { index: numberIn("index"), gi: numberIn("gpu_instance_id"), ci: numberIn("compute_instance_id") };
  });
}

/** The MIG mode of one GPU, from `--query-gpu=mig.mode.current,mig.mode.pending`. `none` = it has no MIG. */
export function parseMigMode(text: string): "on" | "off" | "pending" | "none" {
  const [current = "", pending = ""] = text.trim().split(/\s*,\s*/);
  if (!/^(Enabled|Disabled)$/.test(current)) return "none";
  if (/^(Enabled|Disabled)$/.test(pending) && pending !== current) return "pending";
  return current === "Enabled" ? "on" : "off";
}
