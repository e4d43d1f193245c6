import type { Nvml } from "./library.ts";

/** The uuids of all MIG instances, by `GPU-uuid/number of the GPU instance`. Opens the library for a moment. */
export async function instanceNames(nvml: Nvml): Promise<ReadonlyMap<string, string>> {
  await nvml.open();
  try {
    const names = new Map<string, string>();
    for (const device of await nvml.devices()) {
      if (!nvml.isCut(device)) continue;
      for (const instance of nvml.instances(device)) {
        const uuid = nvml.uuid(instance);
        if (uuid !== undefined) names.set(`${nvml.uuid(device)}/${nvml.gpuInstance(instance)}`, uuid);
      }
    }
    return names;
  } finally {
    nvml.close();
  }
}
