import type { Measured, MeasureLoad } from "./full-load.ts";
import { runProbe } from "./probe.ts";

/** It takes about a second; a driver that has not answered by then keeps no member from its start. */
const loadMsMax = 10_000;

/** A full load by the CUDA driver, sampled by NVML: both have to be there, and Python. */
export function loadProbe(asRoot: boolean): MeasureLoad {
  return async (gpu, { gi, uuid }) =>
    asRoot ? runProbe<Measured>("full-load.py", uuid, [gpu, String(gi)], loadMsMax) : "that needs root";
}
