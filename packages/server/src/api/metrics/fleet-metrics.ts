import { type ReadonlyState, tenantOfPath } from "@tessera/core";
import { idleBelow, type TelemetryRow } from "@tessera/telemetry";
import type { Holding } from "../../flow/activity/holding.ts";
import { escaped, MetricsText } from "./metrics-text.ts";
import { sumsBy, writeMeasures } from "./sum-metrics.ts";

/** Bits with which the driver says why clocks are lower than they could be, and that someone should look at. */
const throttleBits = {
  sw_power_cap: 0x4,
  hw_slowdown: 0x8,
  sw_thermal: 0x20,
  hw_thermal: 0x40,
  hw_power_brake: 0x80,
} as const;

/**
 * What was measured, for the owner. A GPU, a node or a job is never a label here: with 50,000 GPUs there are as many lines
 * as with 8, namely by model, source, mode, engine and tenant. Single ones are in GET /v1/top and GET /v1/series.
 */
export function fleetMetrics(
  state: ReadonlyState,
  holdings: readonly Holding[],
  readings: Iterable<TelemetryRow>,
): string {
  const out = new MetricsText();
  writeMeasures(
    out,
    "tessera_leased",
    sumsBy(holdings, ({ model }) => `model="${escaped(model)}"`),
  );
  writeMeasures(
    out,
    "tessera_account",
    sumsBy(holdings, ({ accountPath }) => `account="${escaped(tenantOfPath(accountPath))}"`),
  );
  sampleMetrics(out, readings);
  nodeMetrics(out, state);
  return out.text;
}

/** Whole GPUs of one model, by what their newest samples say. */
class Samples {
  readonly sources = new Map<string, number>();
  readonly throttled = new Map<string, number>(Object.keys(throttleBits).map((reason) => [reason, 0]));
  measured = 0;
  busy = 0;
  unleasedBusy = 0;
  powerWatts: number | undefined;
  memoryUsedBytes: number | undefined;
  temperatureMax: number | undefined;

  add({ source, lease, metrics }: TelemetryRow): void {
    this.sources.set(source, (this.sources.get(source) ?? 0) + 1);
    const { smActive, powerMilliwatts, memoryUsedMiB, temperatureCelsius, throttleReasons = 0 } = metrics;
    if (smActive !== undefined) {
      this.measured++;
      this.busy += smActive / 10_000;
      if (lease === undefined && smActive >= idleBelow) this.unleasedBusy++;
    }
    if (powerMilliwatts !== undefined) this.powerWatts = (this.powerWatts ?? 0) + powerMilliwatts / 1_000;
    if (memoryUsedMiB !== undefined) this.memoryUsedBytes = (this.memoryUsedBytes ?? 0) + memoryUsedMiB * 1024 * 1024;
    if (temperatureCelsius !== undefined)
      this.temperatureMax = Math.max(this.temperatureMax ?? Number.NEGATIVE_INFINITY, temperatureCelsius);
    for (const [reason, bit] of Object.entries(throttleBits))
      if ((throttleReasons & bit) !== 0) this.throttled.set(reason, this.throttled.get(reason)! + 1);
  }
}

const sampleFamilies: readonly (readonly [string, string, (samples: Samples) => number | undefined])[] = [
  ["tessera_sampled_measured_gpus", "GPUs whose newest sample says how busy they are.", ({ measured }) => measured],
  [
    "tessera_sampled_busy_gpus",
    "GPUs, leased or not, each times the share of its compute units that were busy.",
    ({ measured, busy }) => (measured === 0 ? undefined : busy),
  ],
  [
    "tessera_unleased_busy_gpus",
    "GPUs that are at least 5 % busy although no lease holds them.",
    ({ measured, unleasedBusy }) => (measured === 0 ? undefined : unleasedBusy),
  ],
  ["tessera_sampled_power_watts", "Power that GPUs draw, leased or not.", ({ powerWatts }) => powerWatts],
  [
    "tessera_sampled_memory_used_bytes",
    "Memory in use on GPUs, leased or not.",
    ({ memoryUsedBytes }) => memoryUsedBytes,
  ],
  ["tessera_sampled_temperature_max_celsius", "The hottest GPU.", ({ temperatureMax }) => temperatureMax],
];

function sampleMetrics(out: MetricsText, readings: Iterable<TelemetryRow>): void {
  const models = new Map<string, Samples>();
  const seen = new Set<string>();
  for (const reading of readings) {
    const place = `${reading.node} ${reading.gpu}`;
    if (reading.instance !== undefined || seen.has(place)) continue;
    seen.add(place); // a shared GPU has a row for each of its leases
    const samples = models.get(reading.model) ?? new Samples();
    models.set(reading.model, samples);
    samples.add(reading);
  }
  const labelled = [...models].map(([model, samples]) => [`model="${escaped(model)}"`, samples] as const);
  out.family("tessera_sampled_gpus", "gauge", "GPUs that have a fresh sample, by what took it.");
  for (const [label, { sources }] of labelled)
    for (const [source, count] of sources) out.value("tessera_sampled_gpus", `${label},source="${source}"`, count);
  for (const [name, help, read] of sampleFamilies) {
    out.family(name, "gauge", help);
    for (const [label, samples] of labelled) {
      const value = read(samples);
      if (value !== undefined) out.value(name, label, value);
    }
  }
  out.family(
    "tessera_throttled_gpus",
    "gauge",
    "GPUs whose clocks are held down, by the reason that the driver gives.",
  );
  for (const [label, { throttled }] of labelled)
    for (const [reason, count] of throttled) out.value("tessera_throttled_gpus", `${label},reason="${reason}"`, count);
}

function nodeMetrics(out: MetricsText, state: ReadonlyState): void {
  const modes = new Map(["up", "cordoned", "draining", "maintenance", "down", "unknown"].map((mode) => [mode, 0]));
  for (const node of state.fleet.nodes) if (node !== undefined) modes.set(node.mode, (modes.get(node.mode) ?? 0) + 1);
  out.family("tessera_nodes", "gauge", "Nodes by what they are up to.");
  for (const [mode, count] of modes) out.value("tessera_nodes", `mode="${mode}"`, count);
  out.family("tessera_engine_reachable", "gauge", "1 while what runs jobs there can be reached.");
  for (const { name, away } of state.engines.values())
    out.value("tessera_engine_reachable", `engine="${escaped(name)}"`, away === undefined ? 1 : 0);
}
