import type { Nvml } from "./library.ts";

/** The uuids of all MIG instances, by `GPU-uuid/number of the GPU instance`. Opens the library for a moment. */
export function instanceNames(nvml: Nvml): ReadonlyMap<string, string> {
  nvml.open();
  try {
    const names = new Map<string, string>();
    for (const device of nvml.devices()) {
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
