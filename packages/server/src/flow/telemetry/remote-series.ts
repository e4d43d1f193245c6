import type { AccountId } from "@tessera/core";
import type { GpuMetrics } from "@tessera/engine";
import type { TelemetryRow } from "@tessera/telemetry";
import type { RemoteSample } from "./write-request.ts";

interface Series {
  readonly name: string;
  readonly times?: number;
  readonly per?: number;
}

const mebibyte = 2 ** 20;
const tenThousand = 10_000;

/** In the base units of Prometheus. */
const seriesOf: { readonly [metric in keyof GpuMetrics]?: Series } = {
  smActive: { name: "tessera_gpu_active_ratio", per: tenThousand },
  tensorActive: { name: "tessera_gpu_tensor_active_ratio", per: tenThousand },
  memoryActive: { name: "tessera_gpu_memory_active_ratio", per: tenThousand },
  memoryUsedMiB: { name: "tessera_gpu_memory_used_bytes", times: mebibyte },
  powerMilliwatts: { name: "tessera_gpu_power_watts", per: 1_000 },
  energyMillijoules: { name: "tessera_gpu_energy_joules_total", per: 1_000 },
  temperatureCelsius: { name: "tessera_gpu_temperature_celsius" },
  smClockMhz: { name: "tessera_gpu_clock_hertz", times: 1e6 },
  pcieSent: { name: "tessera_gpu_pcie_sent_bytes_per_second" },
  pcieReceived: { name: "tessera_gpu_pcie_received_bytes_per_second" },
  nvlinkSent: { name: "tessera_gpu_nvlink_sent_bytes_per_second" },
  nvlinkReceived: { name: "tessera_gpu_nvlink_received_bytes_per_second" },
};

/** What was measured of a GPU; what was not has no sample, which is not 0 [S35]. */
export function remoteSamples(row: TelemetryRow, pathOf: (account: AccountId) => string | undefined): RemoteSample[] {
  const { account, job, rank, gpu, instance, model, node, at } = row;
  // Sorted by name, as the protocol asks; an empty label is the same as none.
  const labels = Object.entries({
    account: account && (pathOf(account) ?? account),
    ...{ gpu, instance, job, model, node, rank: rank === undefined ? undefined : String(rank) },
  }).flatMap(([name, text]) => (text === undefined || text === "" ? [] : [[name, text] as const]));
  return Object.entries(seriesOf).flatMap(([metric, { name, times = 1, per = 1 }]) => {
    const value = row.metrics[metric as keyof GpuMetrics];
    return value === undefined ? [] : [{ labels: [["__name__", name], ...labels], value: (value * times) / per, at }];
  });
}
